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
from experiments.tasks.judge.judged_folder import Judged
from experiments.tasks.judge.ratings import JudgeRun
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from roles.hanabi.state_judge import ASPECTS

JUDGE, EXACT, HUMAN = "judge", "exact", "human"
SHOWN = ("overall", "deduction_accuracy", "history_integration", "tracking_quality")
"""The aspects in the order of the paper's table."""
assert {*SHOWN} == {*ASPECTS}

Rating = Mapping[str, float]


@dataclass(frozen=True)
class Unit:
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


def units(run: JudgeRun, people: Sequence[HumanRating]) -> list[Unit]:
    """Every statement with its ratings."""
    rated: dict[tuple[str, int], dict[str, Rating]] = {}
    for one in people:
        rated.setdefault((one.game, one.turn), {})[one.rater] = one.ratings
    made, folders = [], {Path(judged.game).parent for judged in run.judged}
    for judged in run.judged:
        theirs = rated.get((judged.game, judged.turn), {})
        judge = None if run.record.label == PROGRAM else run.means.get(judged.name)  # the program is the exact score
        given = {JUDGE: judge, EXACT: judged.exact, HUMAN: _mean([*theirs.values()])}
        by = {rater: rating for rater, rating in given.items() if rating}
        made.append(Unit(judged.game, judged.turn, _author(judged, len(folders) > 1), by, theirs))
    return made


def _author(judged: Judged, several: bool) -> str:
    """Who kept the lists: the model, without its server, and the arm where there are several."""
    model = judged.model.partition("@http")[0]
    named = f"{model} (simulated)" if is_simulated(model) else model
    return f"{named}, {Path(judged.game).parent.name}" if several else named


def _mean(ratings: Sequence[Rating]) -> Rating:
    """Of each aspect, over those who rated it."""
    return {aspect: fmean(there) for aspect in ASPECTS if (there := [one[aspect] for one in ratings if aspect in one])}


def unjudged(run: JudgeRun, people: Sequence[HumanRating]) -> list[HumanRating]:
    """Ratings by people of turns that the run does not hold."""
    there = {(one.game, one.turn) for one in run.judged}
    return [one for one in people if (one.game, one.turn) not in there]


def scores(found: Sequence[Unit]) -> list[Score]:
    """For every model that kept lists, and every rater: the mean of each aspect."""
    raters = [rater for rater in (JUDGE, EXACT, HUMAN) if any(rater in unit.by for unit in found)]
    return [
        Score(model, rater, aspect, bootstrap_clusters(agreement.mean, _grouped(own, [_of(rater, aspect)])))
        for model in dict.fromkeys(unit.model for unit in found)
        for rater in raters
        if (own := [unit for unit in found if unit.model == model and rater in unit.by])
        for aspect in SHOWN
    ]


def agreements(found: Sequence[Unit]) -> list[Agreement]:
    """Each two of judge, exact score and people, and people among themselves where there are several."""
    return [*_between(found), *_among_people(found)]


def _between(found: Sequence[Unit]) -> Iterator[Agreement]:
    for one, other in combinations((JUDGE, EXACT, HUMAN), 2):
        for aspect in SHOWN:
            both = [unit for unit in found if aspect in unit.by.get(one, ()) and aspect in unit.by.get(other, ())]
            if both:
                groups = _grouped(both, [_of(one, aspect), _of(other, aspect)])
                yield Agreement(
                    (one, other),
                    aspect,
                    bootstrap_clusters(agreement.pearson, groups),
                    bootstrap_clusters(agreement.spearman, groups),
                    bootstrap_clusters(agreement.alpha, groups),
                )


def _among_people(found: Sequence[Unit]) -> Iterator[Agreement]:
    names = sorted({name for unit in found for name in unit.people})
    if len(names) < 2:
        return
    for aspect in SHOWN:
        rated = [unit for unit in found if any(aspect in rating for rating in unit.people.values())]
        if rated:
            groups = _grouped(rated, [_person(name, aspect) for name in names])
            yield Agreement(tuple(names), aspect, None, None, bootstrap_clusters(agreement.alpha, groups))


Column = Callable[[Unit], float]


def _of(rater: str, aspect: str) -> Column:
    return lambda unit: unit.by[rater].get(aspect, nan)


def _person(name: str, aspect: str) -> Column:
    return lambda unit: unit.people.get(name, {}).get(aspect, nan)


def _grouped(found: Sequence[Unit], columns: Sequence[Column]) -> list[Matrix]:
    """The ratings game by game: a row for each unit, a column for each rater."""
    by_game: dict[str, list[list[float]]] = {}
    for unit in found:
        by_game.setdefault(unit.game, []).append([column(unit) for column in columns])
    return [np.asarray(rows, dtype=float) for rows in by_game.values()]
