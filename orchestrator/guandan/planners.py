"""Planners of theory of mind of order 0, 1 and 2, as programs (paper, section 3.3).

Order 0 takes the first of the recommender's list. Order 1 weighs the first of the list by what others may hold, as
exact counts say it: who can beat a play, which opponent goes out on it, whether the partner can. Order 2
adds what others can know of the own hand.

In 200 deals (tests/orchestrator/guandan/test_programs.py under `PROVE=full`) order 1 scores 0.64 points a deal more
than order 0 (standard error 0.15). Order 2 is not shown to help: -0.03 beside order 1 (0.08). No program here reacts
to what it is led to believe, so there is little to gain from being misread.
"""

from random import Random

from hanabi_orchestrator.orchestrator.guandan.burden import burden
from hanabi_orchestrator.orchestrator.guandan.cards import Card
from hanabi_orchestrator.orchestrator.guandan.counting import Counted
from hanabi_orchestrator.orchestrator.guandan.plays import Combination, Move, Pass, power
from hanabi_orchestrator.orchestrator.guandan.ranking import OUT, after_play, control, ranked, score
from hanabi_orchestrator.orchestrator.guandan.view import View

CONSIDERED = 6
"""Moves of the list that are weighed; a pass always is."""
FEW = 6
"""Cards with which a hand may soon be out."""
DANGER = 2.0
"""Tricks that it costs when an opponent goes out."""
HELP = 0.5
"""Tricks that it saves when the partner goes out."""
CERTAINTY = 0.5
"""Weight of the exact chance to win a trick, beside the recommender's guess."""
SURPRISE = 0.3
"""Tricks that a bomb is worth more while nobody expects it."""
LOWEST = Combination(kind="single", rank=2, cards=(Card.S2,))
"""What any bomb beats."""
LAST_PLAY = 1.0
"""Tricks that a won trick saves when one play remains."""


def order_0(view: View, chance: Random) -> Move:
    """Choose the first of the recommender's list."""
    return ranked(view)[0]


def order_1(view: View, chance: Random) -> Move:
    """Choose what is best by the recommender and by what others may hold."""
    moves = considered(view)
    if len(moves) == 1:
        return moves[0]
    counted = Counted.by_seat(view)
    return max(moves, key=lambda move: first_order(view, counted, move))


def order_2(view: View, chance: Random) -> Move:
    """Choose like order 1, and keep a bomb that nobody can infer while no opponent is near the end."""
    moves = considered(view)
    if len(moves) == 1:
        return moves[0]
    counted = Counted.by_seat(view)
    public = Counted.by_everybody(view)
    return max(
        moves,
        key=lambda move: first_order(view, counted, move) - SURPRISE * surprise(view, public, move),
    )


def surprise(view: View, public: Counted, move: Move) -> float:
    """Return how little others expect a bomb from this seat that a move would show: 1 less their chance of one."""
    if isinstance(move, Pass) or not power(move) or len(move.cards) == len(view.hand):
        return 0.0
    if any(0 < view.cards_left[seat] <= FEW for seat in view.opponents):
        return 0.0
    return 1.0 - public.bombs(view.seat, LOWEST)


def considered(view: View) -> list[Move]:
    """Return the first of the recommender's list, with the pass where there is one."""
    moves = ranked(view)
    return [*moves[:CONSIDERED], *[move for move in moves[CONSIDERED:] if isinstance(move, Pass)]]


def first_order(view: View, counted: Counted, move: Move) -> float:
    """Return the recommender's score, corrected by what others may hold."""
    if isinstance(move, Pass):
        return _pass(view, counted)
    base = score(view, move)
    if base >= OUT:
        return base
    opponents = [seat for seat in view.opponents if view.cards_left[seat]]
    winning = 1.0
    for seat in opponents:
        winning *= 1.0 - counted.beats(seat, move)
    total = base + CERTAINTY * (winning - control(move, view.level))
    remaining = after_play(view, move)
    if _one_play(remaining, view):
        total += LAST_PLAY * winning
    for seat in opponents:
        total -= DANGER * _goes_out(view, counted, seat, move)
    return total + HELP * _goes_out(view, counted, view.partner, move)


def _one_play(hand: tuple[Card, ...], view: View) -> bool:
    return burden(hand, view.level) <= 1.0 and len(hand) <= 5


def _goes_out(view: View, counted: Counted, seat: int, move: Combination) -> float:
    """Return the chance that a seat plays all its cards on a combination of as many."""
    if view.cards_left[seat] != len(move.cards):
        return 0.0
    return counted.beats(seat, move)


def _pass(view: View, counted: Counted) -> float:
    """Return the worth of a pass: what it costs when the owner of the trick, near the end, leads again."""
    if view.trick is None or view.owner is None or view.owner == view.partner:
        return 0.0
    total = 0.0
    left = view.cards_left[view.owner]
    if 0 < left <= FEW and not power(view.trick):
        total -= DANGER * (1.0 - counted.beats(view.partner, view.trick)) * (1.0 - left / (FEW + 2))
    for seat in view.opponents:
        if seat != view.owner and view.cards_left[seat]:
            total -= DANGER * _goes_out(view, counted, seat, view.trick)
    return total
