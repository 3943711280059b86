"""What can and cannot be concluded from an analysis, in sentences."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from experiments.statistics.analysis import Analysis, Difference, Summary
from experiments.statistics.power import ALPHA
from roles.words import percent

NAMED = 3
"""Arms that a sentence names; of more it says how many."""
MOST = 25
"""Points: no difference is larger."""
FEW = 10
"""Deals, up to which a warning is given."""
PROGRAMS = "All of these are games of programs: no model was asked."
SIMULATED = "Simulated models are programs that err at stated rates; their scores say nothing of a model."


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """A sentence or two for each arm, over all its player counts; then what a reader of the figures must know."""
    return (
        *(compared(one, _hopes(one, analysis.differences)) for one in _widest(analysis.differences)),
        *_warnings(analysis.differences),
        *(_flag(one) for one in analysis.summaries if one.arm in analysis.flagged and _whole(one, analysis)),
        *_made(analysis.summaries),
    )


def as_data(analysis: Analysis) -> dict[str, Any]:
    """The analysis as plain data, with its sentences under `said`."""
    unforced = None if analysis.unforced is None else as_data(analysis.unforced)
    return {**asdict(analysis), "unforced": unforced, "said": list(sentences(analysis))}


def _widest(differences: Sequence[Difference]) -> list[Difference]:
    """Of each arm the pooled one; where nothing could be pooled, all."""
    pooled = {(one.arm, one.baseline) for one in differences if one.players is None}
    return [one for one in differences if one.players is None or (one.arm, one.baseline) not in pooled]


def _whole(summary: Summary, analysis: Analysis) -> bool:
    """Whether it is the last of its arm, which is over all that can be pooled."""
    return summary is [one for one in analysis.summaries if one.arm == summary.arm][-1]


def compared(one: Difference, hopes: bool = True) -> str:
    """What a difference shows, and what it leaves open; it `hopes` where an effect could be shown at all."""
    return f"{_found(one, hopes)}{_gone(one)}."


def _found(one: Difference, hopes: bool) -> str:
    at = f"{one.baseline} {_at(one.counts)}"
    if one.low is None or one.high is None:
        many = "one deal, played once by each," if one.unit == "repeats" else "a single pair"
        return f"{one.arm} {_less(one.mean, at)}; of {many} nothing can be concluded"
    if one.mde is None:
        averaged = ", averaged over these counts" if one.players is None else ""
        return f"{one.arm} {_less(one.mean, at)} in each of {one.n} {one.unit}{averaged}; {_never_else(one)}"
    p = pvalue(one.p_holm)
    bounds = f"95 % {one.low:+.2f} to {one.high:+.2f}, Holm p {'' if p.startswith('<') else '= '}{p}, {_sample(one)}"
    if one.p_holm is not None and one.p_holm < ALPHA:
        return f"{one.arm} {_less(one.mean, at)} ({bounds})"
    if not hopes:
        return f"{one.arm}: no effect shown against {at}, nor could one be with so few ({one.mean:+.2f}; {bounds})"
    return f"{one.arm}: no effect shown against {at} ({one.mean:+.2f}; {bounds}). {_missed(one.mde)}"


def _missed(mde: float) -> str:
    """What may be there all the same."""
    if mde > MOST:
        return "Hardly any true difference would have been seen in four such runs of five; none can be excluded"
    return (
        f"A true difference of {mde:.2f} or more would have been seen in four such runs of five; a smaller one cannot "
        "be excluded"
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


def _never_else(one: Difference) -> str:
    """What n alike of n leave open: with a larger share of others, one would have come up in 95 % of such runs."""
    return f"in how many others it would be otherwise is not known: up to {percent(1 - ALPHA ** (1 / one.n))}"


def _gone(one: Difference) -> str:
    if not one.left_out:
        return ""
    return f"; {one.left_out} {'game' if one.left_out == 1 else 'games'} without a partner left out"


def _warnings(differences: Sequence[Difference]) -> Iterator[str]:
    if any(one.unit == "repeats" for one in differences):
        yield "With one deal all that is said is conditional on this deal: nothing follows for others."
    yield from dict.fromkeys(_hopeless(one, differences) for one in differences if not _hopes(one, differences))
    few = [one for one in differences if one.unit == "deals" and one.n <= FEW]
    if few:
        hopeful = [one for one in few if _hopes(one, differences)]
        seen = [one.mde for one in hopeful if one.mde is not None and one.mde <= MOST]
        least = f": at best differences of {min(seen):.1f} points or more can be expected to be seen" if seen else ""
        yield f"{FEW} deals or fewer show nothing but large effects{least}."


def _hopes(one: Difference, all_of_them: Sequence[Difference]) -> bool:
    """Whether its corrected p can be below 5 % at all."""
    return _least_p(one, all_of_them) < ALPHA


def _least_p(one: Difference, all_of_them: Sequence[Difference]) -> float:
    """What p would be if every pair went the same way; 0 for what is not tested."""
    if one.p is None:
        return 0.0
    relabellings = math.comb(2 * one.n, one.n) if one.unit == "repeats" else 2**one.n
    return 2 / relabellings * _tested(one, all_of_them)


def _tested(one: Difference, all_of_them: Sequence[Difference]) -> int:
    """How many p values it is corrected for."""
    return sum(other.players == one.players and other.p is not None for other in all_of_them)


def _hopeless(one: Difference, all_of_them: Sequence[Difference]) -> str:
    arms = _tested(one, all_of_them)
    compared = "one arm" if arms == 1 else f"{arms} arms"
    return f"With {one.n} {one.unit} and {compared} to compare no Holm p can be below .05, however large the effect."


def _flag(one: Summary) -> str:
    return (
        f"{one.arm}: {percent(one.forced_share)} of its moves were forced; a program chose them, safely, "
        "which flatters a model that fails."
    )


def _made(summaries: Sequence[Summary]) -> Iterator[str]:
    """Who played, where it was not a model."""
    if not summaries:
        return
    programs = list(dict.fromkeys(one.arm for one in summaries if one.program))
    if all(one.program for one in summaries):
        yield PROGRAMS
    elif programs:
        yield f"In {_named(programs, summaries)} no model was asked: programs played."
    if any(one.simulated for one in summaries):
        yield SIMULATED


def _named(arms: Sequence[str], summaries: Sequence[Summary]) -> str:
    """Some of the arms in words: those, or all but those, as far as they are few."""
    others = list(dict.fromkeys(one.arm for one in summaries if one.arm not in arms))
    if len(arms) <= NAMED:
        return ", ".join(arms)
    if len(others) <= NAMED:
        return f"all arms but {', '.join(others)}"
    return f"{len(arms)} of {len(arms) + len(others)} arms"
