"""Games with a known end: seats that follow moves chosen with all hands in view."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, HAND_SIZES, Card, Piles, mask
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintColour, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, Memory
from hanabi_orchestrator.orchestrator.table.game_loop import play
from hanabi_orchestrator.orchestrator.table.seat import Decision, Seat

ENDS = ("perfect", "deck_exhausted", "lives_lost", "max_turns", "unfinished")
STOPPED = 17
"""Turns of a game that is left before its end."""


class OpenGame:
    """A game whose hands are all known."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        self.referee = Referee(players, deck)
        size = HAND_SIZES[players]
        self.hands = [
            list(self.referee.deck[seat * size : (seat + 1) * size]) for seat in range(players)
        ]
        self.dealt = size * players
        self.lost: list[Card] = []

    @property
    def piles(self) -> Piles:
        return Piles(self.referee.fireworks, tuple(self.lost))

    @property
    def tokens(self) -> int:
        return self.referee.history[-1].tokens if self.referee.turn > 1 else 8

    def apply(self, move: Move) -> None:
        hand = self.hands[self.referee.seat]
        past = self.referee.apply(move)
        if isinstance(move, Play | Discard):
            card = hand.pop(move.slot)
            self.lost += [] if past.scored else [card]
            hand += self.referee.deck[self.dealt : self.dealt + 1]
            self.dealt += 1

    def slots(self, wanted: int) -> list[int]:
        """The slots of the player to move whose card is of these types."""
        return [
            slot for slot, card in enumerate(self.hands[self.referee.seat]) if mask([card]) & wanted
        ]

    def first(self, *moves: Move) -> Move:
        """The first of these that is legal, else a hint, else anything."""
        legal = self.referee.legal()
        hints = (move for move in legal if isinstance(move, Hint))
        return next((move for move in (*moves, *hints) if move in legal), legal[0])


def best(game: OpenGame) -> Move:
    """Plays what fits, else discards what is not needed, else hints."""
    piles = game.piles
    plays: list[Move] = [Play(slot=slot) for slot in game.slots(piles.playable)]
    dead: list[Move] = [Discard(slot=slot) for slot in game.slots(piles.dead)]
    if game.tokens:
        return game.first(*plays, *(dead if game.tokens < 5 else ()))
    return game.first(*plays, *dead, *(Discard(slot=slot) for slot in game.slots(~piles.critical)))


def lost(game: OpenGame) -> Move:
    """Plays what does not fit."""
    return game.first(*(Play(slot=slot) for slot in game.slots(~game.piles.playable)))


def idle(game: OpenGame) -> Move:
    """Discards the newest card that is not critical, else hints."""
    return game.first(*(Discard(slot=slot) for slot in reversed(game.slots(~game.piles.critical))))


CHOOSE: dict[str, Callable[[OpenGame], Move]] = {"lives_lost": lost, "deck_exhausted": idle}


def moves_of(players: int, deck: Sequence[str], end: str) -> list[Move]:
    """The moves of a game that ends so."""
    game = OpenGame(players, deck)
    made = list[Move]()
    while not game.referee.over and not (
        end in ("max_turns", "unfinished") and len(made) == STOPPED
    ):
        made.append(CHOOSE.get(end, best)(game))
        game.apply(made[-1])
    return made


@cache
def easy_deck(players: int) -> tuple[Card, ...]:
    """A shuffled deck from which the player `best` reaches 25 points."""
    for number in range(100):
        deck = [card for card in CARDS for _ in range(card.copies)]
        Random(f"{players} {number}").shuffle(deck)
        game = OpenGame(players, deck)
        while not game.referee.over:
            game.apply(best(game))
        if game.referee.end == "perfect":
            return tuple(deck)
    raise AssertionError("no deck is easy")


def dead_end() -> tuple[list[Card], list[Move]]:
    """A deck and forty moves that discard all fifteen 1s, so that no card can score any more."""
    ones = [card for card in CARDS if card.rank == 1]
    deck = [
        card
        for group in (ones, (card for card in CARDS if card.rank > 1))
        for card in group
        for _ in range(card.copies)
    ]
    game = OpenGame(2, deck)
    moves = list[Move]()
    for turn in range(40):
        other = game.hands[1 - game.referee.seat][0]
        hint = HintColour(to=1 - game.referee.seat, colour=other.colour)
        moves.append(hint if turn % 4 < 2 else Discard(slot=0))
        game.apply(moves[-1])
    return deck, moves


def follower(moves: Sequence[Move], why: str = "as planned") -> Seat:
    async def follow(view: View, memory: Memory) -> Decision:
        return Decision(moves[view.turn - 1], why)

    return follow


def followed(
    path: Path, players: int, deck: Iterable[str], moves: Sequence[Move], why: str = "as planned"
) -> list[Event]:
    """Write the journal of a game of these moves."""
    events: list[Event] = []
    seat = follower(moves, why)
    play(
        seat,
        players=players,
        deck=tuple(deck),
        journal=path,
        max_turns=len(moves),
        sink=events.append,
    )
    return events


def journal_of(path: Path, players: int, end: str, why: str = "as planned") -> list[Event]:
    """Write the journal of a game that ends so; an unfinished one is cut after a move."""
    deck = easy_deck(players)
    events = followed(path, players, deck, moves_of(players, deck, end), why)
    if end != "unfinished":
        return events
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), "utf-8")
    return events[:-1]
