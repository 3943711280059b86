"""The statistics of an experiment's games: a summary of every arm, and its difference from the baseline.

docs/statistics.md says how each number is computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.analysis.differences import Difference, contrast, differences
from experiments.analysis.games import by_arm
from experiments.analysis.stopping import Stopped
from experiments.analysis.summaries import Summary, forced_share, summaries, too_few_own
from experiments.record import measures
from experiments.record.measures import Measure
from experiments.record.rows import Metric, Row
from experiments.statistics.estimates import Interval

OTHER: Mapping[Metric, Metric] = {"strict": "kept", "kept": "strict"}
FLAGGED = 0.05
"""The share of forced moves above which an arm is flagged."""
DOUBTFUL = 0.9
"""The share of own moves below which a report begins by saying so."""


@dataclass(frozen=True)
class Analysis:
    baseline: str | None
    summaries: tuple[Summary, ...]
    """By arm, in their order: its player counts, then, when there are several, all of them pooled."""
    differences: tuple[Difference, ...] = ()
    """By the score of `metric`, in the same order as the summaries."""
    flagged: tuple[str, ...] = ()
    """Arms with so many forced moves that their score reflects the safe fallback rather than the arm."""
    unforced: "Analysis | None" = None
    """The same analysis without the games with forced moves, and without their counterparts in differences; None when
    no move was forced, and when no game is left."""
    withheld: tuple[str, ...] = ()
    """Arms with so few own moves that they are compared with no other."""
    interval: Interval = "t"
    """The method of the intervals of means. That of the interquartile mean is always a bootstrap, and the intervals of
    differences are those of their test."""
    metric: str = "strict"
    """What arms are compared by."""
    score: Metric = "strict"
    """The score that tables show first: the metric, if it is one. Summaries have both."""
    other_differences: tuple[Difference, ...] = ()
    """The same differences by the other score, or by the score where the metric is none, corrected among themselves."""
    stopped: Stopped | None = None
    """The stop rule, and how the arms stand by it; None for a run without one."""
    apart: tuple[Difference, ...] = ()
    """Those of arms that are no hypothesis, each tested alone: the baseline once more, which shows the noise, and arms
    that cheat."""
    contrasts: tuple[Difference, ...] = ()
    """Those between arms of which neither is the baseline, each tested alone: a role's removal beside its controls."""


def analyse(
    rows: Sequence[Row],
    baseline: str | None = None,
    order: Sequence[str] = (),
    *,
    interval: Interval = "t",
    metric: str | Measure = "strict",
    score: Metric | None = None,
    stopped: Stopped | None = None,
    contrasts: Sequence[tuple[str, str]] = (),
) -> Analysis:
    """The statistics of finished games.

    `order`: the order of the arms; other arms follow by name. `interval`: the method of the
    intervals of means, Student's t or bootstrap.
    `metric`: what arms are compared by; the other score has differences of its own. `score`: the score that tables show
    first, where the metric is no score. `stopped`: of a run with a stop rule. `contrasts`: pairs of arms that are also
    compared with each other.
    """
    measure = metric if isinstance(metric, Measure) else measures.metric(metric)
    named: Metric = score or ("kept" if measure.key == "kept" else "strict")
    other = measures.metric(OTHER[named] if measure.key == named else named)
    arms = by_arm(rows, order)
    standard = arms.get(baseline or "", [])
    free = [row for row in rows if not row.forced]
    withheld = tuple(arm for arm, games in arms.items() if too_few_own(games))
    tested = [
        (games, standard) for arm, games in arms.items() if arm != baseline and not no_hypothesis(games, standard)
    ]
    aside = [(games, standard) for arm, games in arms.items() if arm != baseline and no_hypothesis(games, standard)]
    return Analysis(
        baseline=baseline,
        summaries=tuple(one for games in arms.values() for one in summaries(games, interval)),
        differences=differences(tested, measure, stopped),
        flagged=tuple(arm for arm, games in arms.items() if forced_share(games) > FLAGGED),
        unforced=_without(withheld, _unforced(free, baseline, order, interval, measure, named, stopped))
        if 0 < len(free) < len(rows)
        else None,
        withheld=withheld,
        interval=interval,
        metric=measure.key,
        score=named,
        other_differences=differences(tested, other, stopped),
        stopped=stopped,
        apart=tuple(one for pair in aside for one in differences([pair], measure, stopped)),
        contrasts=tuple(
            one
            for ours, theirs in contrasts
            for one in contrast(arms.get(ours, []), arms.get(theirs, []), measure, stopped)
        ),
    )


def no_hypothesis(games: Sequence[Row], standard: Sequence[Row]) -> bool:
    """Whether an arm is no hypothesis: its seats cheat, or it is the baseline once more with other seeds."""
    return any(row.cheats for row in (*games, *standard)) or is_null(games, standard)


def is_null(games: Sequence[Row], standard: Sequence[Row]) -> bool:
    """Whether these are the games of the baseline played once more, with other seeds of its models."""
    named = {row.graph for row in standard}
    again = all("null" in (row.control or "").split("; ") for row in games)
    return bool(games) and again and {row.graph.removesuffix("-null") for row in games} <= named


def _unforced(
    free: Sequence[Row],
    baseline: str | None,
    order: Sequence[str],
    interval: Interval,
    measure: Measure,
    score: Metric,
    stopped: Stopped | None,
) -> Analysis:
    """Without differences where a stop rule chose the deals: it counted on those that are left out here."""
    base = None if stopped else baseline
    return analyse(free, base, order, interval=interval, metric=measure, score=score)


def _without(withheld: Sequence[str], analysis: Analysis) -> Analysis:
    """Without the differences of these arms: the few games in which none of their moves was forced are no sample."""

    def kept(found: Sequence[Difference]) -> tuple[Difference, ...]:
        return tuple(one for one in found if one.arm not in withheld and one.baseline not in withheld)

    found = kept(analysis.differences), kept(analysis.other_differences)
    return replace(analysis, differences=found[0], other_differences=found[1], apart=kept(analysis.apart))
