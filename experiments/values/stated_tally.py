"""How often what replies of a game stated came true, by how likely they called it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from experiments.values.role_marks import StatedOutcome

BINS = 10
"""Probabilities are counted in so many equal ranges."""


class Stated(NamedTuple):
    """Statements that are counted together."""

    role: str
    kind: str
    """What was stated, such as `card is critical, in words`."""
    said: str
    """The category in the reply's word, or the range of the probability: `0.2 to 0.3`."""
    chance: bool
    """Whether a probability was stated."""


class StatedTally(NamedTuple):
    """Of one game."""

    statements: int
    true: int
    likely: float
    """The sum of the stated probabilities; 0 for categories."""


def stated_tallies(stated: Iterable[StatedOutcome]) -> Mapping[Stated, StatedTally]:
    """The statements of a game, counted."""
    groups: dict[Stated, list[StatedOutcome]] = defaultdict(list)
    for outcome in stated:
        groups[_key(outcome)].append(outcome)
    return {key: _tally(each) for key, each in groups.items()}


def _key(outcome: StatedOutcome) -> Stated:
    if outcome.probability is None:
        return Stated(outcome.role, outcome.kind, outcome.category or "", chance=False)
    place = min(int(outcome.probability * BINS), BINS - 1)
    return Stated(outcome.role, outcome.kind, f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}", chance=True)


def _tally(each: list[StatedOutcome]) -> StatedTally:
    return StatedTally(
        len(each), sum(outcome.true for outcome in each), sum(outcome.probability or 0.0 for outcome in each)
    )
