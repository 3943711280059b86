"""The referee: the rules of Hanabi, by HLE's engine (see `engine`), and what each seat may know.

Every value is checked here before the engine sees it, which may abort the process, and all results are plain data, read
from the engine's text of a state. Cards are dealt one by one from a given deck, so that a game can be rebuilt from its
deck and moves alone.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.hanabi import engine
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    DECK_SIZE,
    HAND_SIZES,
    INDEX,
    RANKS,
    Card,
    Fireworks,
    check_deck,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    Hint,
    HintColour,
    HintRank,
    Move,
    Play,
)
from hanabi_orchestrator.orchestrator.hanabi.seeded_deal import seeded_deck
from hanabi_orchestrator.orchestrator.hanabi.state_text import card_knowledge, read_table
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, Past, View

MAX_SEED = 2**31 - 1
PERFECT = len(COLOURS) * len(RANKS)
"""The best score."""

End = Literal["perfect", "deck_exhausted", "lives_lost", "max_turns", "vote", "player", "clock"]
"""How a game ended; the last three are those of games that were given up at another table (see `GIVEN_UP`)."""

GIVEN_UP: frozenset[End] = frozenset({"vote", "player", "clock"})
"""Ends by no rule: the players voted, one of them ended the game, or time was up. The strict score is 0."""


def check_players(players: int) -> int:
    if type(players) is not int or players not in HAND_SIZES:
        raise UserError(f"Hanabi is for 2 to 5 players, not {players}")
    return players


def check_seed(seed: int) -> int:
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise UserError(f"a seed is a whole number from 0 to {MAX_SEED}, not {seed}")
    return seed


def deal(seed: int) -> tuple[Card, ...]:
    """HLE's own deck for a seed; the card dealt first comes first. It is the same at every player count."""
    return seeded_deck(check_seed(seed))


@cache
def _moves(players: int, seat: int) -> tuple[Move, ...]:
    """Return the moves that a seat may ever make, by HLE's numbers."""
    slots = range(HAND_SIZES[players])
    receivers = [(seat + step) % players for step in range(1, players)]
    moves: list[Move] = [Discard(slot=slot) for slot in slots]
    moves += [Play(slot=slot) for slot in slots]
    moves += [
        HintColour(to=receiver, colour=colour) for receiver in receivers for colour in COLOURS
    ]
    moves += [HintRank(to=receiver, rank=rank) for receiver in receivers for rank in RANKS]
    return tuple(moves)


@cache
def _numbers(players: int, seat: int) -> Mapping[Move, int]:
    return {move: number for number, move in enumerate(_moves(players, seat))}


