"""The recommender: legal moves in the order of how good they look from the own hand (in place of the paper's trained
tool, section 3.2).

A move that empties the hand comes first. Else a move is as good as what it saves of the hand's burden: the cheapest
play that breaks no group, the longest weak group when leading, bombs late, nothing over the partner's high card.
"""

from collections import Counter

from hanabi_orchestrator.orchestrator.guandan.burden import GAINS, burden
from hanabi_orchestrator.orchestrator.guandan.cards import ACE, Card, Level
from hanabi_orchestrator.orchestrator.guandan.plays import (
    SHAPES,
    Combination,
    Move,
    Pass,
    power,
    worth,
)
from hanabi_orchestrator.orchestrator.guandan.view import View

PER_CARD = 0.04
"""What each card of a lead adds."""
PER_VALUE = 0.012
"""What each step of value takes from a play."""
BOMB_CONTROL = 0.9
"""How likely a bomb wins its trick."""
SEQUENCE_CONTROL = 0.1
"""How likely the lowest sequence wins its trick; the highest by SEQUENCE_RANGE more."""
SEQUENCE_RANGE = 0.6
BOMB_PENALTY = 0.9
"""What a bomb is held back by while nobody is near the end."""
NEAR_END = 12
"""Cards of an opponent, from which bombs are held back less."""
PARTNERS_HIGH = 10
"""Value from which nothing is played over the partner's cards."""
OVER_PARTNER = 0.5
"""What a play over the partner is held back by."""
OUT = 100.0
"""The score of a move that empties the hand; never over the partner's high card: as much below zero."""


def ranked(view: View) -> tuple[Move, ...]:
    """Return the legal moves of a view, the best first; none when it is not the seat's turn."""
    if len(view.legal) < 2:
        return view.legal
    scores = {move: score(view, move) for move in view.legal}
    return tuple(
        sorted(view.legal, key=lambda move: -scores[move])
    )  # sorting keeps the list's order among equals


def score(view: View, move: Move) -> float:
    """Return how good a move looks, in tricks; a pass is 0."""
    if isinstance(move, Pass):
        return 0.0
    remaining = after_play(view, move)
    if not remaining:
        return OUT
    after = burden(remaining, view.level)
    gain = (
        burden(view.hand, view.level)
        - after
        + control(move, view.level)
        - PER_VALUE * worth(move, view.level)
    )
    if power(move):
        gain -= _held_back(view, after)
    if view.trick is None:
        return gain + PER_CARD * len(move.cards)
    if view.owner == view.partner:
        return gain - _over_partner(view, view.trick, move)
    return gain


def after_play(view: View, play: Combination) -> tuple[Card, ...]:
    """Return the cards that stay in the hand, in its order."""
    return tuple((Counter(view.hand) - Counter(play.cards)).elements())


def control(play: Combination, level: Level) -> float:
    """Return how likely a combination wins its trick, as a guess from its kind and rank, 0 to 1."""
    if power(play):
        return BOMB_CONTROL
    value = worth(play, level)
    if play.kind in SHAPES:
        return SEQUENCE_CONTROL + SEQUENCE_RANGE * value / ACE
    return GAINS[min(len(play.cards), 3)].get(value, 0.0)


def _over_partner(view: View, trick: Combination, move: Combination) -> float:
    high = (
        worth(trick, view.level) >= PARTNERS_HIGH
        or power(trick)
        or power(move)
        or len(trick.cards) >= 4
    )
    return OUT if high else OVER_PARTNER


def _held_back(view: View, after: float) -> float:
    """Return the penalty of a bomb: less, the nearer an opponent or the own hand is to the end."""
    fewest = min(view.cards_left[seat] for seat in view.opponents if view.cards_left[seat])
    far = min(1.0, max(fewest, 0) / NEAR_END)
    return BOMB_PENALTY * far * min(1.0, max(after, 0.0) / 2)
