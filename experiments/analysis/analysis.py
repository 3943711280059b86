"""The statistics of an experiment's games: a summary of every arm, and its difference from the
baseline.

docs/statistics.md says how each number is computed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from hanabi_orchestrator.experiments.analysis.differences import (
    Difference,
    contrast,
    differences,
    second_differences,
)
from hanabi_orchestrator.experiments.analysis.extensions import Extension, unclaimed
from hanabi_orchestrator.experiments.analysis.games import by_arm
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Interval
from hanabi_orchestrator.experiments.analysis.stopping import Stopped
from hanabi_orchestrator.experiments.analysis.summaries import (
    Summary,
    forced_share,
    summaries,
    too_few_own,
)
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.record.rows import Metric, Row

OTHER: Mapping[Metric, Metric] = {"strict": "kept", "kept": "strict"}
FLAGGED = 0.05
"""The share of forced moves above which an arm is flagged."""
DOUBTFUL = 0.9
"""The share of own moves below which a report begins by saying so."""


@dataclass(frozen=True)
class Analysis:
    baseline: str | None
    summaries: tuple[Summary, ...]
    """By arm, in their order: its player counts, then, when there are several, all of them
    pooled."""
    differences: tuple[Difference, ...] = ()
    """By the score of `metric`, in the same order as the summaries."""
    flagged: tuple[str, ...] = ()
    """Arms with so many forced moves that their score reflects the safe fallback rather than the
    arm."""
    unforced: "Analysis | None" = None
    """The same analysis without the games with forced moves, and without their counterparts in
    differences; None when no move was forced, and when no game is left."""
    withheld: tuple[str, ...] = ()
    """Arms with so few own moves that they are compared with no other."""
    interval: Interval = "t"
    """The method of the intervals of means. That of the interquartile mean is always a bootstrap,
    and the intervals of differences are those of their test."""
    metric: str = "strict"
    """What arms are compared by."""
    score: Metric = "strict"
    """The score that tables show first: the metric, if it is one. Summaries have both."""
    other_differences: tuple[Difference, ...] = ()
    """The same differences by the other score, or by the score where the metric is none: each
    tested only where it is claimed by the metric, so that two metrics make no more false claims
    than one."""
    stopped: Stopped | None = None
    """The stop rule, and how the arms stand by it; None for a run without one."""
    apart: tuple[Difference, ...] = ()
    """The differences of arms that are no hypothesis, each tested alone: the baseline once more,
    which shows the noise, and arms that cheat."""
    extension: Extension | None = None
    """What was added after the planned end; None for a run that was played as planned."""
    contrasts: tuple[Difference, ...] = ()
    """The differences between arms other than the baseline, each tested alone: a role's removal
    beside its controls."""


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
    designed: Collection[str] = (),
    gates: Mapping[str, str] = {},
    extension: Extension | None = None,
) -> Analysis:
    """Return the statistics of finished games: a summary of each arm, and paired differences from
    the baseline.

    `order`: the order of the arms; other arms follow by name. `interval`: the method for intervals
    of means, Student's t or bootstrap. `metric`: the measure that arms are compared by; the other
    score has differences of its own. `score`: the score that tables show first if the metric is not
    a score. `stopped`: the result of a stop rule. `contrasts`: pairs of arms that are also compared
    with each other. `designed`: arms that are not compared with the baseline one by one, because a
    design of coalitions compares them. `gates`: controls with the arm whose effect they are to
    explain, as in `differences`. `extension`: what was added after the planned end, which takes
    claims away.
    """
    measure = metric if isinstance(metric, Measure) else measures.metric(metric)
    headline: Metric = score or ("kept" if measure.key == "kept" else "strict")
    other = measures.metric(OTHER[headline] if measure.key == headline else headline)
    arms = by_arm(rows, order)
    standard = arms.get(baseline or "", [])
    pairs = []
    for arm, games in arms.items():
        if arm != baseline and arm not in designed:
            pairs.append((games, standard))
    tested = [pair for pair in pairs if not no_hypothesis(*pair)]
    unforced = [row for row in rows if not row.forced]
    withheld = tuple(arm for arm, games in arms.items() if too_few_own(games))
    first = unclaimed(differences(tested, measure, stopped, gates=gates), extension, gates)
    second = second_differences(tested, other, first, stopped)
    of_arms = chain.from_iterable(summaries(games, interval) for games in arms.values())
    apart = (differences([pair], measure, stopped) for pair in pairs if no_hypothesis(*pair))
    contrasted = (
        contrast(arms.get(ours, []), arms.get(theirs, []), measure, stopped)
        for ours, theirs in contrasts
    )
    analysis = Analysis(
        baseline=baseline,
        summaries=tuple(of_arms),
        differences=first,
        flagged=tuple(arm for arm, games in arms.items() if forced_share(games) > FLAGGED),
        withheld=withheld,
        interval=interval,
        metric=measure.key,
        score=headline,
        other_differences=unclaimed(second, extension, gates),
        extension=extension,
        stopped=stopped,
        apart=tuple(chain.from_iterable(apart)),
        contrasts=tuple(chain.from_iterable(contrasted)),
    )
    if not 0 < len(unforced) < len(rows):
        return analysis
    base = None if stopped else baseline  # a stop rule counted on the games that are left out here
    options: dict[str, Any] = {"interval": interval, "metric": measure, "score": headline}
    free = analyse(
        unforced, base, order, **options, designed=designed, gates=gates, extension=extension
    )
    # of a withheld arm, the few games without a forced move are no sample
    compared: dict[str, Any] = {}
    for name in ("differences", "other_differences", "apart"):
        compared[name] = tuple(
            each for each in getattr(free, name) if not {each.arm, each.baseline} & {*withheld}
        )
    return replace(analysis, unforced=replace(free, **compared))


def no_hypothesis(games: Sequence[Row], standard: Sequence[Row]) -> bool:
    """Return whether an arm is no hypothesis: its seats cheat, or it is the baseline once more with
    other seeds."""
    return any(row.cheats for row in (*games, *standard)) or is_noise_floor(games, standard)


def is_noise_floor(games: Sequence[Row], standard: Sequence[Row]) -> bool:
    """Return whether these are the games of the baseline played once more, with other seeds of its
    models."""
    again = all("noise_floor" in (row.control or "").split("; ") for row in games)
    graphs = {row.graph for row in standard}
    return (
        bool(games)
        and again
        and {row.graph.removesuffix("-noise-floor") for row in games} <= graphs
    )
