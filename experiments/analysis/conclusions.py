"""What can and cannot be concluded from an analysis, in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from experiments.analysis import rare_strike_outs, stopping
from experiments.analysis.analysis import DOUBTFUL, OTHER, Analysis
from experiments.analysis.caveats import caveats, last
from experiments.analysis.differences import Difference
from experiments.analysis.summaries import WITHHELD, Summary
from experiments.statistics.estimates import ALPHA, ROUNDING, unseen_share
from experiments.statistics.permutation import fewest_pairs, least_p
from roles.words import percent

NAMED = 3
"""Arms that a sentence names; more are counted."""
FEW = 10
"""Deals up to which a warning is given."""
PROGRAMS = "All of these are games of programs: no model was asked."


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """A sentence or two for each arm, pooled over player counts; then what a reader of the numbers must know."""
    return (
        *_withheld(analysis),
        *(stopping.sentences(analysis.stopped) if analysis.stopped else ()),
        *(compared(one, is_testable(one, analysis.differences)) for one in widest(analysis.differences)),
        *_by_the_other_score(analysis),
        *_warnings(analysis.differences),
        *(rare_strike_outs.warning(analysis.summaries) if analysis.metric == "strict" else ()),
        *(_flag(one) for one in analysis.summaries if one.arm in analysis.flagged and _to_flag(one, analysis)),
        *_replayed(analysis.summaries),
        *_players(analysis.summaries),
    )


def claims(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences that the sentences claim. Figures and tables mark these and no others: where an arm is pooled
    over player counts, a single count is no claim of its own, since it is not corrected for the other counts."""
    return tuple(one for one in widest(differences) if one.claimed)


def _withheld(analysis: Analysis) -> Iterator[str]:
    if analysis.withheld:
        few = f"fewer than {percent(WITHHELD)} of the moves are the model's own"
        yield f"No comparison is made with {_listed(analysis.withheld)}: {few}."


def as_data(analysis: Analysis) -> dict[str, Any]:
    """The analysis as plain data, with its caveats and sentences under `said`."""
    unforced = None if analysis.unforced is None else as_data(analysis.unforced)
    plain = asdict(replace(analysis, stopped=None, unforced=None))
    stopped = analysis.stopped.data if analysis.stopped else None
    said = [*caveats(analysis), *sentences(analysis)]
    return {**plain, "unforced": unforced, "stopped": stopped, "said": said}


def widest(differences: Sequence[Difference]) -> list[Difference]:
    """The pooled difference of each arm; all its differences where nothing could be pooled."""
    pooled = {(one.arm, one.baseline) for one in differences if one.players is None}
    return [one for one in differences if one.players is None or (one.arm, one.baseline) not in pooled]


def _to_flag(summary: Summary, analysis: Analysis) -> bool:
    """Whether it is the last summary of its arm, the one that is pooled where possible, and no caveat says it."""
    return summary in last(analysis.summaries) and not (summary.own_share is not None and summary.own_share < DOUBTFUL)


def compared(one: Difference, testable: bool = True) -> str:
    """What a difference shows, and what it leaves open; `testable`: whether its p could be significant at all."""
    return f"{_found(one, testable)}{_left_out(one)}."


def _found(one: Difference, testable: bool) -> str:
    at = f"{one.baseline} {_at(one.counts)}"
    if one.p is None:
        return _untested(one, at)
    if not one.se:
        averaged = ", averaged over these counts" if one.players is None else ""
        return f"{one.arm} {_less(one, at)} in each of {one.n} {one.unit}{averaged}; {_may_differ(one)}"
    mean = f"{signed(one.mean)} {one.measured_in}"
    if not testable:
        none = f"with so few {one.unit} none could be significant"
        sample = f"{_sample(one)}{_alike(one)}"
        return f"{one.arm}: no significant difference from {at}; {none} ({mean}, {sample})"
    p = pvalue(one.p_holm)
    corrected = f"p {'' if p.startswith('<') else '= '}{p}"
    corrected = f"corrected {corrected}" if one.stop else f"Holm {corrected}"
    bounds = f"{corrected_interval(one)}, {corrected}, {_sample(one)}{_alike(one)}"
    if one.claimed:
        return f"{one.arm} {_less(one, at)} ({bounds})"
    return f"{one.arm}: no significant difference from {at} ({mean}; {bounds}). {_excluded(one)}"


