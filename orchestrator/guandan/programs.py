"""Programs that choose moves: random, the paper's rule agent, and the first of the recommender's list."""

from collections.abc import Callable
from random import Random

from hanabi_orchestrator.orchestrator.guandan.planners import order_0, order_1, order_2
from hanabi_orchestrator.orchestrator.guandan.plays import Combination, Move, power, worth
from hanabi_orchestrator.orchestrator.guandan.view import View

Program = Callable[[View, Random], Move]
"""Chooses one of the legal moves of a view. Nothing but the view and the random numbers decides."""

ORDER = ("single", "pair", "trips", "full_house", "three_pairs", "two_trips", "straight")
"""Category one from the lowest kind; bombs, straight flushes and four jokers stand above by their power."""


def kind_rank(play: Combination) -> int:
    """Return the place of a combination's kind, from 0 for singles."""
    height = power(play)
    return len(ORDER) + height if height else ORDER.index(play.kind)


def at_random(view: View, chance: Random) -> Move:
    """Choose any legal move (paper, section 4, strategy `random`)."""
    return chance.choice(view.legal)


def best_kind_lowest_value(view: View, chance: Random) -> Move:
    """Choose the highest kind, and of it the lowest rank; pass only where nothing else is legal.

    This is the rule agent of the paper (section 4, strategy `bestP_lowV`). It plays over its partner, too.
    """
    plays = [move for move in view.legal if isinstance(move, Combination)]
    if not plays:
        return view.legal[0]
    return min(plays, key=lambda play: (-kind_rank(play), worth(play, view.level)))


PROGRAMS: dict[str, Program] = {
    "random": at_random,
    "bestP_lowV": best_kind_lowest_value,
    "ranked": order_0,
    "order_1": order_1,
    "order_2": order_2,
}
"""By name, from the weakest."""
