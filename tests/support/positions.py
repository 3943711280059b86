"""Positions and games that the tests share."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, Memory, Sink
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Notes
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.sections import cut
from tests.support.folders import TESTS

GRAPHS = tuple(graphs.names("hanabi"))


def random_game(players: int, seed: int) -> Iterator[Referee]:
    """The referee before each move of a game of random legal moves that avoids an early end by lives."""
    chance = random.Random(f"{players}-{seed}")
    referee = Referee(players, deal(seed))
    while not referee.over:
        yield referee
        moves = referee.legal()
        calm = [move for move in moves if move.kind != "play"]
        referee.apply(
            chance.choice(calm if calm and (referee.lives == 1 or chance.random() < 0.7) else moves)
        )


@cache
def random_views(players: int, seed: int) -> tuple[View, ...]:
    return tuple(referee.view() for referee in random_game(players, seed))


def dealt(*hands: str, moves: Iterable[str] = (), then: str = "") -> Referee:
    """The referee after these moves of a game that begins with these hands, e.g. `"R1 Y2 G3 W4 B5"`, the oldest card
    first. `then`: the next cards of the deck; the others follow in their order."""
    first = [Card(card) for card in " ".join((*hands, then)).split()]
    every = Counter({card: card.copies for card in CARDS})
    deck = [*first, *sorted((every - Counter(first)).elements(), key=CARDS.index)]
    return rebuild(len(hands), deck, [parse(move) for move in moves])


def partners_game(names: Sequence[str], seed: int) -> Iterator[Referee]:
    """The referee before each move of a game of partners, seat by seat, and after the last."""
    referee = Referee(len(names), deal(seed))
    for move in _partners_moves(tuple(names), seed):
        yield referee
        referee.apply(move)
    yield referee


@cache
def _partners_moves(names: tuple[str, ...], seed: int) -> tuple[Move, ...]:
    referee = Referee(len(names), deal(seed))
    moves = list[Move]()
    while not referee.over:
        view = referee.view()
        moves.append(partners.get(names[view.seat]).rule(view, Random(f"{seed} {view.turn}"))[0])
        referee.apply(moves[-1])
    return tuple(moves)


async def events_of(
    graph: str | graphs.GraphConfig, *, players: int, seed: int, sink: Sink | None = None
) -> list[Event]:
    """The events of a game played by programs."""
    events: list[Event] = []
    await play_async(graphs.seat(graph), players=players, seed=seed, sink=sink or events.append)
    return events


async def turn_of(config: graphs.GraphConfig, view: View, memory: Memory | None = None) -> Notes:
    """The notes that a graph's programs leave on a view, given what the seat remembers."""
    events: list[Event] = []
    await graphs.seat(config).bind(GameContext(events.append))(view, memory or {})
    return notes_of(graphs.at(config, view.players), events)


@cache
def literal_views(players: int, seed: int) -> tuple[View, ...]:
    """The views of a game that the literal player plays with himself."""
    referee = Referee(players, deal(seed))
    views = list[View]()
    while not referee.over:
        views.append(referee.view())
        move, _ = literal_play.best(Position.read(cut(views[-1], [(kind, {}) for kind in TAKES])))
        referee.apply(move)
    return tuple(views)


STORED = TESTS / "positions"
POSITIONS = ("2p-opening", "3p-empty-deck", "3p-middle", "4p-one-life", "5p-last-round")


@cache
def position(name: str) -> View:
    """A stored position: what the acting seat sees."""
    return View.model_validate_json((STORED / f"{name}.json").read_text("utf-8"))