def _untested(one: Difference, at: str) -> str:
    """Why there is no test."""
    if one.alike == one.n:
        same = f"the same games in {one.n} of {one.n} {one.unit if one.n > 1 else one.unit.removesuffix('s')}"
        return f"{one.arm} and {at}: {same}, move by move, so there is nothing to compare"
    if one.n > 1:
        return f"{one.arm} {_less(one, at)}; all {one.n} repeats are the same game, so nothing can be concluded"
    many = "one deal, played once by each" if one.unit == "repeats" else "a single pair"
    return f"{one.arm} {_less(one, at)}; nothing can be concluded from {many}"


def corrected_interval(one: Difference) -> str:
    """At the level at which Holm's correction tests it, so that it never contradicts the corrected p."""
    if one.low_holm is None or one.high_holm is None:
        return "no interval"
    confidence = f"{100 * (1 - (one.level or ALPHA)):.4g} %"
    return f"{confidence} interval {signed(one.low_holm)} to {signed(one.high_holm)}"


def _excluded(one: Difference) -> str:
    """What a null result shows all the same."""
    if one.low_holm is None or one.high_holm is None:
        return "No difference is excluded"
    loss, gain = f"{size(one.low_holm)} {one.measured_in}", size(one.high_holm)
    if not _is_score(one):
        lost, more = size(one.low_holm), size(one.high_holm)
        return f"The interval excludes over {lost} fewer and over {more} more {one.measured_in}"
    return f"The interval excludes a loss of over {loss} and a gain of over {gain}; anything between is possible"


def _alike(one: Difference) -> str:
    return f", the same games in {one.alike} of them" if one.alike else ""


def _less(one: Difference, than: str) -> str:
    if abs(one.mean) < ROUNDING:
        return f"scores as much as {than}" if _is_score(one) else f"has as much as {than} ({one.measured_in})"
    if _is_score(one):
        return f"scores {size(one.mean)} {one.measured_in} {'more' if one.mean > 0 else 'less'} than {than}"
    side = "more" if one.mean > 0 else "fewer"
    judged = f" ({'better' if one.better == side else 'worse'})" if one.better else ""
    return f"has {size(one.mean)} {side} {one.measured_in}{judged} than {than}"


def _is_score(one: Difference) -> bool:
    return one.metric in OTHER


def size(value: float) -> str:
    """Without sign: two decimals, four where it is small."""
    return f"{abs(value):.2f}" if abs(value) >= 0.095 or not value else f"{abs(value):.4f}"


def signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{size(value)}"


def _at(counts: Sequence[int]) -> str:
    return f"at {_listed(list(map(str, counts)))} players"


def _listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _sample(one: Difference) -> str:
    many = f"{one.n} {one.unit if one.n > 1 else one.unit.removesuffix('s')}"
    return f"{many} of each count" if one.players is None else many


def pvalue(p: float | None) -> str:
    """`.042`, `< .001`; a dash for none."""
    if p is None:
        return "-"
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def _may_differ(one: Difference) -> str:
    """In how many units the difference may be another one, when it is the same in all n."""
    return f"it may differ in up to {percent(unseen_share(one.n))} of other {one.unit} (95 % confidence){_alike(one)}"


def _left_out(one: Difference) -> str:
    if not one.left_out:
        return ""
    lacking = "a counterpart" if _is_score(one) else "a counterpart or a value"
    return f"; {one.left_out} {'game' if one.left_out == 1 else 'games'} without {lacking} left out"


