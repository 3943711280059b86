"""The arms of an experiment: who sits where in which deal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import graphs
from experiments.config import Changes, Experiment, Sitting
from experiments.seats import OTHERS
from experiments.sitter import Sitter, sitter
from orchestrator.errors import UserError


@dataclass(frozen=True, order=True)
class Deal:
    """One game of a deal: what all arms play alike."""

    seed: int
    players: int
    repeat: int = 1

    @property
    def file(self) -> str:
        return f"{self.players}p-s{self.seed}-r{self.repeat}.jsonl"


@dataclass(frozen=True)
class Before:
    """Public records that a seat is given before a game: some of those in a file."""

    path: Path
    games: tuple[int, ...]
    """Their numbers in the file, from 0."""


def nobody(deal: Deal) -> Mapping[int, Sitter]:
    return {}


def nothing(deal: Deal) -> Mapping[int, Before]:
    return {}


@dataclass(frozen=True)
class Arm:
    name: str
    everybody: Sitter
    others: Callable[[Deal], Mapping[int, Sitter]] = nobody
    """Who sits in some seats instead."""
    before: Callable[[Deal], Mapping[int, Before]] = nothing
    """What some seats are given before the game."""
    players: tuple[int, ...] = ()
    deals: int | None = None
    """Only the first so many seeds; None for all."""

    def cast(self, deal: Deal) -> tuple[Sitter, ...]:
        others = self.others(deal)
        return tuple(others.get(seat, self.everybody) for seat in range(deal.players))


def arms(experiment: Experiment) -> list[Arm]:
    """The arms that an experiment names, checked at its player counts. Raises UserError that names the arm."""
    named = _leave_one_out(experiment) if experiment.arms == "leave_one_out" else dict(experiment.arms)
    made = []
    for name, changes in (named or {experiment.name: Changes()}).items():
        try:
            arm = _arm(name, experiment, changes)
            check(arm)
        except UserError as error:
            raise UserError(f"arm {name!r}: {error}") from None
        made.append(arm)
    return made


def _arm(name: str, experiment: Experiment, changes: Changes) -> Arm:
    everybody = sitter(Sitting(graph=experiment.graph), experiment, changes)
    others = {seat: sitter(who, experiment) for seat, who in {**experiment.seats, **changes.seats}.items()}
    return Arm(name, everybody, lambda deal: others, players=experiment.players)


def check(arm: Arm) -> None:
    """Raise UserError when somebody cannot sit in an arm at its player counts."""
    for players in arm.players:
        others = arm.others(Deal(0, players))
        if absent := [seat for seat in others if seat >= players]:
            raise UserError(f"there is no seat {absent[0]} among {players} players; the seats are 0 to {players - 1}")
        for one in {one.key: one for one in (arm.everybody, *others.values())}.values():
            if players not in one.players:
                raise UserError(f"{one.spec} is for {', '.join(map(str, one.players))} players, not {players}")


def _leave_one_out(experiment: Experiment) -> dict[str, Changes]:
    """The whole graph, and an arm without each node that it can do without."""
    if experiment.graph.startswith(OTHERS):
        raise UserError(f"arms: leave_one_out takes nodes from a graph, and {experiment.graph} is none")
    config = graphs.read(experiment.graph)
    found = {"full": Changes()}
    for node in config.nodes:
        try:
            graphs.without(config, node)
        except UserError:
            continue  # the graph needs it
        found[f"no-{node}"] = Changes(without=(node,))
    return found
