"""What can and cannot be concluded from an analysis, in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from experiments.analysis import stopping
from experiments.analysis.analysis import DOUBTFUL, OTHER, Analysis
from experiments.analysis.caveats import NAMED, caveats, last, rare_strike_outs
from experiments.analysis.differences import Difference
from experiments.analysis.summaries import WITHHELD, Summary
from experiments.statistics.estimates import ALPHA, ROUNDING, unseen_share
from experiments.statistics.permutation import fewest_pairs, least_p
from roles.words import percent

FEW = 10
"""Deals up to which a warning is given."""
PROGRAMS = "All of these are games of programs: no model was asked."


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """Return a sentence or two for each arm, pooled over player counts; then what readers of the numbers must know."""
    return (
        *_withheld(analysis),
        *(stopping.sentences(analysis.stopped) if analysis.stopped else ()),
        *(compared(each, is_testable(each, analysis.differences)) for each in widest(analysis.differences)),
        *_by_the_other_score(analysis),
        *_warnings(analysis.differences),
        *(rare_strike_outs(analysis.summaries) if analysis.metric == "strict" else ()),
        *_flagged(analysis),
        *_replayed(analysis.summaries),
        *_programs(analysis.summaries),
    )


def claims(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Return the differences that the sentences claim. Figures and tables mark these and no others.

    Where an arm is pooled over player counts, a single count is no claim of its own, since it is not corrected for the
    other counts.
    """
    return tuple(each for each in widest(differences) if each.claimed)


