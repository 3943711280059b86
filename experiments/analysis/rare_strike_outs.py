"""The warning that strike-outs are too rare for the intervals of strict scores.

A strict score falls to 0 with the third life. Where that happened in few deals or none, the sample says little about
how often it happens, so its intervals are too narrow; `interval_coverage` measures by how much.
"""

from collections.abc import Iterator, Sequence

from experiments.analysis.caveats import last
from experiments.analysis.summaries import Summary
from roles.words import percent

FEWEST = 5
"""Deals with a struck-out game from which the intervals of strict scores cover as they should."""
NAMED = 3
"""Arms that the sentence names; more are counted."""


def warning(summaries: Sequence[Summary]) -> Iterator[str]:
    """For the arms that have an interval, and fewer such deals."""
    with_interval = [one for one in last(summaries) if one.low is not None]
    rare = [one for one in with_interval if one.struck_out_deals < FEWEST]
    if not rare:
        return
    named = ", ".join(one.arm for one in rare) if len(rare) <= NAMED else f"{len(rare)} of {len(with_interval)} arms"
    which = "every arm" if len(rare) == len(with_interval) > NAMED else named
    yield (
        f"Strike-outs are rare: fewer than {FEWEST} deals with one in {which}. The sample cannot tell how rare (up to "
        f"{percent(max(one.struck_out_high for one in rare))} of games), so 95 % intervals of these strict scores, and "
        "of differences among them, may hold the truth less often."
    )
