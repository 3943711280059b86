"""A run played again from its run.yaml: by the graphs, models and deals it holds, not by what their names now mean."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self

from pydantic import Field, ValidationError

from experiments.design.arms import Arm, fixed
from experiments.design.experiment import Rerun
from experiments.design.player_spec import PlayerSpec
from experiments.design.schema import Model, SeatNumber, settled
from graphs import prompt_texts
from graphs.config import GraphConfig, PlayerCount
from orchestrator.errors import UserError, user_error
from orchestrator.hanabi import referee
from orchestrator.values import Frozen
from orchestrator.versions import versions


class Seat(Frozen):
    """Who sits somewhere, as run.yaml holds it."""

    spec: str
    graph: str
    model: str
    config: GraphConfig | None = None
    models: dict[str, Model] = {}
    prompts: dict[str, str] = {}
    """Hashes of what it is told, by name."""

    @property
    def sitter(self) -> PlayerSpec:
        """With the settings that its models had, whatever the environment says now."""
        models = {name: settled(model) for name, model in self.models.items()}
        return PlayerSpec(spec=self.spec, config=self.config, models=models)


class Seated(Frozen):
    """An arm of run.yaml; seats by their keys."""

    players: tuple[PlayerCount, ...]
    everybody: str
    others: dict[SeatNumber, str] | tuple[str, ...] = {}
    void: dict[int, str] = {}


class Held(Frozen):
    """What a run.yaml says of a run, as far as it is needed to play it again."""

    arms: dict[str, Seated]
    labels: dict[str, str] = {}
    seats: dict[str, Seat]
    deals: dict[int, str]
    versions: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, experiment: Rerun) -> Self:
        """Raises UserError when the run could not be played again as it was."""
        try:
            held = cls.model_validate({key: experiment.record.get(key) or {} for key in cls.model_fields})
        except ValidationError as error:
            raise user_error("run.yaml", error) from None
        held._known()
        held._same_prompts()
        held._same_deals(experiment.deals)
        return held

    def sitter(self, key: str) -> PlayerSpec:
        return self.seats[key].sitter

    def labelled(self) -> dict[str, PlayerSpec]:
        return {label: self.sitter(key) for label, key in self.labels.items()}

    def seated(self, experiment: Rerun) -> list[Arm]:
        """The arms, where they are no pairs. Raises UserError when none is played at the player counts asked for."""
        made = [self._arm(name, arm, experiment) for name, arm in self.arms.items()]
        if not any(arm.players for arm in made):
            counts = sorted({count for arm in self.arms.values() for count in arm.players})
            raise UserError(f"run.yaml has no arm at these player counts; it has them at {', '.join(map(str, counts))}")
        return made

    def _arm(self, name: str, arm: Seated, experiment: Rerun) -> Arm:
        assert isinstance(arm.others, dict)
        others = {seat: self.sitter(key) for seat, key in arm.others.items()}
        counts = tuple(count for count in arm.players if count in experiment.players)
        made = fixed(name, self.sitter(arm.everybody), others, counts)
        return replace(made, void={count: other for count, other in arm.void.items() if count in experiment.players})

    @property
    def notes(self) -> list[str]:
        """What may make the games others, although everything that is held is the same."""
        now = versions()
        return [
            f"run.yaml was written with {name} {old}, and this is {now.get(name, 'another')}: its programs may differ."
            for name, old in self.versions.items()
            if now.get(name) != old
        ]

    def _known(self) -> None:
        named = {key for arm in self.arms.values() for key in (arm.everybody, *_keys(arm.others))}
        if unknown := sorted({*named, *self.labels.values()} - set(self.seats)):
            raise UserError(f"run.yaml names a seat {unknown[0]!r} that it does not hold")

    def _same_prompts(self) -> None:
        differ = sorted({name for seat in self.seats.values() for name in _changed(seat)})
        if differ:
            raise UserError(
                f"the prompts are not those of run.yaml, where their texts stand: {', '.join(differ)} differ"
            )

    def _same_deals(self, seeds: Iterable[int]) -> None:
        for seed in seeds:
            if seed in self.deals and self.deals[seed] != cards(seed):
                raise UserError(
                    f"seed {seed} is not dealt as in run.yaml; play it on the learning environment named there"
                )


def _keys(others: Mapping[int, str] | tuple[str, ...]) -> Iterable[str]:
    return others.values() if isinstance(others, Mapping) else others


def _changed(seat: Seat) -> list[str]:
    """The texts that are not what a seat was told."""
    now = prompt_texts.hashes(seat.config) if seat.config else {}
    return [name for name in {**now, **seat.prompts} if now.get(name) != seat.prompts.get(name)]


def cards(seed: int) -> str:
    """A deal on one line, first dealt first: `R1 Y3 ...`."""
    return " ".join(referee.deal(seed))
