"""The arms of an experiment: what sits in which seat in which deal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from experiments.record.rows import journal_name
from experiments.study import control_arms, controls, matrix
from experiments.study.controls import Purpose
from experiments.study.experiment import Experiment
from experiments.study.file_schema import BASELINE, Changes, SeatConfig
from experiments.study.matrix import ListedArm
from experiments.study.player_spec import PlayerSpec, player_spec
from graphs.interventions import named
from orchestrator.errors import UserError, did_you_mean


@dataclass(frozen=True, order=True)
class Deal:
    """What all arms share: the deck (by its seed), the player count and the number of the repeat."""

    seed: int
    players: int
    repeat: int = 1

    @property
    def file(self) -> str:
        return journal_name(self.players, self.seed, self.repeat)


@dataclass(frozen=True)
class GivenRecords:
    """Public records of past games that a seat is shown before a game: some of those in a file."""

    path: Path
    games: tuple[int, ...]
    """Their indices in the file, from 0."""


@dataclass(frozen=True)
class GivenNotes:
    """Notes of another game that a seat is given: of one that the deal draws from the bank in a file."""

    path: Path
    deal: Deal


def _no_others(deal: Deal) -> Mapping[int, PlayerSpec]:
    return {}


def _no_records(deal: Deal) -> Mapping[int, GivenRecords]:
    return {}


@dataclass(frozen=True)
class Arm:
    """One condition of an experiment."""

    name: str
    everybody: PlayerSpec
    """In every seat that is not among the others."""
    others: Callable[[Deal], Mapping[int, PlayerSpec]] = _no_others
    """By seat."""
    records: Callable[[Deal], Mapping[int, GivenRecords]] = _no_records
    """Past games that some seats are shown before the game."""
    players: tuple[int, ...] = ()
    deals: int | None = None
    """Only the first so many seeds; None for all."""
    void: Mapping[int, str] = field(default_factory=dict)
    """Player counts at which it is not played, because its games would equal those of another arm; with its name."""
    purpose: Purpose | None = None
    """What it is for, where it does one thing alone."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Nodes whose notes are made from those of other games, with where these are from."""
    remarks: tuple[str, ...] = ()
    """What a reader of its results must know."""

    def lineup(self, deal: Deal) -> tuple[PlayerSpec, ...]:
        guests = self.others(deal)
        return tuple(guests.get(seat, self.everybody) for seat in range(deal.players))


def arms(experiment: Experiment, run: Mapping[str, Any] | None = None) -> list[Arm]:
    """The arms that an experiment lists, checked at its player counts, and the control that it adds.

    `run`: the contents of the folder's run.yaml, if it was begun. Raises UserError that names the arm.
    """
    by_name = matrix.listed_arms(experiment)
    if experiment.baseline and experiment.baseline not in by_name:
        hint = did_you_mean(experiment.baseline, by_name, "the arms are")
        raise UserError(f"baseline {experiment.baseline!r} is not an arm; {hint}")
    checked = [_checked(name, experiment, arm.changes, by_name) for name, arm in by_name.items()]
    if null := control_arms.null(experiment, by_name, run or {}):
        checked.append(_checked(controls.NULL, experiment, null.changes, by_name))
    return _without_void(checked, {name for name, arm in by_name.items() if arm.unchanged}, experiment.baseline)


def _checked(name: str, experiment: Experiment, changes: Changes, by_name: Mapping[str, ListedArm]) -> Arm:
    try:
        arm = _arm(name, experiment, changes, by_name)
        check(arm)
    except UserError as error:
        raise UserError(f"arm {name!r}: {error}") from None
    return arm


