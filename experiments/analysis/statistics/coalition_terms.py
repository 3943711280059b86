"""What players add in a game of coalitions: linear combinations of the values of coalitions, as
weights.

All are means of derivatives. The derivative of some players at a coalition without them is the
value of the coalition with all of them, less what the smaller sets of them explain: of one player,
what they add by joining; of two, how much more each adds when the other is there. A Shapley value,
and Shapley's interaction index (Grabisch and Roubens 1999), give each size of the coalition the
same weight; a Banzhaf value gives each coalition the same.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from math import comb

Coalition = frozenset[str]
Weights = dict[Coalition, float]
"""The weight of each coalition's value; they sum to 0."""
Sizes = Sequence[Sequence[Coalition]]
"""Coalitions that players join, by their size, from the empty one on."""


def subsets(players: Iterable[str]) -> list[list[Coalition]]:
    """Return all coalitions of some players, by size."""
    names = list(players)
    subsets = []
    for size in range(len(names) + 1):
        subsets.append(list(map(frozenset, combinations(names, size))))
    return subsets


def derivative(players: Iterable[str], base: Coalition) -> Weights:
    """Return the derivative of players at a coalition that has none of them."""
    names = list(players)
    parts = chain.from_iterable(subsets(names))
    return {base | part: float((-1) ** (len(names) - len(part))) for part in parts}


def shapley(players: Sequence[str], sizes: Sizes) -> Weights:
    """Return the Shapley value of a player, or the Shapley interaction index of two, from the
    coalitions they join."""
    return _mean(players, sizes, [1 / len(sizes)] * len(sizes))


def banzhaf(players: Sequence[str], sizes: Sizes) -> Weights:
    """Return the Banzhaf value of a player: every coalition of the others has the same weight,
    however many there are of its size."""
    most = len(sizes) - 1
    return _mean(players, sizes, [comb(most, size) / 2**most for size in range(len(sizes))])


def difference(first: Weights, second: Weights) -> Weights:
    """Return one combination less another."""
    coalitions = dict.fromkeys([*first, *second])
    return {each: first.get(each, 0.0) - second.get(each, 0.0) for each in coalitions}


def _mean(players: Sequence[str], sizes: Sizes, shares: Sequence[float]) -> Weights:
    """Return the mean of derivatives; each size has its share, and its coalitions equal parts of
    it."""
    weights: Weights = {}
    for coalitions, share in zip(sizes, shares, strict=True):
        for coalition in coalitions:
            for reached, sign in derivative(players, coalition).items():
                weights[reached] = weights.get(reached, 0.0) + sign * share / len(coalitions)
    return weights
