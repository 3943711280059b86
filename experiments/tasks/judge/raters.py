"""The statements of a judge's run with what each rater gave them: the judge, the exact score, and people."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from experiments.analysis.raters import Rated, Rating
from experiments.tasks.judge.human_ratings import HumanRating
from experiments.tasks.judge.judge_run import Judged, JudgeRun, mean_ratings
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from roles.hanabi.state_judge import ASPECTS

JUDGE, EXACT, HUMAN = "judge", "exact", "human"
RATERS = (JUDGE, EXACT, HUMAN)
SHOWN = ("overall", "deduction_accuracy", "history_integration", "tracking_quality")
"""The aspects in the order of the paper's table."""
assert {*SHOWN} == {*ASPECTS}


def rated(run: JudgeRun, people: Sequence[HumanRating]) -> list[Rated]:
    """Return every statement with its ratings."""
    by_turn: dict[tuple[str, int], dict[str, Rating]] = {}
    for row in people:
        by_turn.setdefault((row.game, row.turn), {})[row.rater] = row.ratings
    folders = {Path(judged.game).parent for judged in run.questions}
    means = {} if run.record.model == PROGRAM else mean_ratings(run)  # the program is the exact score
    statements = []
    for judged in run.questions:
        human = by_turn.get((judged.game, judged.turn), {})
        ratings = {JUDGE: means.get(judged.name), EXACT: judged.exact, HUMAN: _mean([*human.values()])}
        by = {rater: rating for rater, rating in ratings.items() if rating}
        statements.append(Rated(judged.game, judged.turn, _author(judged, len(folders) > 1), by, human))
    return statements


def _author(judged: Judged, several: bool) -> str:
    """Return who kept the lists: the model, without its server, and the arm where there are several."""
    model = judged.model.partition("@http")[0]
    named = f"{model} (simulated)" if is_simulated(model) else model
    return f"{named}, {Path(judged.game).parent.name}" if several else named


def _mean(ratings: Sequence[Rating]) -> Rating:
    """Return each aspect's mean over those who rated it."""
    values = {aspect: [rating[aspect] for rating in ratings if aspect in rating] for aspect in ASPECTS}
    return {aspect: fmean(numbers) for aspect, numbers in values.items() if numbers}


def unjudged(run: JudgeRun, people: Sequence[HumanRating]) -> list[HumanRating]:
    """Return ratings by people of turns that the run does not hold."""
    turns = {(judged.game, judged.turn) for judged in run.questions}
    return [rating for rating in people if (rating.game, rating.turn) not in turns]
