"""Positions and games that the tests share."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import graphs
from graphs.prompting import notes_of
from orchestrator import hle
from orchestrator.events import Event, Sink
from orchestrator.hle import Referee
from orchestrator.seat import Chair
from orchestrator.table import play_async
from orchestrator.view import View
from roles import Notes, literal
from roles.position import TAKES, Position
from roles.sections import cut

GRAPHS = tuple(graphs.names())


def random_game(players: int, seed: int) -> Iterator[Referee]:
    """The referee before each move of a game of random legal moves that avoids an early end by lives."""
    chance = random.Random(f"{players}-{seed}")
    referee = Referee(players, hle.deal(seed))
    while not referee.over:
        yield referee
        moves = referee.legal()
        calm = [move for move in moves if move.kind != "play"]
        referee.apply(chance.choice(calm if calm and (referee.lives == 1 or chance.random() < 0.7) else moves))


def random_views(players: int, seed: int) -> list[View]:
    return [referee.view() for referee in random_game(players, seed)]


async def events_of(
    graph: str | graphs.GraphConfig, *, players: int, seed: int, sink: Sink | None = None
) -> list[Event]:
    """The events of a game played by programs."""
    events: list[Event] = []
    await play_async(graphs.seat(graph), players=players, seed=seed, sink=sink or events.append)
    return events


async def turn_of(config: graphs.GraphConfig, view: View) -> Notes:
    """The notes that a graph's programs leave on a view."""
    events: list[Event] = []
    await graphs.seat(config).sitting(Chair(events.append))(view, {})
    return notes_of(graphs.at(config, view.players), events)


def literal_views(players: int, seed: int) -> Iterator[View]:
    """The views of a game that the literal player plays with himself."""
    referee = Referee(players, hle.deal(seed))
    while not referee.over:
        view = referee.view()
        yield view
        move, _ = literal.best(Position.of(cut(view, [(kind, {}) for kind in TAKES])))
        referee.apply(move)


STORED = Path(__file__).parent / "positions"
POSITIONS = ("2p-opening", "3p-empty-deck", "3p-middle", "4p-one-life", "5p-last-round")


@cache
def position(name: str) -> View:
    """A stored position: what the acting seat sees."""
    return View.model_validate_json((STORED / f"{name}.json").read_text("utf-8"))
