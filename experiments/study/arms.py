"""The arms of an experiment: what sits in which seat in which deal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from hanabi_orchestrator.experiments.record.rows import journal_name
from hanabi_orchestrator.experiments.study import control_arms, matrix
from hanabi_orchestrator.experiments.study.control_arms import NOISE_FLOOR, Purpose
from hanabi_orchestrator.experiments.study.decks import Deck
from hanabi_orchestrator.experiments.study.experiment import POSITIONS, Experiment
from hanabi_orchestrator.experiments.study.file_schema import BASELINE, AdHoc
from hanabi_orchestrator.experiments.study.matrix import ListedArm, ListedArms
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec, arm_spec, player_spec
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.graphs.interventions import named
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.hanabi import referee
from hanabi_orchestrator.orchestrator.hanabi.cards import Card


@dataclass(frozen=True, order=True)
class Deal:
    """What all arms share: the deck, the player count and the number of the repeat."""

    seed: int
    """Of HLE's deal; of a deck that the experiment names, its number there."""
    players: int
    repeat: int = 1
    deck: Deck | None = field(default=None, compare=False)
    """None for HLE's own deal."""

    @property
    def cards(self) -> tuple[Card, ...]:
        if self.deck:
            return self.deck.cards
        return referee.deal(self.seed)

    @property
    def file(self) -> str:
        return journal_name(self.players, self.seed, self.repeat)


@dataclass(frozen=True)
class GivenRecords:
    """Public records of past games that a seat is shown before a game: some of those in a file."""

    path: Path
    games: tuple[int, ...]
    """Their indices in the file, from 0."""


class TrialDraw(NamedTuple):
    """What is drawn for a trial; the same each time, whatever seat is evaluated."""

    position: int
    games: tuple[int, ...]
    """Indices of the past games, in the order in which they are shown."""


@dataclass(frozen=True)
class Trials:
    """Ad-hoc trials with a partner: where the guest sits, and which past games it is shown."""

    settings: AdHoc
    label: str
    """The partner's."""
    paths: Mapping[int, Path]
    """The files of past games, by player count."""

    def draw(self, deal: Deal) -> TrialDraw:
        """Return the position and the past games of a trial."""
        settings = self.settings
        chance = Random(f"{settings.draw} {self.label} {deal.players} {deal.seed} {deal.repeat}")
        position = chance.randrange(deal.players)
        if settings.position != "random":
            if settings.position == "rotate":
                position = deal.seed % deal.players
            else:
                position = settings.position
        return TrialDraw(position, tuple(chance.sample(range(settings.past.count), settings.games)))


@dataclass(frozen=True)
class Arm:
    """One condition of an experiment."""

    name: str
    everybody: PlayerSpec
    """In every seat that is not among the others."""
    others: Mapping[int, PlayerSpec] = field(default_factory=dict)
    """By seat, the same in every deal."""
    guest: PlayerSpec | None = None
    """A player in one seat, in place of the others."""
    place: int | Literal["rotate"] | Trials = 0
    """The guest's seat; `rotate`: seat (seed mod players); drawn for each trial."""
    unshown: Path | None = None
    """A file of past games of which every seat is shown none."""
    players: tuple[int, ...] = ()
    seeds: frozenset[int] | None = None
    """The deals that it plays; None for all."""
    void: Mapping[int, str] = field(default_factory=dict)
    """Player counts at which it is not played, because its games would equal those of another arm;
    with its name."""
    purpose: Purpose | None = None
    """What it is for, where it does one thing alone."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Nodes whose notes are made from those of other games, with where these are from."""
    floor: str | None = None
    """On positions: the arm that asks the same nodes again and changes nothing, its noise floor;
    None without one."""
    remarks: tuple[str, ...] = ()
    """What a reader of its results must know."""

    @property
    def kind(self) -> str:
        """What it does, where it does one thing alone; else empty."""
        if self.purpose:
            return self.purpose.kind
        return ""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that it is about, where it does one thing alone; else none."""
        if self.purpose:
            return self.purpose.nodes
        return ()

    @property
    def is_noise_floor(self) -> bool:
        return self.kind == "noise_floor"

    @property
    def cheats(self) -> bool:
        """Whether any of its seats sees its own cards."""
        return any(
            spec.config and spec.config.controls.own_hand
            for spec in (self.everybody, *self.others.values())
        )

    def guests(self, deal: Deal) -> Mapping[int, PlayerSpec]:
        """Return who sits in seats of their own, by seat."""
        if self.guest is None:
            return self.others
        if isinstance(self.place, Trials):
            return {self.place.draw(deal).position: self.guest}
        return {deal.seed % deal.players if self.place == "rotate" else self.place: self.guest}

    def records(self, deal: Deal) -> Mapping[int, GivenRecords]:
        """Return the past games that seats are shown before the game, by seat."""
        if self.unshown:
            return {seat: GivenRecords(self.unshown, ()) for seat in range(deal.players)}
        if isinstance(self.place, Trials) and (trial := self.place.draw(deal)).games:
            return {trial.position: GivenRecords(self.place.paths[deal.players], trial.games)}
        return {}

    def lineup(self, deal: Deal) -> tuple[PlayerSpec, ...]:
        """Return who sits where, by seat."""
        guests = self.guests(deal)
        return tuple(guests.get(seat, self.everybody) for seat in range(deal.players))


def arms(experiment: Experiment, run: Mapping[str, Any] | None = None) -> list[Arm]:
    """Return the arms that an experiment lists, checked at its player counts, and the control that
    it adds; `run`: the folder's run.yaml, if it was begun. Raises UserError that names the arm."""
    by_name = matrix.listed_arms(experiment)
    if experiment.baseline and experiment.baseline not in by_name:
        hint = did_you_mean(experiment.baseline, by_name, "the arms are")
        remedy = next((name for name, arm in by_name.items() if arm.unchanged), next(iter(by_name)))
        raise UserError(
            f"baseline {experiment.baseline!r} is not an arm; {hint}; try --set baseline={remedy}"
        )

    for contrast, weights in experiment.contrasts.items():
        if unknown := next((name for name in weights if name not in by_name), None):
            hint = did_you_mean(unknown, by_name, "the arms are")
            raise UserError(f"contrasts: {contrast}: {unknown!r} is not an arm; {hint}")

    def planned(name: str, listed: ListedArm) -> Arm:
        try:
            return _arm(name, experiment, listed, by_name)
        except UserError as error:
            remedy = "; --set 'arms={}' compares the whole graphs"
            several = len(experiment.graphs) > 1 and experiment.arms
            raise UserError(f"arm {name!r}: {error}{remedy if several else ''}") from None

    candidates = [planned(name, arm) for name, arm in by_name.items()]
    if floor := control_arms.noise_floor(experiment, by_name, run or {}):
        candidates.append(planned(NOISE_FLOOR, floor))
    # whose recorded notes may be another's, so that no arm is surely the baseline
    if experiment.task == POSITIONS:
        return candidates
    unchanged = {name for name, arm in by_name.items() if arm.unchanged}
    if experiment.baseline:
        unchanged.add(experiment.baseline)
    standards = [arm for arm in candidates if arm.name in unchanged]
    standards.sort(key=lambda arm: arm.name != experiment.baseline)
    # one that changes nothing is played on purpose
    marked = [arm if arm.name in unchanged else _without_void(arm, standards) for arm in candidates]
    changing = [arm for arm in marked if arm.name not in unchanged]
    if changing and not any(arm.players for arm in changing):
        named = ", ".join(f"{arm.name!r}" for arm in changing)
        alike = next(iter(changing[0].void.values()))
        raise UserError(
            f"nothing to compare: {named} would play the same games as {alike!r} at every "
            f"player count. {_remedy(changing)}"
        )
    return marked