def as_data(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as plain data, with its caveats and sentences under `said`."""
    return {
        **asdict(replace(analysis, summaries=(), stopped=None, unforced=None)),
        "summaries": [summary.data for summary in analysis.summaries],
        "unforced": None if analysis.unforced is None else as_data(analysis.unforced),
        "stopped": analysis.stopped.data if analysis.stopped else None,
        "said": [*caveats(analysis), *sentences(analysis)],
    }


def widest(differences: Sequence[Difference]) -> list[Difference]:
    """Return the pooled difference of each arm; all its differences where nothing could be pooled."""
    pooled = {(each.arm, each.baseline) for each in differences if each.players is None}
    return [each for each in differences if each.players is None or (each.arm, each.baseline) not in pooled]


def compared(difference: Difference, testable: bool = True) -> str:
    """Say what a difference shows, and what it leaves open; `testable`: whether its p could be significant at all."""
    left_out, lacking = difference.left_out, "a counterpart" if _is_score(difference) else "a counterpart or a value"
    games = f"; {left_out} {'game' if left_out == 1 else 'games'} without {lacking} left out" if left_out else ""
    return f"{_result(difference, testable)}{games}."


def _result(difference: Difference, testable: bool) -> str:
    arm, than = difference.arm, f"{difference.baseline} at {_listed(list(map(str, difference.counts)))} players"
    if difference.p is None:
        return _untested(difference, than)
    alike = f", the same games in {difference.alike} of them" if difference.alike else ""
    if not difference.se:
        averaged = ", averaged over these counts" if difference.players is None else ""
        others = f"it may differ in up to {percent(unseen_share(difference.n))} of other {difference.unit}"
        each = f"in each of {difference.n} {difference.unit}{averaged}"
        return f"{arm} {_less(difference, than)} {each}; {others} (95 % confidence){alike}"
    mean = f"{signed(difference.mean)} {difference.measured_in}"
    sample = f"{_units(difference)}{' of each count' if difference.players is None else ''}{alike}"
    if not testable:
        none = f"with so few {difference.unit} none could be significant"
        return f"{arm}: no significant difference from {than}; {none} ({mean}, {sample})"
    p = pvalue(difference.p_holm)
    corrected = f"{'corrected' if difference.stop else 'Holm'} p {'' if p.startswith('<') else '= '}{p}"
    bounds = f"{corrected_interval(difference)}, {corrected}, {sample}"
    if difference.claimed:
        return f"{arm} {_less(difference, than)} ({bounds})"
    return f"{arm}: no significant difference from {than} ({mean}; {bounds}). {_excluded(difference)}"


def _untested(difference: Difference, than: str) -> str:
    """Say why there is no test."""
    arm, n = difference.arm, difference.n
    if difference.alike == n:
        same = f"the same games in {n} of {_units(difference)}"
        return f"{arm} and {than}: {same}, move by move, so there is nothing to compare"
    if n > 1:
        return f"{arm} {_less(difference, than)}; all {n} repeats are the same game, so nothing can be concluded"
    sample = "one deal, played once by each" if difference.unit == "repeats" else "a single pair"
    return f"{arm} {_less(difference, than)}; nothing can be concluded from {sample}"


def corrected_interval(difference: Difference) -> str:
    """Return the interval at the level at which Holm's correction tests it, so that it never contradicts its p."""
    if difference.low_holm is None or difference.high_holm is None:
        return "no interval"
    confidence = f"{100 * (1 - (difference.level or ALPHA)):.4g} %"
    return f"{confidence} interval {signed(difference.low_holm)} to {signed(difference.high_holm)}"


def _excluded(difference: Difference) -> str:
    """Say what a null result shows all the same."""
    if difference.low_holm is None or difference.high_holm is None:
        return "No difference is excluded"
    loss, gain, unit = size(difference.low_holm), size(difference.high_holm), difference.measured_in
    if not _is_score(difference):
        return f"The interval excludes over {loss} fewer and over {gain} more {unit}"
    return f"The interval excludes a loss of over {loss} {unit} and a gain of over {gain}; anything between is possible"


def _less(difference: Difference, than: str) -> str:
    mean, unit = difference.mean, difference.measured_in
    if abs(mean) < ROUNDING:
        return f"scores as much as {than}" if _is_score(difference) else f"has as much as {than} ({unit})"
    if _is_score(difference):
        return f"scores {size(mean)} {unit} {'more' if mean > 0 else 'less'} than {than}"
    side = "more" if mean > 0 else "fewer"
    judged = f" ({'better' if difference.better == side else 'worse'})" if difference.better else ""
    return f"has {size(mean)} {side} {unit}{judged} than {than}"


def _is_score(difference: Difference) -> bool:
    return difference.metric in OTHER


def size(value: float) -> str:
    """Return the number without sign: two decimals, four where it is small."""
    return f"{abs(value):.2f}" if abs(value) >= 0.095 or not value else f"{abs(value):.4f}"


def signed(value: float) -> str:
    """Return the number with its sign."""
    return f"{'-' if value < 0 else '+'}{size(value)}"


def pvalue(p: float | None) -> str:
    """Return `.042`, `< .001`; a dash for none."""
    if p is None:
        return "-"
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def _listed(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _units(difference: Difference) -> str:
    """Return `8 deals`, `1 deal`."""
    return f"{difference.n} {difference.unit if difference.n > 1 else difference.unit.removesuffix('s')}"


def is_testable(difference: Difference, differences: Sequence[Difference]) -> bool:
    """Return whether its p with Holm's correction could be below 5 % at all."""
    if difference.p is None:
        return True
    if difference.stop:
        return difference.low_holm is not None
    return least_p(difference.n, groups=difference.unit == "repeats") * _tests(difference, differences) < ALPHA


def _tests(difference: Difference, differences: Sequence[Difference]) -> int:
    """Return how many p-values it is corrected for."""
    return sum(each.players == difference.players and each.p is not None for each in differences)


def _arms(number: int) -> str:
    return "one arm" if number == 1 else f"{number} arms"


def _withheld(analysis: Analysis) -> Iterator[str]:
    if analysis.withheld:
        few = f"fewer than {percent(WITHHELD)} of the moves are the model's own"
        yield f"No comparison is made with {_listed(analysis.withheld)}: {few}."


def _by_the_other_score(analysis: Analysis) -> Iterator[str]:
    """Say what the score shows beside another metric, or on which arms the two scores do not agree."""
    claimed = {(each.arm, each.baseline, each.players): each.claimed for each in widest(analysis.differences)}
    for each in widest(analysis.other_differences):
        sentence = compared(each, is_testable(each, analysis.other_differences))
        headline = claimed.get((each.arm, each.baseline, each.players))
        if analysis.metric not in OTHER:
            yield f"By the {each.metric} score: {sentence}"
        elif headline is not None and headline != each.claimed and each.p is not None:
            yield f"By the {each.metric} score instead: {sentence}"


def _warnings(differences: Sequence[Difference]) -> Iterator[str]:
    if any(each.unit == "repeats" for each in differences):
        yield "With a single deal all results are conditional on this deal: nothing follows for other deals."
    usual = [each for each in widest(differences) if not each.stop]
    yield from dict.fromkeys(_untestable(each, differences) for each in usual if not is_testable(each, differences))
    able = [each for each in differences if each.p is not None and not each.stop and is_testable(each, differences)]
    if any(each.unit == "deals" and each.n <= FEW for each in able):
        yield f"{FEW} deals or fewer can show only large effects."
    yield from _planning([each for each in usual if is_testable(each, differences)], differences)


def _untestable(difference: Difference, differences: Sequence[Difference]) -> str:
    tests = _tests(difference, differences)
    enough = f"; with {fewest_pairs(tests)} it could" if difference.unit == "deals" else ""
    return (
        f"With {difference.n} {difference.unit} and {_arms(tests)} to compare, no Holm p can be below .05, however "
        f"large the effect{enough}."
    )


def _planning(usual: Sequence[Difference], differences: Sequence[Difference]) -> Iterator[str]:
    """Say what another experiment of this size could detect, where this one does not show a difference."""
    mdes = [each.mde for each in usual if each.mde is not None]
    if mdes and not all(each.claimed for each in usual):
        tests = max(_tests(each, differences) for each in usual)
        least, most, points = min(mdes), max(mdes), usual[0].measured_in
        effects = f"{least:.2f} {points}" if most - least < 0.005 else f"{least:.2f} to {most:.2f} {points}, by arm"
        yield (
            f"For planning only: with 80 % power, another experiment of this size detects a true difference of "
            f"{effects}, corrected for {_arms(tests)}."
        )


def _flagged(analysis: Analysis) -> Iterator[str]:
    """Name the arms with many forced moves, where no caveat does."""
    for summary in last(analysis.summaries):
        if summary.arm in analysis.flagged and (summary.own_share is None or summary.own_share >= DOUBTFUL):
            yield (
                f"{summary.arm}: {percent(summary.forced_share)} of its moves were forced: a program chose them, and "
                "safely, which makes a failing model look better than it is."
            )


def _replayed(summaries: Sequence[Summary]) -> Iterator[str]:
    """Name the arms whose repeats cannot differ, such as those of programs."""
    if arms := [each.arm for each in last(summaries) if each.replayed]:
        yield f"In {_named(arms, summaries)} all repeats of a deal are the same game, so they add nothing to its first."


def _programs(summaries: Sequence[Summary]) -> Iterator[str]:
    """Name the arms in which no model was asked."""
    programs = list(dict.fromkeys(each.arm for each in summaries if each.provenance.only_programs))
    if summaries and all(each.provenance.only_programs for each in summaries):
        yield PROGRAMS
    elif programs:
        yield f"In {_named(programs, summaries)} no model was asked: programs played."


def _named(arms: Sequence[str], summaries: Sequence[Summary]) -> str:
    """Return arms in words: their names, or those of all others, when there are few; otherwise their number."""
    others = list(dict.fromkeys(each.arm for each in summaries if each.arm not in arms))
    if len(arms) <= NAMED:
        return _listed(arms)
    if len(others) <= NAMED:
        return f"all arms but {_listed(others)}"
    return f"{len(arms)} of {len(arms) + len(others)} arms"
