"""What can and cannot be concluded from an analysis, in sentences."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from experiments.statistics.analysis import DOUBTFUL, Analysis
from experiments.statistics.caveats import caveats
from experiments.statistics.differences import Difference
from experiments.statistics.power import ALPHA
from experiments.statistics.summaries import WITHHELD, Summary
from roles.words import percent

NAMED = 3
"""Arms that a sentence names; more are counted."""
MOST = 25
"""Points: the largest possible difference."""
FEW = 10
"""Deals up to which a warning is given."""
PROGRAMS = "All of these are games of programs: no model was asked."


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """A sentence or two for each arm, pooled over player counts; then what a reader of the numbers must know."""
    return (
        *_withheld(analysis),
        *(compared(one, _testable(one, analysis.differences)) for one in widest(analysis.differences)),
        *_warnings(analysis.differences),
        *(_flag(one) for one in analysis.summaries if one.arm in analysis.flagged and _to_flag(one, analysis)),
        *_players(analysis.summaries),
    )


def _withheld(analysis: Analysis) -> Iterator[str]:
    if analysis.withheld:
        arms = " and ".join(", ".join(analysis.withheld).rsplit(", ", 1))
        yield f"No comparison is made with {arms}: fewer than {percent(WITHHELD)} of the moves are the model's own."


def as_data(analysis: Analysis) -> dict[str, Any]:
    """The analysis as plain data, with its caveats and sentences under `said`."""
    unforced = None if analysis.unforced is None else as_data(analysis.unforced)
    return {**asdict(analysis), "unforced": unforced, "said": [*caveats(analysis), *sentences(analysis)]}


def widest(differences: Sequence[Difference]) -> list[Difference]:
    """The pooled difference of each arm; all its differences where nothing could be pooled."""
    pooled = {(one.arm, one.baseline) for one in differences if one.players is None}
    return [one for one in differences if one.players is None or (one.arm, one.baseline) not in pooled]


def _to_flag(summary: Summary, analysis: Analysis) -> bool:
    """Whether it is the last summary of its arm, the one that is pooled where possible, and no caveat says it."""
    last = summary is [one for one in analysis.summaries if one.arm == summary.arm][-1]
    return last and not (summary.own_share is not None and summary.own_share < DOUBTFUL)


def compared(one: Difference, testable: bool = True) -> str:
    """What a difference shows, and what it leaves open; `testable`: whether its p could be significant at all."""
    return f"{_found(one, testable)}{_left_out(one)}."


def _found(one: Difference, testable: bool) -> str:
    at = f"{one.baseline} {_at(one.counts)}"
    if one.low is None or one.high is None:
        many = "one deal, played once by each" if one.unit == "repeats" else "a single pair"
        return f"{one.arm} {_less(one.mean, at)}; nothing can be concluded from {many}"
    if one.mde is None:
        averaged = ", averaged over these counts" if one.players is None else ""
        return f"{one.arm} {_less(one.mean, at)} in each of {one.n} {one.unit}{averaged}; {_may_differ(one)}"
    p = pvalue(one.p_holm)
    bounds = f"95 % {one.low:+.2f} to {one.high:+.2f}, Holm p {'' if p.startswith('<') else '= '}{p}, {_sample(one)}"
    if one.p_holm is not None and one.p_holm < ALPHA:
        return f"{one.arm} {_less(one.mean, at)} ({bounds})"
    if not testable:
        none = f"with so few {one.unit} none could be significant"
        return f"{one.arm}: no significant difference from {at}; {none} ({one.mean:+.2f}; {bounds})"
    return f"{one.arm}: no significant difference from {at} ({one.mean:+.2f}; {bounds}). {_missed(one.mde)}"


def _missed(mde: float) -> str:
    """Which effects may exist all the same."""
    if mde > MOST:
        return "Hardly any effect is detectable with 80 % power at alpha .05; none can be excluded"
    return (
        f"The smallest effect detectable with 80 % power at alpha .05 is {mde:.2f} points; smaller ones cannot be "
        "excluded"
    )


def _less(mean: float, than: str) -> str:
    if not mean:
        return f"scores as much as {than}"
    return f"scores {abs(mean):.2f} {'more' if mean > 0 else 'less'} than {than}"


def _at(counts: Sequence[int]) -> str:
    return f"at {' and '.join(', '.join(map(str, counts)).rsplit(', ', 1))} players"


def _sample(one: Difference) -> str:
    many = f"{one.n} {one.unit if one.n > 1 else one.unit.removesuffix('s')}"
    return f"{many} of each count" if one.players is None else many


def pvalue(p: float | None) -> str:
    """`.042`, `< .001`; a dash for none."""
    if p is None:
        return "-"
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def _may_differ(one: Difference) -> str:
    """The 95 % upper bound on the share of units that differ, when none of n did."""
    return f"it may differ in up to {percent(1 - ALPHA ** (1 / one.n))} of other {one.unit} (95 % confidence)"


def _left_out(one: Difference) -> str:
    if not one.left_out:
        return ""
    return f"; {one.left_out} {'game' if one.left_out == 1 else 'games'} without a counterpart left out"


def _warnings(differences: Sequence[Difference]) -> Iterator[str]:
    if any(one.unit == "repeats" for one in differences):
        yield "With a single deal all results are conditional on this deal: nothing follows for other deals."
    yield from dict.fromkeys(_untestable(one, differences) for one in differences if not _testable(one, differences))
    few = [one for one in differences if one.unit == "deals" and one.n <= FEW]
    if few:
        testable = [one for one in few if _testable(one, differences)]
        mdes = [one.mde for one in testable if one.mde is not None and one.mde <= MOST]
        least = f": at best, effects from {min(mdes):.1f} points are detectable with 80 % power" if mdes else ""
        yield f"{FEW} deals or fewer can show only large effects{least}."


def _testable(one: Difference, all_of_them: Sequence[Difference]) -> bool:
    """Whether its p with Holm's correction could be below 5 % at all."""
    return _least_p(one, all_of_them) < ALPHA


