"""What can and cannot be concluded from an analysis, in sentences."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from experiments.analysis import sentence_templates as say
from experiments.analysis import stopping
from experiments.analysis.analysis import DOUBTFUL, OTHER, Analysis
from experiments.analysis.caveats import NAMED, caveats, last, rare_strike_outs
from experiments.analysis.differences import Difference
from experiments.analysis.summaries import WITHHELD, Summary
from experiments.statistics.estimates import ALPHA, ROUNDING, unseen_share
from experiments.statistics.permutation import fewest_pairs, least_p
from roles.words import percent

FEW = 10
"""Deals up to which a sentence without a significant difference states what they can detect."""
MOST = 4
"""Arms without a significant difference that a verdict names where there are many arms; more are counted."""
MOSTLY = 0.5
"""The share of struck-out games from which the sentence of an arm states it."""
PROGRAMS = "All of these are games of programs: no model was asked."


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """Return the verdict, then what readers of the numbers must know."""
    return (*verdict(analysis), *notes(analysis))


def verdict(analysis: Analysis, more: Mapping[str, str] = {}, arms: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return a sentence for each arm, pooled over player counts, with its caution.

    `more`: by arm, a clause for its sentence. `arms`: name these alone; None: all.
    """
    effects = [each for each in widest(analysis.differences) if arms is None or each.arm in arms]
    tested = [each for each in effects if is_testable(each)]
    named, others = _named_first(tested) if arms is None else (tested, 0)
    several = len({count for summary in analysis.summaries for count in summary.counts}) > 1
    return (
        *_withheld(analysis),
        *(f"{'; '.join(analysis.stopped.states)}." for _ in [0] if analysis.stopped),
        *(compared(each, counts=several, more=tuple(_clauses(each, analysis, more))) for each in named),
        *([say.OTHERS(n=others, than=tested[0].baseline)] if others else []),
        *_untested((each for each in effects if not is_testable(each)), analysis),
        *(
            say.STRUCK_OUT(arm=arm, struck_out=said)
            for arm in [analysis.baseline]
            for said in _struck_out(arm, analysis)
        ),
        *_by_the_score(analysis, several),
    )


def notes(analysis: Analysis) -> tuple[str, ...]:
    """Return what readers of the numbers must know beside the verdict."""
    return (
        *(stopping.sentences(analysis.stopped) if analysis.stopped else ()),
        *_warnings(analysis.differences),
        *(rare_strike_outs(analysis.summaries) if analysis.metric == "strict" else ()),
        *_flagged(analysis),
        *_replayed(analysis.summaries),
        *_programs(analysis.summaries),
    )


def _named_first(effects: Sequence[Difference]) -> tuple[Sequence[Difference], int]:
    """Return the effects to name, and the number of the others: of many arms, most of those that show nothing."""
    unshown = [each for each in effects if each.p is not None and not each.claimed]
    counted = unshown[MOST:] if len(effects) > 2 * MOST else []
    return [each for each in effects if each not in counted], len(counted)


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


def compared(difference: Difference, *, counts: bool = True, more: Sequence[str] = ()) -> str:
    """Return the sentence of a difference; `counts`: name the player counts; `more`: clauses that it ends with."""
    at = f" at {listed(list(map(str, difference.counts)))} players" if counts else ""
    than = f"{difference.baseline}{at}"
    alike = f", the same games in {difference.alike} of them" if difference.alike else ""
    pooled = difference.players is None and counts
    values: dict[str, object] = {
        "arm": difference.arm,
        "than": than,
        "n": difference.n,
        "units": _units(difference),
        "tests": difference.tests,
        "family": family(difference.tests),
        "change": f"{signed(difference.mean)} {difference.measured_in}",
        "difference": _difference(difference, than),
        "averaged": ", averaged over these counts" if pooled else "",
        "alike": alike,
        "percent": percent(unseen_share(difference.n)),
        "p": tested(difference),
        "more": "".join(f"; {clause}" for clause in (*more, *_left_out(difference))),
    }
    estimate = estimated(difference, alike, " of each count" if pooled else "")
    return _template(difference)(**values, estimate=estimate)


