"""What can and cannot be concluded from an analysis, in sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any, Literal

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis import stopping
from hanabi_orchestrator.experiments.analysis.analysis import DOUBTFUL, OTHER, Analysis
from hanabi_orchestrator.experiments.analysis.caveats import NAMED, caveats, last, rare_strike_outs
from hanabi_orchestrator.experiments.analysis.compare import STRIKE_OUTS
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.statistics.clusters import groups
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ALPHA,
    ROUNDING,
    Bounds,
    unseen_share,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.analysis.summaries import WITHHELD
from hanabi_orchestrator.roles.words import many, percent

FEW = 10
"""Deals up to which a sentence without a significant difference states what they can detect."""
MOST = 4
"""Arms without a significant difference that a verdict names where there are many arms; more are
counted."""
ENOUGH = 10
"""Deals from which bootstrap intervals of means hold nearly as often as they say; `benchmarks
coverage` measures it."""
MOSTLY = 0.5
"""The share of struck-out games from which the sentence of an arm states it."""
SMALL = 0.095
LEAST_SHOWN = 0.005
"""Sizes below which a number has four decimals, and below which two decimals are 0.00."""
PROGRAMS = "All of these are games of programs: no model was asked."


State = Literal[
    "shown", "not_shown", "untested", "same_games", "no_evidence", "withheld", "apart", "in_terms"
]
"""How an arm stands beside its baseline: a difference is claimed; is neither shown nor excluded;
could not be shown by so few deals; the games are the same; a single pair, or repeats of one game;
not compared; no hypothesis; a coalition, which is compared in the terms of its design."""


@dataclass(frozen=True)
class ArmVerdict:
    """What is concluded about one arm: the only words and the only state that any output shows of
    it."""

    arm: str
    baseline: str | None
    state: State
    sentence: str
    players: int | None = None
    """The player count that it is about; None for all that both played."""
    mean: float | None = None
    """The difference in the metric; None where none is computed."""
    low: float | None = None
    """The 95 % interval, not corrected for the number of arms."""
    high: float | None = None
    p: float | None = None
    """Corrected as in the sentence; None where nothing was tested."""


def arm_verdicts(analysis: Analysis, more: Mapping[str, str] = {}) -> tuple[ArmVerdict, ...]:
    """Return how each arm stands beside the baseline, pooled over player counts where that is
    possible.

    `more`: by arm, a clause for its sentence.
    """
    several = _several_counts(analysis)
    verdicts = []
    for each in widest(analysis.differences):
        sentence = compared(each, counts=several, more=tuple(_clauses(each, analysis, more)))
        verdicts.append(_arm_verdict(each, state_of(each), sentence))
    verdicts += [
        _arm_verdict(each, "apart", apart_sentence(each, analysis))
        for each in widest(analysis.apart)
    ]
    for arm in analysis.withheld:
        sentence = say.WITHHELD(arms=arm, percent=percent(WITHHELD))
        verdicts.append(ArmVerdict(arm, analysis.baseline, "withheld", sentence))
    return tuple(verdicts)


def _several_counts(analysis: Analysis) -> bool:
    """Tell whether games were played at several player counts."""
    return len(set(chain.from_iterable(summary.counts for summary in analysis.summaries))) > 1


def _arm_verdict(difference: Difference, state: State, sentence: str) -> ArmVerdict:
    return ArmVerdict(
        arm=difference.arm,
        baseline=difference.baseline,
        state=state,
        sentence=sentence,
        players=difference.players,
        mean=difference.mean,
        low=difference.low,
        high=difference.high,
        p=difference.p_holm,
    )


def state_of(difference: Difference) -> State:
    """Return how an arm stands that is a hypothesis."""
    if difference.p is None:
        if difference.same_games:
            return "same_games"
        return "no_evidence"
    if not difference.testable or difference.shut:
        return "untested"
    if _unclaimed(difference):
        return "withheld"
    if difference.claimed:
        return "shown"
    return "not_shown"


def _unclaimed(difference: Difference) -> bool:
    """Return whether p is below its level, and yet nothing is claimed."""
    level = difference.alpha or ALPHA
    return difference.p_holm is not None and difference.p_holm < level and not difference.claimed


def apart_sentence(difference: Difference, analysis: Analysis) -> str:
    """Return the sentence of an arm that is no hypothesis: the baseline once more, or an arm that
    cheats."""
    cheating = {summary.arm for summary in analysis.summaries if summary.cheats}
    cheats = difference.arm in cheating or difference.baseline in cheating
    if cheats:
        template = say.CHEATS
    elif difference.same_games:
        template = say.NOISE_FLOOR_SAME
    else:
        template = say.NOISE_FLOOR
    return template(
        arm=difference.arm,
        than=difference.baseline,
        n=difference.n,
        units=difference.units,
        change=f"{signed(difference.mean)} {difference.measured_in}",
        interval=interval_of(difference),
    )


def sentences(analysis: Analysis) -> tuple[str, ...]:
    """Return the verdict, then what readers of the numbers must know."""
    return (*verdict(analysis), *notes(analysis))


def verdict(
    analysis: Analysis, more: Mapping[str, str] = {}, arms: Sequence[str] | None = None
) -> Iterator[str]:
    """Give a sentence for each arm, pooled over player counts, with its caution; many that show
    nothing are counted.

    `more`: by arm, a clause for its sentence. `arms`: name these alone; None: all.
    """
    effects = [each for each in widest(analysis.differences) if not each.shut]
    if arms is not None:
        effects = [each for each in effects if each.arm in arms]
    tested = [each for each in effects if each.testable]
    unshown = [each for each in tested if each.p is not None and not each.claimed]
    counted = unshown[MOST:] if arms is None and len(tested) > 2 * MOST else []
    several = _several_counts(analysis)
    if analysis.withheld:
        yield say.WITHHELD(arms=listed(analysis.withheld), percent=percent(WITHHELD))
    if analysis.stopped:
        yield f"{'; '.join(analysis.stopped.states)}."
    if analysis.extension:
        yield say.EXTENDED(steps=analysis.extension.words)
    for each in tested:
        if each not in counted:
            yield compared(each, counts=several, more=tuple(_clauses(each, analysis, more)))
    if counted:
        yield say.OTHERS(more_arms=many(len(counted), "more arm"), than=tested[0].baseline)
    yield from _untested([each for each in effects if not each.testable], analysis)
    if struck_out := _struck_out(analysis.baseline, analysis):
        yield say.STRUCK_OUT(arm=analysis.baseline, struck_out=struck_out)
    for each in widest(analysis.other_differences) if analysis.metric not in OTHER else ():
        yield say.BESIDE(metric=each.metric, sentence=compared(each, counts=several))


def notes(analysis: Analysis) -> Iterator[str]:
    """Give what readers of the numbers must know beside the verdict."""
    arms = last(analysis.summaries)
    if analysis.stopped:
        yield from stopping.sentences(analysis.stopped)
    yield from _single_deals(widest(analysis.differences))
    usual = [each for each in widest(analysis.differences) if not each.stop and each.testable]
    mdes = [each.mde for each in usual if each.mde is not None]
    # what another experiment of this size could detect
    if mdes and not all(each.claimed for each in usual):
        least = min(mdes)
        most = max(mdes)
        points = usual[0].measured_in
        effects = (
            f"{least:.2f} {points}"
            if most - least < 0.005
            else f"{least:.2f} to {most:.2f} {points}, by arm"
        )
        yield say.PLANNING(effects=effects, family=family(max(each.tests for each in usual)))
    if analysis.metric == "strict":
        yield from rare_strike_outs(analysis.summaries)
    if analysis.interval == "bootstrap" and (few := [each for each in arms if each.deals < ENOUGH]):
        yield say.FEW_FOR_BOOTSTRAP(
            n=min(each.deals for each in few), arms=listed([each.arm for each in few])
        )
    for arm in arms:
        # else a caveat does
        if arm.arm in analysis.flagged and (arm.own_share is None or arm.own_share >= DOUBTFUL):
            yield (
                f"{arm.arm}: {percent(arm.forced_share)} of its moves were forced: a program "
                "chose them, and safely, which makes a failing model look better than it is."
            )
    names = [each.arm for each in arms]
    if replayed := [each.arm for each in arms if each.replayed]:
        yield (
            f"In {_named(replayed, names)} all repeats of a deal are the same game, so they add "
            "nothing to its first."
        )
    programs = list(
        dict.fromkeys(each.arm for each in analysis.summaries if each.provenance.only_programs)
    )
    if analysis.summaries and all(each.provenance.only_programs for each in analysis.summaries):
        yield PROGRAMS
    elif programs:
        yield f"In {_named(programs, names)} no model was asked: programs played."


def _single_deals(differences: Sequence[Difference]) -> Iterator[str]:
    """Name the arms of which a single deal was compared."""
    single = [each.arm for each in differences if each.unit == "repeats"]
    if single and len(single) == len(differences):
        yield (
            "With a single deal all results are conditional on this deal: nothing follows for "
            "other deals."
        )
    elif single:
        yield f"Of {listed(single)} a single deal is compared: nothing follows for other deals."


def claims(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Return the differences that the sentences claim. Figures and tables mark these and no others.

    Where an arm is pooled over player counts, a single count is no claim of its own, since it is
    not corrected for the other counts.
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
    """Return the pooled difference of each arm; all its differences where nothing could be
    pooled."""
    pooled = {(each.arm, each.baseline) for each in differences if each.players is None}
    eaches = list[Difference]()
    for each in differences:
        if each.players is None or (each.arm, each.baseline) not in pooled:
            eaches.append(each)
    return eaches


def compared(difference: Difference, *, counts: bool = True, more: Sequence[str] = ()) -> str:
    """Return the sentence of a difference; `counts`: name the player counts; `more`: clauses that
    it ends with."""
    if counts:
        at = f" at {listed(list(map(str, difference.counts)))} players"
    else:
        at = ""
    than = f"{difference.baseline}{at}"
    if difference.alike:
        alike = f", the same games in {difference.alike} of them"
    else:
        alike = ""
    pooled = difference.players is None and counts
    unpaired = difference.left_out - difference.unvalued
    left_out = [say.NO_VALUE(games=difference.unvalued)] if difference.unvalued else []
    left_out += [say.NO_COUNTERPART(games=unpaired)] if unpaired else []
    values: dict[str, object] = {
        "arm": difference.arm,
        "than": than,
        "n": difference.n,
        "units": difference.units,
        "tests": difference.tests,
        "gate": difference.gate,
        "interval": interval_of(difference),
        "family": family(difference.tests),
        "change": f"{signed(difference.mean)} {difference.measured_in}",
        "difference": _difference(difference, than),
        "averaged": ", averaged over these counts" if pooled else "",
        "alike": alike,
        "percent": percent(unseen_share(difference.n)),
        "p": tested(difference),
        "more": "".join(f"; {clause}" for clause in (*more, *left_out)),
    }
    estimate = estimated(difference, alike, " of each count" if pooled else "")
    return _template(difference)(**values, estimate=estimate)


def _without_spread(difference: Difference) -> say.Template:
    """Return the sentence of a difference that is the same on every deal."""
    if abs(difference.mean) < ROUNDING:
        return say.EQUAL
    return say.SHOWN_EACH if difference.claimed else say.OPEN_EACH


def _template(difference: Difference) -> say.Template:
    """Return the sentence that a difference has."""
    if difference.p is None:
        if difference.alike == difference.n:
            return say.SAME_GAMES
        return say.REPEATED if difference.n > 1 else say.SINGLE
    if difference.shut:
        return say.SHUT
    if not difference.testable:
        return say.UNTESTED
    if _unclaimed(difference):
        return say.SPENT if difference.spent else say.FLATTERED
    if not difference.se:
        return _without_spread(difference)
    if difference.claimed:
        return say.SHOWN
    bounds = difference.bounds
    excludes = bounds is not None and not bounds[0] <= 0 <= bounds[1]
    return say.NOT_CORRECTED if excludes else say.OPEN


def _clauses(difference: Difference, analysis: Analysis, more: Mapping[str, str]) -> Iterator[str]:
    """Return what the sentence of an arm adds: strike-outs, what few deals can detect, the other
    score, a given clause."""
    if struck_out := _struck_out(difference.arm, analysis, difference.players):
        yield struck_out
    if difference.p is None or not difference.testable:
        return
    if difference.struck_out is not None and not difference.shut:
        yield from _strike_outs(difference, *difference.struck_out)
    template = _template(difference)
    values = {"n": difference.n, "units": difference.units}
    if template is say.OPEN and difference.n <= FEW and difference.mde is not None:
        yield say.DETECTS(**values, unit=difference.measured_in, size=size(difference.mde))
    excludes = template in (say.SHOWN, say.SHOWN_EACH, say.NOT_CORRECTED)
    if excludes and 2 * difference.least_p >= ALPHA and not difference.stop:
        yield say.LEAST_P(
            **values, family=family(difference.tests), least=pvalue(difference.least_p)
        )
    key = difference.arm, difference.baseline, difference.players
    others = {}
    for each in widest(analysis.other_differences):
        others[(each.arm, each.baseline, each.players)] = each
    other = others.get(key) if analysis.metric in OTHER else None
    if other is not None and other.p is not None:
        yield from _other_score(difference, other)
    if clause := more.get(difference.arm):
        yield clause


def _strike_outs(difference: Difference, ours: int, theirs: int) -> Iterator[str]:
    """Say how many units were struck out, where these are few, or where a claim knows of none."""
    if any(0 < number < STRIKE_OUTS for number in (ours, theirs)):
        values = {"n": difference.n, "units": difference.units, "ours": ours, "theirs": theirs}
        yield say.RARELY(arm=difference.arm, than=difference.baseline, **values)
    elif difference.claimed and not ours and not theirs:
        yield say.NEVER(units=difference.units)


def _other_score(difference: Difference, other: Difference) -> Iterator[str]:
    """Say what the other score adds to what is said of the first one."""
    same = (difference.mean, difference.bounds) == (other.mean, other.bounds)
    if other.claimed or same or other.bounds is None:
        return
    if difference.claimed:
        yield say.OTHER_OPEN(metric=other.metric, p=tested(other))
    elif not other.bounds[0] <= 0 <= other.bounds[1]:
        change = f"{signed(other.mean)} {other.measured_in}"
        yield say.OTHER_BESIDE(metric=other.metric, change=change, interval=interval_of(other))


def _struck_out(arm: str | None, analysis: Analysis, players: int | None = None) -> str:
    """Say how many games of an arm were struck out and what both scores are; empty where these are
    less than half."""
    every = {each.players: each for each in analysis.summaries if each.arm == arm}
    summary = every.get(players) or next(reversed(every.values()), None)
    if summary is None or analysis.metric not in OTHER or summary.struck_out < MOSTLY:
        return ""
    low, high = (size(summary.of(score).mean) for score in ("strict", "kept"))
    of_games = many(summary.n, "game")
    lost = round(summary.struck_out * summary.n)
    return say.STRIKE_OUTS(n=lost, of_games=of_games, low=low, high=high)


def _untested(effects: Iterable[Difference], analysis: Analysis) -> Iterator[str]:
    """Return a sentence for all arms whose difference could not be significant, by what they are
    compared with."""
    for group in groups(effects, attrgetter("baseline", "n", "unit", "tests")).values():
        first = group[0]
        changes = []
        for each in group:
            struck_out = _struck_out(each.arm, analysis, each.players)
            changes.append(
                f"{each.arm} {signed(each.mean)}{f' ({struck_out})' if struck_out else ''}"
            )
        if first.unit == "deals" and not first.stop:
            enough = say.ENOUGH(enough=fewest_pairs(first.tests))
        else:
            enough = ""
        yield say.UNTESTED_ARMS(
            n=first.n,
            units=first.units,
            family=family(first.tests),
            enough_deals=enough,
            than=first.baseline,
            unit=first.measured_in,
            changes=", ".join(changes),
        )


def estimated(difference: Difference, alike: str = "", averaged: str = "") -> str:
    """Return the 95 % interval of a difference, its p and its deals."""
    values = {"n": difference.n, "units": difference.units, "averaged": averaged, "alike": alike}
    if difference.p is None:
        return say.NO_ESTIMATE(**values)
    return say.ESTIMATE(interval=interval_of(difference), p=tested(difference), **values)


def interval_of(difference: Difference) -> str:
    """Return the 95 % interval, not corrected for the number of arms."""
    if difference.bounds is None:
        return say.NO_INTERVAL()
    low, high = ends(difference.bounds)
    return say.INTERVAL(low=low, high=high)


def ends(bounds: Bounds) -> tuple[str, str]:
    """Return both ends with their signs and the same decimals: two, or four where two would hide
    what they are."""
    sizes = [abs(end) for end in bounds]
    fine = max(sizes) < SMALL or any(0 < end < LEAST_SHOWN for end in sizes)
    digits = 4 if fine else 2
    low, high = (f"{'-' if end < 0 else '+'}{abs(end):.{digits}f}" for end in bounds)
    return low, high


def tested(difference: Difference) -> str:
    """Return `Holm-corrected p = .042`; of a single comparison `p = .042`."""
    p = pvalue(difference.p_holm)
    if difference.tests == 1:
        corrected = ""
    elif difference.stop:
        corrected = "corrected "
    else:
        corrected = "Holm-corrected "
    return f"{corrected}p {p if p.startswith('<') else f'= {p}'}"


def _difference(difference: Difference, than: str) -> str:
    if abs(difference.mean) < ROUNDING:
        mean = 0.0
    else:
        mean = difference.mean
    score = (say.SCORES_LESS, say.SCORES_ALIKE, say.SCORES_MORE)
    if difference.metric in OTHER:
        templates = score
    else:
        templates = (say.HAS_FEWER, say.HAS_ALIKE, say.HAS_MORE)
    side = "more" if mean > 0 else "fewer"
    if difference.better and mean:
        judged = f" ({'better' if difference.better == side else 'worse'})"
    else:
        judged = ""
    unit = difference.measured_in + (judged if difference.metric not in OTHER else "")
    return templates[1 + (mean > 0) - (mean < 0)](size=size(mean), unit=unit, than=than)


def size(value: float) -> str:
    """Return the number without sign: two decimals, four where it is small."""
    if abs(value) >= SMALL or not value:
        return f"{abs(value):.2f}"
    return f"{abs(value):.4f}"


def signed(value: float) -> str:
    """Return the number with its sign."""
    return f"{'-' if value < 0 else '+'}{size(value)}"


def pvalue(p: float | None) -> str:
    """Return `.042`, `< .001`; a dash for none."""
    if p is None:
        return "-"
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0")


def listed(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def family(tests: int) -> str:
    """Return how many arms p is corrected for: `one arm`, `7 arms`."""
    if tests == 1:
        return "one arm"
    return f"{tests} arms"


def _named(arms: Sequence[str], every: Sequence[str]) -> str:
    """Return arms in words: their names, or those of all others, when there are few; otherwise
    their number."""
    rest = [arm for arm in every if arm not in arms]
    if len(arms) <= NAMED:
        return listed(arms)
    if len(rest) <= NAMED:
        return f"all arms but {listed(rest)}"
    return f"{len(arms)} of {len(arms) + len(rest)} arms"