def _least_p(one: Difference, all_of_them: Sequence[Difference]) -> float:
    """The smallest possible p, when every pair favours the same arm; 0 for what is not tested."""
    if one.p is None:
        return 0.0
    relabellings = math.comb(2 * one.n, one.n) if one.unit == "repeats" else 2**one.n
    return 2 / relabellings * _tested(one, all_of_them)


def _tested(one: Difference, all_of_them: Sequence[Difference]) -> int:
    """How many p-values it is corrected for."""
    return sum(other.players == one.players and other.p is not None for other in all_of_them)


def _untestable(one: Difference, all_of_them: Sequence[Difference]) -> str:
    arms = _tested(one, all_of_them)
    compared = "one arm" if arms == 1 else f"{arms} arms"
    return f"With {one.n} {one.unit} and {compared} to compare, no Holm p can be below .05, however large the effect."


def _flag(one: Summary) -> str:
    return (
        f"{one.arm}: {percent(one.forced_share)} of its moves were forced: a program chose them, and safely, which "
        "makes a failing model look better than it is."
    )


def _players(summaries: Sequence[Summary]) -> Iterator[str]:
    """What played, where it was not a language model."""
    if not summaries:
        return
    programs = list(dict.fromkeys(one.arm for one in summaries if one.program))
    if all(one.program for one in summaries):
        yield PROGRAMS
    elif programs:
        yield f"In {_named(programs, summaries)} no model was asked: programs played."


def _named(arms: Sequence[str], summaries: Sequence[Summary]) -> str:
    """Arms in words: their names, or the names of all others, when there are few; otherwise their number."""
    others = list(dict.fromkeys(one.arm for one in summaries if one.arm not in arms))
    if len(arms) <= NAMED:
        return ", ".join(arms)
    if len(others) <= NAMED:
        return f"all arms but {', '.join(others)}"
    return f"{len(arms)} of {len(arms) + len(others)} arms"
