"""The rules of one deal: turns, tricks, wind, ends, points (paper, appendix A.1, parts 1, 3, 5 and 6).

Seats 0 and 2 play against 1 and 3, and seat 0 leads. A trick ends when all others pass; who played last leads again, or
the partner when that player is out (wind). The deal ends as soon as a team is out, or three players are. There is no
tribute: deals are independent of each other.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.guandan.cards import PLAYERS, hands_of, in_order, level_of
from hanabi_orchestrator.orchestrator.guandan.listing import legal_moves
from hanabi_orchestrator.orchestrator.guandan.plays import Combination, Move, Pass, beats, flaw
from hanabi_orchestrator.orchestrator.guandan.view import Past, View, partner_of

End = Literal["first_second", "first_third", "first_last"]
"""The places of the team that won: both first, or the first and the place of the partner."""

POINTS: dict[End, int] = {"first_second": 4, "first_third": 2, "first_last": 1}
"""What the winning team gets; the other team loses as much."""
_ENDS: tuple[End, ...] = ("first_second", "first_third", "first_last")


def check_players(players: int) -> int:
    if type(players) is not int or players != PLAYERS:
        raise UserError(f"Guandan is for {PLAYERS} players, not {players}")
    return players


class Referee:
    """One deal: whose turn it is, what each seat may know, what is legal, how it ended."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: the level, then 27 cards for each seat, as `cards.deal` gives it. Raises UserError."""
        self.players = check_players(players)
        self.level = level_of(deck)
        self.deck = tuple(deck)
        self._hands = [in_order(hand, self.level) for hand in hands_of(deck)]
        self._history: list[Past] = []
        self._placing: list[int] = []
        self._seat = 0
        self._trick: Combination | None = None
        self._owner: int | None = None
        self._passes = 0
        self._tricks = 1
        self._legal: tuple[Move, ...] | None = None

    # Public facts

    @property
    def turn(self) -> int:
        """1 is the first move."""
        return len(self._history) + 1

    @property
    def over(self) -> bool:
        return self.end is not None

    @property
    def end(self) -> End | None:
        """How the deal ended; None before its end."""
        if not self._placing:
            return None
        partner = partner_of(self._placing[0])
        if partner in self._placing:
            return _ENDS[self._placing.index(partner) - 1]
        return "first_last" if len(self._placing) == PLAYERS - 1 else None

    @property
    def seat(self) -> int:
        """Whose turn it is. Raises IllegalMove when the deal is over."""
        if self.over:
            raise IllegalMove("the deal is over; it is nobody's turn")
        return self._seat

    @property
    def history(self) -> tuple[Past, ...]:
        """Every move as everybody saw it, oldest first."""
        return tuple(self._history)

    @property
    def placing(self) -> tuple[int, ...]:
        """The seats that are out, the first place first."""
        return tuple(self._placing)

    @property
    def cards_left(self) -> tuple[int, int, int, int]:
        """In the hands, by seat."""
        first, second, third, fourth = map(len, self._hands)
        return first, second, third, fourth

    @property
    def points(self) -> tuple[int, int]:
        """Of seats 0 and 2, and of seats 1 and 3: 4, 2 or 1 and as much below zero; zeros before the end."""
        if self.end is None:
            return 0, 0
        points = POINTS[self.end]
        return (points, -points) if self._placing[0] % 2 == 0 else (-points, points)

    def legal(self) -> tuple[Move, ...]:
        """Return the moves that the acting seat chooses from, in the order of the list; none when the deal is over."""
        if self._legal is None:
            self._legal = (
                () if self.over else legal_moves(self._hands[self._seat], self.level, self._trick)
            )
        return self._legal

    # Playing

    def apply(self, move: Move) -> Past:
        """Make a move of the acting seat; returns it as everybody saw it. Raises IllegalMove.

        The rules allow more than the list offers, such as other cards of the same ranks.
        """
        reason = "the deal is over" if self.over else self._objection(move)
        if reason:
            raise IllegalMove(f"{move} is not legal on turn {self.turn}: {reason}")
        seat = self._seat
        if isinstance(move, Combination):
            remaining = Counter(self._hands[seat]) - Counter(move.cards)
            self._hands[seat] = in_order(remaining.elements(), self.level)
            self._trick = move
            self._owner = seat
            self._passes = 0
            if not remaining:
                self._placing.append(seat)
        else:
            self._passes += 1
        past = Past(
            turn=self.turn,
            trick=self._tricks,
            seat=seat,
            move=move,
            cards_left=len(self._hands[seat]),
        )
        self._history.append(past)
        self._legal = None
        self._next()
        return past

    def _objection(self, move: Move) -> str | None:
        """Return what forbids a move of the acting seat, in words."""
        if isinstance(move, Pass):
            return None if self._trick else "who leads must play"
        lacking = Counter(move.cards) - Counter(self._hands[self._seat])
        if lacking:
            return f"the hand lacks {' '.join(sorted(lacking.elements()))}"
        problem = flaw(move, self.level)
        if problem:
            return problem
        if self._trick and not beats(move, self._trick, self.level):
            return f"it does not beat {self._trick}"
        return None

    def _next(self) -> None:
        """Find whose turn is next; all others' passes end the trick."""
        playing = [seat for seat in range(PLAYERS) if self._hands[seat]]
        rivals = [seat for seat in playing if seat != self._owner]
        if self._owner is not None and self._passes == len(rivals):
            leader = self._owner if self._owner in playing else partner_of(self._owner)
            self._seat = leader
            self._trick = None
            self._owner = None
            self._passes = 0
            self._tricks += 1
            return
        self._seat = (self._seat + 1) % PLAYERS
        while playing and self._seat not in playing:
            self._seat = (self._seat + 1) % PLAYERS

    # Views

    def view(self, seat: int | None = None, *, all_hands: bool = False) -> View:
        """Return what `seat` (default: the acting seat) may know now.

        `all_hands`: as a seat that cheats sees it, with all hands. Raises UserError where there is no such seat.
        """
        seat = self.seat if seat is None else seat
        if seat not in range(PLAYERS):
            raise UserError(f"there is no seat {seat}; the seats are 0 to {PLAYERS - 1}")
        acts = not self.over and seat == self._seat
        return View(
            seat=seat,
            turn=self.turn,
            level=self.level,
            hand=self._hands[seat],
            cards_left=self.cards_left,
            placing=self.placing,
            trick=self._trick,
            owner=self._owner,
            history=self.history,
            legal=self.legal() if acts else (),
            hands=tuple(self._hands) if all_hands else (),
        )


def rebuild(players: int, deck: Sequence[str], moves: Sequence[Move]) -> Referee:
    """Return the deal after `moves`. Raises IllegalMove where they do not fit."""
    referee = Referee(players, deck)
    for move in moves:
        referee.apply(move)
    return referee


__all__ = ["End", "Referee", "check_players", "rebuild"]
