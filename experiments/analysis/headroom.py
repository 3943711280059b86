"""Whether the baseline leaves room for an effect: a strong model scores 24 of 25 with a role and
without it."""

from collections.abc import Iterable
from statistics import fmean

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS
from hanabi_orchestrator.roles.words import many

BEST = len(CARDS)
"""Points of a perfect game."""
LEAST_GAMES = 5
"""Games of the baseline that are needed to say so."""
NEAR = 2.0
"""Points below a perfect score within which there is little room."""


def sentence(
    rows: Iterable[Row], baseline: str | None, effect: float | None, metric: str = "strict"
) -> str | None:
    """Say that the baseline's games leave no room for a gain of this size, and what has room; None
    where they do, where they are too few, and for a metric that is no score."""
    if effect is None or metric not in ("strict", "kept"):
        return None
    scores = []
    for row in rows:
        if row.arm == baseline:
            scores.append(row.score_kept if metric == "kept" else row.score_strict)
    if len(scores) < LEAST_GAMES or BEST - fmean(scores) >= min(effect, NEAR):
        return None
    return say.ROOM(
        than=str(baseline),
        value=f"{fmean(scores):.2f}",
        of_games=many(len(scores), "game"),
        size=f"{effect:.2f}",
    )
