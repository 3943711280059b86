"""A run played again from its run.yaml: with the recorded graphs, models and deals, whatever their
names mean today."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Self

from pydantic import Field, ValidationError

from hanabi_orchestrator.experiments.study import coalitions
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.control_arms import Purpose
from hanabi_orchestrator.experiments.study.experiment import Experiment, Rerun
from hanabi_orchestrator.experiments.study.file_schema import SeatNumber, settled
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.graphs import prompt_files
from hanabi_orchestrator.graphs.config import PlayerCount
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.hanabi import referee
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.orchestrator.versions import changed


class RecordedSeat(PlayerSpec):
    """A player, as run.yaml records it: with the names that results show."""

    graph: str
    model: str
    prompts: dict[str, str] = {}
    """Hashes of its prompt texts, by name."""

    @property
    def player_spec(self) -> PlayerSpec:
        """With the settings that its models had, whatever the environment says now."""
        models = {name: settled(model) for name, model in self.models.items()}
        return PlayerSpec(spec=self.spec, config=self.config, models=models)

    @property
    def changed_prompts(self) -> list[str]:
        """The prompt texts that differ now."""
        now = prompt_files.hashes(self.config) if self.config else {}
        return [name for name in {**now, **self.prompts} if now.get(name) != self.prompts.get(name)]


class RecordedArm(Frozen):
    """An arm, as run.yaml records it; seats are named by their keys."""

    players: tuple[PlayerCount, ...]
    everybody: str
    others: dict[SeatNumber, str] | tuple[str, ...] = {}
    void: dict[int, str] = {}
    purpose: Purpose | None = None
    notes: dict[str, str] = {}
    """Nodes whose notes are made from those of other games, with where these are from."""
    floor: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def guest_keys(self) -> Iterable[str]:
        if isinstance(self.others, dict):
            return self.others.values()
        return self.others


class RecordedRun(Frozen):
    """The parts of a run.yaml that are needed to play its run again."""

    arms: dict[str, RecordedArm]
    labels: dict[str, str] = {}
    seats: dict[str, RecordedSeat]
    deals: dict[int, str]
    versions: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def parsed(cls, record: Mapping[str, Any]) -> Self:
        """Read the contents of a run.yaml. Raises UserError."""
        try:
            run = cls.model_validate({key: record.get(key) or {} for key in cls.model_fields})
        except ValidationError as error:
            raise user_error("run.yaml", error) from None
        named = set[str]()
        for arm in run.arms.values():
            named.update((arm.everybody, *arm.guest_keys))
        if unknown := sorted({*named, *run.labels.values()} - set(run.seats)):
            raise UserError(f"run.yaml names a seat {unknown[0]!r} that it does not describe")
        return run

    @classmethod
    def read(cls, experiment: Rerun) -> Self:
        """Raises UserError when the run could not be played again as it was."""
        run = cls.parsed(experiment.record)
        if changed := sorted(
            set(chain.from_iterable(seat.changed_prompts for seat in run.seats.values()))
        ):
            raise UserError(
                "the prompts are not those of run.yaml, which holds their texts: "
                f"{', '.join(changed)} differ"
            )
        for seed in experiment.numbers:
            if (
                seed not in experiment.decks
                and seed in run.deals
                and run.deals[seed] != cards(seed)
            ):
                raise UserError(
                    f"seed {seed} gives another deck than in run.yaml, which was edited or "
                    "written where HLE deals otherwise; restore the file, or run the experiment "
                    "anew"
                )
        return run

    def labelled(self) -> dict[str, PlayerSpec]:
        """Return the participants of cross-play and ad-hoc teams, by label."""
        return {label: self.seats[key].player_spec for label, key in self.labels.items()}

    def listed_arms(self, experiment: Experiment) -> list[Arm]:
        """Return the arms, unless they are pairs. Raises UserError when none has the player counts
        asked for."""
        arms = []
        design = experiment.coalitions
        deals = coalitions.arms_played(design, experiment.numbers) if design else {}
        for name, arm in self.arms.items():
            assert isinstance(arm.others, dict)
            arms.append(
                Arm(
                    name,
                    self.seats[arm.everybody].player_spec,
                    {seat: self.seats[key].player_spec for seat, key in arm.others.items()},
                    players=tuple(count for count in arm.players if count in experiment.players),
                    void={
                        count: other
                        for count, other in arm.void.items()
                        if count in experiment.players
                    },
                    purpose=arm.purpose,
                    sources=arm.notes,
                    floor=arm.floor,
                    remarks=arm.remarks,
                    seeds=deals.get(name),
                )
            )
        if not any(arm.players for arm in arms):
            counts = sorted(set(chain.from_iterable(arm.players for arm in self.arms.values())))
            raise UserError(
                "run.yaml has no arm at these player counts; it has them at "
                f"{', '.join(map(str, counts))}"
            )
        return arms

    @property
    def notes(self) -> list[str]:
        """Why the games may differ although everything recorded is the same."""
        return [
            f"run.yaml was written with {name} {before}, and this is {after}: its programs "
            "may differ."
            for name, before, after in changed(self.versions)
        ]


def labelled(run: Mapping[str, Any]) -> dict[str, PlayerSpec]:
    """Return the participants of cross-play and ad-hoc teams in a run.yaml, by label; none where it
    names no whole seats."""
    labels = run.get("labels") or {}
    seats = run.get("seats") or {}
    try:
        specs = dict[str, PlayerSpec]()
        for label, key in labels.items():
            specs[label] = RecordedSeat.model_validate(seats[key]).player_spec
        return specs
    except (ValidationError, UserError, KeyError):
        return {}


def cards(seed: int) -> str:
    """Return a deck on one line, first dealt first: `R1 Y3 ...`."""
    return " ".join(referee.deal(seed))