def _template(difference: Difference) -> say.Template:
    """Return the sentence that a difference has."""
    if difference.p is None:
        return say.SAME_GAMES if difference.alike == difference.n else say.REPEATED if difference.n > 1 else say.SINGLE
    if not is_testable(difference):
        return say.UNTESTED
    if not difference.se:
        return say.EQUAL if abs(difference.mean) < ROUNDING else say.SHOWN_EACH if difference.claimed else say.OPEN_EACH
    if difference.claimed:
        return say.SHOWN
    excludes = difference.low is not None and difference.high is not None and not difference.low <= 0 <= difference.high
    return say.NOT_CORRECTED if excludes else say.OPEN


def _clauses(difference: Difference, analysis: Analysis, more: Mapping[str, str]) -> Iterator[str]:
    """Return what the sentence of an arm adds: strike-outs, what few deals can detect, the other score, a given
    clause."""
    yield from _struck_out(difference.arm, analysis, difference.players)
    if difference.p is None or not is_testable(difference):
        return
    if _template(difference) is say.OPEN and difference.n <= FEW and difference.mde is not None:
        values = {"n": difference.n, "units": _units(difference), "unit": difference.measured_in}
        yield say.DETECTS(**values, size=size(difference.mde))
    least, shown = _least(difference), (say.SHOWN, say.SHOWN_EACH, say.NOT_CORRECTED)
    if _template(difference) in shown and 2 * least >= ALPHA and not difference.stop:
        values = {"n": difference.n, "units": _units(difference), "family": family(difference.tests)}
        yield say.LEAST_P(**values, least=pvalue(least))
    key = difference.arm, difference.baseline, difference.players
    others = {(each.arm, each.baseline, each.players): each for each in widest(analysis.other_differences)}
    other = others.get(key) if analysis.metric in OTHER else None
    if other is not None and other.p is not None and other.claimed != difference.claimed:
        template = say.OTHER_SHOWN if other.claimed else say.OTHER_OPEN
        yield template(metric=other.metric, p=tested(other))
    if clause := more.get(difference.arm):
        yield clause


def _left_out(difference: Difference) -> Iterator[str]:
    if difference.unvalued:
        yield say.NO_VALUE(games=difference.unvalued)
    if unpaired := difference.left_out - difference.unvalued:
        yield say.NO_COUNTERPART(games=unpaired)


def _struck_out(arm: str | None, analysis: Analysis, players: int | None = None) -> Iterator[str]:
    """Say how many games of an arm were struck out, where these are at least half, and what both scores are."""
    every = {each.players: each for each in analysis.summaries if each.arm == arm}
    summary = every.get(players) or next(reversed(every.values()), None)
    if summary and analysis.metric in OTHER and summary.struck_out >= MOSTLY:
        low, high = (size(summary.of(score).mean) for score in ("strict", "kept"))
        yield say.STRIKE_OUTS(n=round(summary.struck_out * summary.n), games=summary.n, low=low, high=high)


def _untested(effects: Iterable[Difference], analysis: Analysis) -> Iterator[str]:
    """Return a sentence for all arms whose difference could not be significant, by what they are compared with."""
    groups: dict[tuple[object, ...], list[Difference]] = defaultdict(list)
    for each in effects:
        groups[each.baseline, each.n, each.unit, each.tests].append(each)
    for group in groups.values():
        first = group[0]
        struck_out = {each.arm: "".join(_struck_out(each.arm, analysis, each.players)) for each in group}
        changes = ", ".join(
            f"{each.arm} {signed(each.mean)}{f' ({said})' if (said := struck_out[each.arm]) else ''}" for each in group
        )
        enough = say.ENOUGH(enough=fewest_pairs(first.tests)) if first.unit == "deals" and not first.stop else ""
        yield say.UNTESTED_ARMS(
            n=first.n, units=_units(first), family=family(first.tests), enough_deals=enough, than=first.baseline,
            unit=first.measured_in, changes=changes,
        )  # fmt: skip


