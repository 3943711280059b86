"""Games made up for analyses: an arm, a deal, a score."""

from collections.abc import Iterable
from typing import Any

from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.summaries import Summary
from hanabi_orchestrator.experiments.record.rows import Row


def game(arm: str, seed: int, score: int, *, repeat: int = 1, players: int = 3, **more: Any) -> Row:
    kept = more.pop("kept", score)
    lives = 0 if kept != score else 2
    end = "lives_lost" if lives == 0 else "perfect" if score == 25 else "deck_exhausted"
    row = Row(
        arm, "g", players, seed, repeat, score, kept, lives, 50, end, 0, 0, 0, 0, 0, None, "x"
    )
    played = {
        "model": "m",
        "misplays": 3 - lives,
        "moves_digest": f"{arm} {players} {seed} {repeat}",
    }
    return Row(**{**vars(row), **played, **more})


def games(arm: str, scores: Iterable[int], **more: Any) -> list[Row]:
    return [game(arm, seed, score, **more) for seed, score in enumerate(scores, 1)]


def only(analysis: Analysis, players: int | None = 3) -> Difference:
    (found,) = (one for one in analysis.differences if one.players == players)
    return found


def summary(analysis: Analysis, players: int | None = 3) -> Summary:
    (found,) = (one for one in analysis.summaries if one.players == players)
    return found