def _arm(name: str, experiment: Experiment, changes: Changes, by_name: Mapping[str, ListedArm]) -> Arm:
    remarks: tuple[str, ...] = ()
    if changes.matched:
        everybody, remark = control_arms.matching(name, experiment, changes, by_name)
        remarks = (remark,)
    else:
        everybody = player_spec(SeatConfig(graph=experiment.graphs[0]), experiment, changes)
    guests = {seat: player_spec(seat_of, experiment) for seat, seat_of in {**experiment.seats, **changes.seats}.items()}
    arm = fixed(name, everybody, guests, experiment.players)
    if changes.prompts and experiment.baseline is not None:
        remarks = (*remarks, control_arms.proved(name, experiment, changes, everybody, by_name))
    sources = _sources(everybody, changes)
    null = name == controls.NULL and any(step.kind == "null" for step in changes.steps)
    purpose = Purpose(kind="null") if null else controls.purpose(changes)
    return replace(arm, purpose=purpose, sources=sources, remarks=(*remarks, *control_arms.cheating(name, changes)))


def _sources(everybody: PlayerSpec, changes: Changes) -> dict[str, str]:
    """Where the notes of nodes come from that are not asked, by node."""
    config = everybody.config
    if config is None:
        return {}
    return {
        node: str(step.value or BASELINE)
        for step in changes.steps
        if step.kind in ("placebo", "shuffled")
        for node in named(config, step.kind, str(step.node))
    }


def fixed(name: str, everybody: PlayerSpec, guests: Mapping[int, PlayerSpec], players: tuple[int, ...]) -> Arm:
    """An arm with the same seats in every deal."""
    return Arm(name, everybody, lambda deal: guests, players=players)


def check(arm: Arm) -> None:
    """Raise UserError when a seat of an arm is impossible at one of its player counts."""
    for players in arm.players:
        guests = arm.others(Deal(0, players))
        if absent := [seat for seat in guests if seat >= players]:
            raise UserError(f"there is no seat {absent[0]} among {players} players; the seats are 0 to {players - 1}")
        for spec in {spec.key: spec for spec in (arm.everybody, *guests.values())}.values():
            if players not in spec.players:
                raise UserError(f"{spec.spec} is for {', '.join(map(str, spec.players))} players, not {players}")


def _without_void(candidates: list[Arm], unchanged: set[str], baseline: str | None) -> list[Arm]:
    """The arms, each without the player counts at which it equals the baseline or an arm that changes nothing.

    Raises UserError when no arm is left that changes anything.
    """
    marked = [_marked(arm, candidates, unchanged, baseline) for arm in candidates]
    changing = [arm for arm in marked if arm.name not in unchanged and arm.name != baseline]
    if changing and not any(arm.players for arm in changing):
        named = ", ".join(f"{arm.name!r}" for arm in changing)
        alike = next(iter(changing[0].void.values()))
        raise UserError(
            f"nothing to compare: {named} would play the same games as {alike!r} at every player count. Replacing a "
            "program by a program changes nothing; bind a model first, e.g. --set models.default=sim:average"
        )
    return marked


def _marked(arm: Arm, candidates: list[Arm], unchanged: set[str], baseline: str | None) -> Arm:
    """An arm with its void player counts; one that changes nothing is played on purpose."""
    if arm.name == baseline or arm.name in unchanged:
        return arm
    standards = sorted(
        (arm_alike for arm_alike in candidates if arm_alike.name in (baseline, *unchanged)),
        key=lambda arm_alike: arm_alike.name != baseline,
    )
    void: dict[int, str] = {}
    for players in arm.players:
        same = (arm_alike.name for arm_alike in standards if _alike(arm_alike, arm, players))
        if (name := next(same, None)) is not None:
            void[players] = name
    return replace(arm, players=tuple(count for count in arm.players if count not in void), void=void)


def _alike(standard: Arm, other: Arm, players: int) -> bool:
    """Whether two arms would play the same games at a player count."""
    deal = Deal(0, players)
    pairs = zip(standard.lineup(deal), other.lineup(deal), strict=True)
    return all(a.essence(players) == b.essence(players) for a, b in pairs)