def _warnings(differences: Sequence[Difference]) -> Iterator[str]:
    if any(one.unit == "repeats" for one in differences):
        yield "With a single deal all results are conditional on this deal: nothing follows for other deals."
    shown = [one for one in widest(differences) if not one.stop]
    yield from dict.fromkeys(_untestable(one, differences) for one in shown if not is_testable(one, differences))
    able = [one for one in differences if one.p is not None and not one.stop and is_testable(one, differences)]
    if any(one.unit == "deals" and one.n <= FEW for one in able):
        yield f"{FEW} deals or fewer can show only large effects."
    yield from _planning([one for one in shown if is_testable(one, differences)], differences)


def _planning(shown: Sequence[Difference], differences: Sequence[Difference]) -> Iterator[str]:
    """What another experiment of this size could detect, where this one does not show a difference."""
    mdes = [one.mde for one in shown if one.mde is not None]
    if mdes and not all(one.claimed for one in shown):
        tests = max(_tested(one, differences) for one in shown)
        least, most = min(mdes), max(mdes)
        points = shown[0].measured_in
        effects = f"{least:.2f} {points}" if most - least < 0.005 else f"{least:.2f} to {most:.2f} {points}, by arm"
        yield (
            f"For planning only: with 80 % power, another experiment of this size detects a true difference of "
            f"{effects}, corrected for {_arms(tests)}."
        )


def _arms(number: int) -> str:
    return "one arm" if number == 1 else f"{number} arms"


def _by_the_other_score(analysis: Analysis) -> Iterator[str]:
    """The arms on which the two scores do not agree."""
    if analysis.metric not in OTHER:
        for one in widest(analysis.other_differences):
            yield f"By the {one.metric} score: {compared(one, is_testable(one, analysis.other_differences))}"
        return
    headline = {(one.arm, one.baseline, one.players): one.claimed for one in widest(analysis.differences)}
    for one in widest(analysis.other_differences):
        claimed = headline.get((one.arm, one.baseline, one.players))
        if claimed is not None and claimed != one.claimed and one.p is not None:
            said = compared(one, is_testable(one, analysis.other_differences))
            yield f"By the {one.metric} score instead: {said}"


def is_testable(one: Difference, all_of_them: Sequence[Difference]) -> bool:
    """Whether its p with Holm's correction could be below 5 % at all."""
    if one.p is None:
        return True
    if one.stop:
        return one.low_holm is not None
    return least_p(one.n, groups=one.unit == "repeats") * _tested(one, all_of_them) < ALPHA


def _tested(one: Difference, all_of_them: Sequence[Difference]) -> int:
    """How many p-values it is corrected for."""
    return sum(other.players == one.players and other.p is not None for other in all_of_them)


def _untestable(one: Difference, all_of_them: Sequence[Difference]) -> str:
    arms = _tested(one, all_of_them)
    enough = f"; with {fewest_pairs(arms)} it could" if one.unit == "deals" else ""
    return (
        f"With {one.n} {one.unit} and {_arms(arms)} to compare, no Holm p can be below .05, however large the effect"
        f"{enough}."
    )


def _flag(one: Summary) -> str:
    return (
        f"{one.arm}: {percent(one.forced_share)} of its moves were forced: a program chose them, and safely, which "
        "makes a failing model look better than it is."
    )


def _replayed(summaries: Sequence[Summary]) -> Iterator[str]:
    """The arms whose repeats cannot differ, such as those of programs."""
    if arms := [one.arm for one in last(summaries) if one.replayed]:
        yield f"In {_named(arms, summaries)} all repeats of a deal are the same game, so they add nothing to its first."


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
        return _listed(arms)
    if len(others) <= NAMED:
        return f"all arms but {_listed(others)}"
    return f"{len(arms)} of {len(arms) + len(others)} arms"