def _remedy(changing: Sequence[Arm]) -> str:
    """Return why arms change nothing, and what to do."""
    if all(arm.purpose and arm.purpose.kind == "prompts" for arm in changing):
        return (
            "Programs and simulated models read no words; name a language model, e.g. --set "
            "models.default=openai:NAME"
        )
    return (
        "Replacing a program by a program changes nothing; bind a model first, e.g. --set "
        "models.default=sim:average"
    )


def _arm(name: str, experiment: Experiment, listed: ListedArm, by_name: ListedArms) -> Arm:
    changes = listed.changes
    remarks = list[str]()
    if changes.matched:
        everybody, remark = control_arms.matching(name, experiment, changes, by_name)
        remarks.append(remark)
    else:
        everybody = arm_spec(experiment, changes)
    if changes.prompts and experiment.baseline is not None:
        remarks.append(control_arms.proved(name, experiment, changes, everybody, by_name))
    kinds = {step.kind for step in changes.steps}
    if "own_hand" in kinds:
        remarks.append(
            f"{name} cheats: its seats see their own cards. It is an upper line, left out of "
            "rankings and claims."
        )
    # where the notes of nodes come from that are not asked
    sources = {}
    for step in changes.steps:
        if everybody.config is not None and step.kind in NOTES:
            for node in named(everybody.config, step.kind, str(step.node)):
                sources[node] = str(step.value or BASELINE)
    own_purpose = control_arms.purpose(changes, listed.coalition)
    arm = Arm(
        name,
        everybody,
        {
            number: player_spec(seat, experiment)
            for number, seat in {**experiment.seats, **changes.seats}.items()
        },
        players=experiment.players,
        purpose=Purpose(kind="noise_floor")
        if name == NOISE_FLOOR and "noise_floor" in kinds
        else own_purpose,
        seeds=listed.coalition.seeds if listed.coalition else None,
        sources=sources,
        remarks=tuple(remarks),
    )
    check(arm)
    return arm


def check(arm: Arm) -> None:
    """Raise UserError when a seat of an arm is impossible at one of its player counts."""
    for players in arm.players:
        guests = arm.guests(Deal(0, players))
        if absent := [seat for seat in guests if seat >= players]:
            raise UserError(
                f"there is no seat {absent[0]} among {players} players; the seats are 0 to "
                f"{players - 1}"
            )
        for spec in {spec.key: spec for spec in (arm.everybody, *guests.values())}.values():
            if players not in spec.players:
                raise UserError(
                    f"{spec.spec} is for {', '.join(map(str, spec.players))} players, not {players}"
                )


def _without_void(arm: Arm, standards: Iterable[Arm]) -> Arm:
    """Return the arm without the player counts at which it would play the same games as one of the
    standards."""
    void: dict[int, str] = {}
    for players, standard in product(arm.players, standards):
        pairs = zip(standard.lineup(Deal(0, players)), arm.lineup(Deal(0, players)), strict=True)
        if players not in void and all(
            ours.essence(players) == theirs.essence(players) for ours, theirs in pairs
        ):
            void[players] = standard.name
    return replace(
        arm, players=tuple(count for count in arm.players if count not in void), void=void
    )