class Referee:
    """One game from one deck: whose turn it is, what each seat may know, what is legal, how it ended."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: the 50 cards, the one dealt first comes first. Raises UserError for a player count outside 2-5 or a
        wrong deck."""
        self.players = check_players(players)
        try:
            self.deck = check_deck(deck)
        except ValueError as error:
            raise UserError(str(error)) from None
        self._game = engine.new_game(players)
        self._cards_dealt = 0
        self._history: list[tuple[Past, Card | None]] = []
        self._last_turn: int | None = None
        self._legal: Mapping[int, Move] | None = None
        self._deal()
        self._table = read_table(self._game.text())
        self._start = self._table.hands

    # Public facts

    @property
    def turn(self) -> int:
        """1 is the first move."""
        return len(self._history) + 1

    @property
    def over(self) -> bool:
        return self._game.over

    @property
    def end(self) -> End | None:
        if not self.over:
            return None
        if self.lives == 0:
            return "lives_lost"
        return "perfect" if self.score_kept == PERFECT else "deck_exhausted"

    @property
    def seat(self) -> int:
        """Whose turn it is. Raises IllegalMove when the game is over."""
        if self.over:
            raise IllegalMove("the game is over; it is nobody's turn")
        return self._game.seat

    @property
    def history(self) -> tuple[Past, ...]:
        """Every move as everybody saw it, oldest first, without the drawn cards."""
        return tuple(past for past, _ in self._history)

    @property
    def lives(self) -> int:
        return self._table.lives

    @property
    def fireworks(self) -> Fireworks:
        return self._table.fireworks

    @property
    def score_strict(self) -> int:
        """0 once the third life is lost."""
        return 0 if self.lives == 0 else self.score_kept

    @property
    def score_kept(self) -> int:
        """The points on the table, also after the third life is lost."""
        return sum(self.fireworks)

    def legal(self) -> tuple[Move, ...]:
        """Return the legal moves of the seat whose turn it is, in HLE's order; none when the game is over."""
        return tuple(self.uids().values())

    def uids(self) -> Mapping[int, Move]:
        """Return the legal moves by HLE's numbers for moves; none when the game is over."""
        if self._legal is None:
            moves = () if self.over else _moves(self.players, self.seat)
            self._legal = {number: moves[number] for number in self._game.legal()} if moves else {}
        return self._legal

    # Playing

    def apply(self, move: Move) -> Past:
        """Make a move of the acting seat; returns it as everybody saw it, with no drawn card. Raises IllegalMove."""
        number = None if self.over else _numbers(self.players, self.seat).get(move)
        if number is None or number not in self.uids():
            allowed = ", ".join(map(str, self.legal())) or "none, the game is over"
            raise IllegalMove(f"{move} is not legal on turn {self.turn}; legal: {allowed}")
        seat = self.seat
        before = self._table
        self._game.apply(number)
        self._legal = None
        drew = self._deal()
        self._table = read_table(self._game.text())
        past = Past(
            turn=self.turn,
            seat=seat,
            move=move,
            card=before.hands[seat][move.slot] if isinstance(move, Play | Discard) else None,
            scored=self.fireworks != before.fireworks if isinstance(move, Play) else None,
            slots=touched(move, before.hands[move.to]) if isinstance(move, Hint) else (),
            fireworks=self.fireworks,
            tokens=self._table.tokens,
            lives=self.lives,
        )
        self._history.append((past, drew))
        if drew and self._cards_dealt == DECK_SIZE:
            self._last_turn = past.turn + self.players
        return past

    def _deal(self) -> Card | None:
        """Deal until it is a player's turn; returns the card dealt last."""
        card = None
        while not self.over and self._game.dealing:
            card = self.deck[self._cards_dealt]
            self._game.deal(INDEX[card])
            self._cards_dealt += 1
        return card

    # Views

    def view(self, seat: int | None = None, *, own_hand: bool = False) -> View:
        """Return what `seat` (default: the acting seat) may know now.

        `own_hand`: as a seat that cheats sees it, with the own cards told as if hints had named them. Nobody else's
        view changes: what others know of that hand is still what hints said.
        """
        if own_hand:
            honest = self.view(seat)
            return seeing_own_hand(honest, self._table.hands[honest.seat])
        seat = self.seat if seat is None else seat
        if seat not in range(self.players):
            raise UserError(f"there is no seat {seat}; the seats are 0 to {self.players - 1}")
        table = self._table
        order = [(seat + step) % self.players for step in range(1, self.players)]
        acts = not self.over and seat == self.seat
        return View(
            players=self.players,
            seat=seat,
            turn=self.turn,
            fireworks=self.fireworks,
            tokens=table.tokens,
            lives=self.lives,
            deck_size=table.deck_size,
            discards=table.discards,
            own=table.knowledge[seat],
            hands=tuple(
                Hand(seat=s, cards=table.hands[s], known=table.knowledge[s]) for s in order
            ),
            dealt=tuple(() if s == seat else hand for s, hand in enumerate(self._start)),
            history=tuple(  # with the cards that others drew
                past
                if drew is None or past.seat == seat
                else past.model_copy(update={"drew": drew})
                for past, drew in self._history
            ),
            turns_left=None
            if self._last_turn is None
            else max(self._last_turn - len(self._history), 0),
            legal=self.legal() if acts else (),
        )

    def observed(self) -> str:
        """HLE's text of what the acting seat observes, its own cards as XX. Raises IllegalMove after the game."""
        return self._game.observed(self.seat)

    def encoded(self, seat: int) -> list[int]:
        """HLE's canonical encoding, in bits, of what a seat observes before a turn.

        Raises IllegalMove when the game is over.
        """
        if self.over:
            raise IllegalMove("the game is over; nothing is observed any more")
        if seat not in range(self.players):
            raise UserError(f"there is no seat {seat}; the seats are 0 to {self.players - 1}")
        return self._game.encoded(seat)


def touched(hint: Hint, hand: Sequence[Card]) -> tuple[int, ...]:
    """Return the slots of the receiver's hand that a hint touches."""
    if isinstance(hint, HintColour):
        return tuple(slot for slot, card in enumerate(hand) if card.colour == hint.colour)
    return tuple(slot for slot, card in enumerate(hand) if card.rank == hint.rank)


def seeing_own_hand(view: View, hand: Sequence[Card]) -> View:
    """Return a view of a seat that cheats: with the own cards told as if hints had named them."""
    return view.model_copy(update={"own": tuple(card_knowledge(f"{card}|{card}") for card in hand)})


def rebuild(players: int, deck: Sequence[str], moves: Sequence[Move]) -> Referee:
    """Return the game after `moves`, from its deck. Raises IllegalMove where they do not fit."""
    referee = Referee(players, deck)
    for move in moves:
        referee.apply(move)
    return referee


__all__ = ["MAX_SEED", "End", "Referee", "check_players", "check_seed", "deal", "rebuild"]
