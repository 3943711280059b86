"""Whether the baseline leaves room for an effect: a strong model scores 24 of 25 with a role and without it."""

from collections.abc import Iterable
from statistics import fmean

from experiments.record.rows import Row
from orchestrator.hanabi.cards import CARDS

BEST = len(CARDS)
"""Points of a perfect game."""
LEAST_GAMES = 5
"""Games of the baseline that are needed to say so."""
ROOM = (
    "What has room: more players, partners who are strangers (`adhoc`), a metric such as "
    "mark:aggregator.regret, or positions (task: positions)"
)


def sentence(rows: Iterable[Row], baseline: str | None, effect: float | None, metric: str = "strict") -> str | None:
    """Say that the baseline's games leave no room for a gain of this size, and what has room; None where they do, where
    they are too few, and for a metric that is no score."""
    if effect is None or metric not in ("strict", "kept"):
        return None
    scores = [row.score_kept if metric == "kept" else row.score_strict for row in rows if row.arm == baseline]
    if len(scores) < LEAST_GAMES or BEST - fmean(scores) >= effect:
        return None
    return (
        f"{baseline} scores {fmean(scores):.1f} of {BEST} in {len(scores)} games, so no arm can score {effect:.1f} "
        f"points more, and single errors cost so strong a seat little. {ROOM}"
    )
