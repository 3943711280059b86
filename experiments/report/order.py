"""The order in which a report shows arms, which of many it shows first, and what a pooled row is
pooled over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.conclusions import widest
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.analysis.summaries import Summary, summaries
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.notes import spans

MANY = 12
"""The most arms whose rows a page shows unfolded."""


def effects(analysis: Analysis) -> dict[str, float]:
    """Return the difference of each arm from its baseline: the pooled one, or the mean over player
    counts."""
    return cluster_means((effect.arm, effect.mean) for effect in widest(analysis.differences))


def by_effect(arms: Sequence[str], analysis: Analysis, run: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the baseline, the other arms by their difference from it, the largest first, and arms
    without one.

    A grid and a sequence keep their own order.
    """
    sizes = effects(analysis)
    settings = run.get("experiment") or {}
    if not sizes or settings.get("matrix") or settings.get("cross_play"):
        return tuple(arms)
    first = [arm for arm in arms if arm == analysis.baseline]
    compared = sorted((arm for arm in arms if arm in sizes), key=lambda arm: -sizes[arm])
    return (
        *first,
        *compared,
        *(arm for arm in arms if arm not in sizes and arm != analysis.baseline),
    )


def foremost(arms: Sequence[str], analysis: Analysis, most: int = MANY) -> tuple[str, ...]:
    """Return, of more arms than `most`, the baseline and those that differ most from it, in the
    given order."""
    sizes = effects(analysis)
    ranked = sorted(arms, key=lambda arm: (arm != analysis.baseline, -abs(sizes.get(arm, 0.0))))[
        :most
    ]
    return tuple(arm for arm in arms if arm in ranked)


def ordered(analysis: Analysis, arms: Sequence[str]) -> Analysis:
    """Return the analysis with its rows in the order of the arms."""
    place = {arm: number for number, arm in enumerate(arms)}
    rows: dict[str, Any] = {
        name: tuple(sorted(getattr(analysis, name), key=lambda row: place[row.arm]))
        for name in ("summaries", "differences", "other_differences", "apart")
    }
    return replace(
        analysis, **rows, unforced=analysis.unforced and ordered(analysis.unforced, arms)
    )


def comparable(analysis: Analysis, rows: Iterable[Row]) -> tuple[Summary, ...]:
    """Return the summaries; where an arm is pooled over fewer player counts than its baseline, with
    the baseline's pooled over the same counts as well, before its own."""
    pooled = {}
    for summary in analysis.summaries:
        if summary.players is None:
            pooled[summary.arm] = summary.counts
    pairs = []
    for effect in analysis.differences:
        if effect.players is None:
            pairs.append((effect.baseline, effect.counts))
    missing = dict.fromkeys(
        (arm, counts) for arm, counts in pairs if pooled.get(arm, counts) != counts
    )
    games = list(rows) if missing else []
    result = list[Summary]()
    more = []
    for arm, counts in missing:
        more.append(
            summaries(
                [row for row in games if row.arm == arm and row.players in counts],
                analysis.interval,
            )[-1]
        )
    for summary in analysis.summaries:
        result += [extra for extra in more if summary.players is None and extra.arm == summary.arm]
        result.append(summary)
    return tuple(result)


def mixed(rows: Iterable[Summary | Difference]) -> bool:
    """Tell whether the pooled rows are not all over the same player counts."""
    return len({row.counts for row in rows if row.players is None}) > 1


def at(row: Summary | Difference, *, mixed: bool) -> str:
    """Return the player counts of a row: `all`, or, where pooled rows differ, which ones they are:
    `3–5`."""
    if row.players is not None:
        return str(row.players)
    if mixed:
        return spans(row.counts)
    return "all"
