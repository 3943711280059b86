"""The table before each turn, played again from the deck."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.errors import IllegalMove, UserError
from orchestrator.hanabi.cards import Card
from orchestrator.hanabi.literal_knowledge import dealt_hands
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import Referee
from orchestrator.hanabi.view import Knowledge, View
from orchestrator.journal.events import GameStarted

Hands = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True)
class Board:
    """The table before a turn."""

    view: View
    """What the acting seat may know; a seat that cheats sees its own cards."""
    hands: Hands
    """By seat, oldest card first."""
    known: tuple[tuple[Knowledge, ...], ...]
    """What hints say literally of each card, by seat."""


def boards(started: GameStarted, moves: Sequence[Move], *, over: bool, name: str) -> tuple[Board, ...]:
    """Return the table before each move, and before the next one unless the game is over.

    Raises UserError for moves that do not fit the deck.
    """
    referee, tables = Referee(started.players, started.deck), list[Board]()
    hands = dealt_hands(started.players, started.deck, moves)
    try:
        for move in moves:
            tables.append(_board(started, referee, next(hands)))
            referee.apply(move)
    except IllegalMove as error:
        raise UserError(f"the moves of {name!r} do not fit its deck: {error}") from None
    return tuple(tables) if referee.over or over else (*tables, _board(started, referee, next(hands)))


def _board(started: GameStarted, referee: Referee, hands: Hands) -> Board:
    honest = referee.view()
    cheats = started.sees_own_hand(honest.seat, honest.turn)
    view = referee.view(own_hand=True) if cheats else honest
    knowledge = {hand.seat: hand.known for hand in honest.hands} | {honest.seat: honest.own}
    return Board(view, hands, tuple(knowledge[seat] for seat in range(view.players)))
