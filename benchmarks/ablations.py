"""What each part of a graph is worth to its programs: the same deals without each node and each section.

Run it as `python -m benchmarks.ablations [--graph house ...] [--players 2] [--games 10]`. A part that the graph
cannot do without is named with the reason; where the games are the same move by move, the part changes nothing.
"""

import asyncio
import statistics
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.config import GraphConfig, names, read
from hanabi_orchestrator.graphs.graph_seat import seat
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Event, Moved
from hanabi_orchestrator.orchestrator.table.game_loop import play_async


@dataclass(frozen=True)
class Played:
    """A game of programs."""

    strict: int
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Worth:
    """What the games of a graph lose without a part of it."""

    graph: str
    without: str
    """A node, or `section NAME`."""
    games: int
    """How many deals were played with and without it; 0 where the graph cannot do without."""
    same: int = 0
    """Deals on which both games are the same, move by move."""
    difference: float = 0.0
    """Mean strict score without the part, minus that of the whole graph on the same deals."""
    error: float = 0.0
    """Standard error of the mean difference."""
    refused: str = ""
    """Why the graph cannot do without it."""


def removals(config: GraphConfig) -> Iterator[tuple[str, Callable[[], GraphConfig]]]:
    """Each part of a graph, and what removes it: every node but the deciding one, then every section."""
    for node in config.nodes:
        if node != config.decides:
            yield node, partial(ablate.without, config, node)
    for section in dict.fromkeys(
        name for node in config.nodes for name in config.context_of(node).names
    ):
        yield f"section {section}", partial(ablate.without_sections, config, section)


def measure(graph: str, players: int, games: int) -> Iterator[Worth]:
    """Every part of a graph, on the deals of seeds 1 to `games`."""
    config = read(graph)
    whole = _games(ablate.at(config, players), players, games)
    for part, remove in removals(ablate.at(config, players)):
        try:
            less = _games(remove(), players, games)
        except UserError as error:
            yield Worth(graph, part, 0, refused=str(error))
            continue
        yield _worth(graph, part, whole, less)


def _games(config: GraphConfig, players: int, games: int) -> list[Played]:
    return [_played(config, players, seed) for seed in range(1, games + 1)]


def _played(config: GraphConfig, players: int, seed: int) -> Played:
    events: list[Event] = []
    result = asyncio.run(play_async(seat(config), players=players, seed=seed, sink=events.append))
    return Played(
        result.score_strict, tuple(event.past.move for event in events if isinstance(event, Moved))
    )


def _worth(graph: str, part: str, whole: Sequence[Played], less: Sequence[Played]) -> Worth:
    pairs = list(zip(less, whole, strict=True))
    lost = [one.strict - other.strict for one, other in pairs]
    error = statistics.stdev(lost) / len(lost) ** 0.5 if len(lost) > 1 else 0.0
    same = sum(one.moves == other.moves for one, other in pairs)
    return Worth(graph, part, len(lost), same, statistics.mean(lost), error)


def show(found: Sequence[Worth], console: Console) -> None:
    """The table, and below it the parts that the graphs cannot do without."""
    table = plain_table(
        "graph", "without", "deals", "same games", "difference", words=("graph", "without")
    )
    for one in (one for one in found if one.games):
        changed = "" if one.same == one.games else f"{one.difference:+.2f} ± {one.error:.2f}"
        table.add_row(one.graph, one.without, str(one.games), str(one.same), changed)
    console.print(table)
    for one in (one for one in found if not one.games):
        console.print(f"not without {one.without}: {one.refused}", markup=False, highlight=False)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--graph", action="append", help="a graph; several times for several, all if not given"
    )
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=10, help="deals, from seed 1 on")
    asked = parser.parse_args()
    found = [
        one for name in asked.graph or names() for one in measure(name, asked.players, asked.games)
    ]
    show(found, Console(width=120))


if __name__ == "__main__":
    main()
