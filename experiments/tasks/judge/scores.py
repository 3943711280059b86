"""The figures of a judge's run: the mean of each aspect, and how far judge, exact score and people agree."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from pathlib import Path
from statistics import fmean

import numpy as np

from experiments.statistics import agreement
from experiments.statistics.clusters import Clustered, bootstrap_clusters
from experiments.statistics.estimates import Matrix
from experiments.tasks.judge.human_ratings import HumanRating
from experiments.tasks.judge.judge_run import Judged, JudgeRun, mean_ratings
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from roles.hanabi.state_judge import ASPECTS

JUDGE, EXACT, HUMAN = "judge", "exact", "human"
SHOWN = ("overall", "deduction_accuracy", "history_integration", "tracking_quality")
"""The aspects in the order of the paper's table."""
assert {*SHOWN} == {*ASPECTS}

Rating = Mapping[str, float]


@dataclass(frozen=True)
class Rated:
    """One statement, with what each rater gave it; a rater who gave it nothing is missing."""

    game: str
    turn: int
    model: str
    by: Mapping[str, Rating]
    people: Mapping[str, Rating]
    """Those of `human` one by one."""


@dataclass(frozen=True)
class Score:
    """The mean of an aspect over the statements of a model."""

    model: str
    """Who kept the lists."""
    rater: str
    aspect: str
    mean: Clustered


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree on an aspect; over the statements that both rated."""

    raters: tuple[str, ...]
    aspect: str
    pearson: Clustered | None
    """None between people, who may be more than two."""
    spearman: Clustered | None
    alpha: Clustered


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


def scores(statements: Sequence[Rated]) -> list[Score]:
    """Return, for every model that kept lists and every rater, the mean of each aspect."""
    raters = [rater for rater in (JUDGE, EXACT, HUMAN) if any(rater in row.by for row in statements)]
    return [
        Score(model, rater, aspect, bootstrap_clusters(agreement.mean, _grouped(rows, [_column(rater, aspect)])))
        for model in dict.fromkeys(row.model for row in statements)
        for rater in raters
        if (rows := [row for row in statements if row.model == model and rater in row.by])
        for aspect in SHOWN
    ]


def agreements(statements: Sequence[Rated]) -> list[Agreement]:
    """Return the agreement of each two of judge, exact score and people, and of people where there are several."""
    return [*_between(statements), *_among_people(statements)]


def _between(statements: Sequence[Rated]) -> Iterator[Agreement]:
    for pair in combinations((JUDGE, EXACT, HUMAN), 2):
        for aspect in SHOWN:
            rows = [row for row in statements if all(aspect in row.by.get(rater, ()) for rater in pair)]
            if rows:
                groups = _grouped(rows, [_column(rater, aspect) for rater in pair])
                yield Agreement(
                    pair,
                    aspect,
                    bootstrap_clusters(agreement.pearson, groups),
                    bootstrap_clusters(agreement.spearman, groups),
                    bootstrap_clusters(agreement.alpha, groups),
                )


def _among_people(statements: Sequence[Rated]) -> Iterator[Agreement]:
    names = sorted({name for row in statements for name in row.people})
    if len(names) < 2:
        return
    for aspect in SHOWN:
        rows = [row for row in statements if any(aspect in rating for rating in row.people.values())]
        if rows:
            groups = _grouped(rows, [_person(name, aspect) for name in names])
            yield Agreement(tuple(names), aspect, None, None, bootstrap_clusters(agreement.alpha, groups))


Column = Callable[[Rated], float]


def _column(rater: str, aspect: str) -> Column:
    return lambda row: row.by[rater].get(aspect, nan)


def _person(name: str, aspect: str) -> Column:
    return lambda row: row.people.get(name, {}).get(aspect, nan)


def _grouped(statements: Sequence[Rated], columns: Sequence[Column]) -> list[Matrix]:
    """Return the ratings game by game: a row for each statement, a column for each rater."""
    by_game: dict[str, list[list[float]]] = {}
    for row in statements:
        by_game.setdefault(row.game, []).append([column(row) for column in columns])
    return [np.asarray(rows, dtype=float) for rows in by_game.values()]