def estimated(difference: Difference, alike: str = "", averaged: str = "") -> str:
    """Return the 95 % interval of a difference, its p and its deals."""
    interval = interval_of(difference)
    values = {"n": difference.n, "units": _units(difference), "averaged": averaged, "alike": alike}
    return say.ESTIMATE(interval=interval, p=tested(difference), **values)


def interval_of(difference: Difference) -> str:
    """Return the 95 % interval, not corrected for the number of arms."""
    if difference.low is None or difference.high is None:
        return say.NO_INTERVAL()
    return say.INTERVAL(low=signed(difference.low), high=signed(difference.high))


def tested(difference: Difference) -> str:
    """Return `Holm-corrected p = .042`; of a single comparison `p = .042`."""
    p = pvalue(difference.p_holm)
    corrected = "" if difference.tests == 1 else "corrected " if difference.stop else "Holm-corrected "
    return f"{corrected}p {p if p.startswith('<') else f'= {p}'}"


def _difference(difference: Difference, than: str) -> str:
    mean = 0.0 if abs(difference.mean) < ROUNDING else difference.mean
    score = (say.SCORES_LESS, say.SCORES_ALIKE, say.SCORES_MORE)
    templates = score if difference.metric in OTHER else (say.HAS_FEWER, say.HAS_ALIKE, say.HAS_MORE)
    side = "more" if mean > 0 else "fewer"
    judged = f" ({'better' if difference.better == side else 'worse'})" if difference.better and mean else ""
    unit = difference.measured_in + (judged if difference.metric not in OTHER else "")
    return templates[1 + (mean > 0) - (mean < 0)](size=size(mean), unit=unit, than=than)


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


def listed(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _units(difference: Difference) -> str:
    """Return `deals`, or `deal` of a single one."""
    return difference.unit if difference.n > 1 else difference.unit.removesuffix("s")


def family(tests: int) -> str:
    """Return how many arms p is corrected for: `one arm`, `7 arms`."""
    return "one arm" if tests == 1 else f"{tests} arms"


def is_testable(difference: Difference) -> bool:
    """Return whether its corrected p could be below 5 % at all; True where there is no test."""
    if difference.p is None:
        return True
    if difference.stop:
        return difference.low_holm is not None
    return _least(difference) < ALPHA


def _least(difference: Difference) -> float:
    """Return the smallest corrected p that so many deals can have; the next one is twice as large."""
    return least_p(difference.n, groups=difference.unit == "repeats") * difference.tests


def _withheld(analysis: Analysis) -> Iterator[str]:
    if analysis.withheld:
        yield say.WITHHELD(arms=listed(analysis.withheld), percent=percent(WITHHELD))


def _by_the_score(analysis: Analysis, several: bool) -> Iterator[str]:
    """Return what the score shows where arms are compared by another metric."""
    if analysis.metric not in OTHER:
        for each in widest(analysis.other_differences):
            yield say.BESIDE(metric=each.metric, sentence=compared(each, counts=several))


def _warnings(differences: Sequence[Difference]) -> Iterator[str]:
    if any(each.unit == "repeats" for each in differences):
        yield "With a single deal all results are conditional on this deal: nothing follows for other deals."
    yield from _planning([each for each in widest(differences) if not each.stop and is_testable(each)])


def _planning(usual: Sequence[Difference]) -> Iterator[str]:
    """Say what another experiment of this size could detect, where this one does not show a difference."""
    mdes = [each.mde for each in usual if each.mde is not None]
    if mdes and not all(each.claimed for each in usual):
        tests = max(each.tests for each in usual)
        least, most, points = min(mdes), max(mdes), usual[0].measured_in
        effects = f"{least:.2f} {points}" if most - least < 0.005 else f"{least:.2f} to {most:.2f} {points}, by arm"
        yield say.PLANNING(effects=effects, family=family(tests))


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
        return listed(arms)
    if len(others) <= NAMED:
        return f"all arms but {listed(others)}"
    return f"{len(arms)} of {len(arms) + len(others)} arms"
