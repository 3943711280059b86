"""Ratings of statements by several raters: the mean of each aspect, and how far the raters agree.

The turns of a game are one cluster: intervals draw whole games.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import nan

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics import agreement
from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    Clustered,
    bootstrap_clusters,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Matrix

Rating = Mapping[str, float]
"""The ratings of one rater by their aspects."""


@dataclass(frozen=True)
class Rated:
    """One statement, with what each rater gave it; a rater who gave it nothing is missing."""

    game: str
    turn: int
    model: str
    by: Mapping[str, Rating]
    people: Mapping[str, Rating]
    """The ratings of people, one by one."""


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


def scores(
    statements: Sequence[Rated], raters: Sequence[str], aspects: Sequence[str]
) -> list[Score]:
    """Return, for every model that kept lists and every rater, the mean of each aspect."""
    present = []
    for rater in raters:
        if any(rater in row.by for row in statements):
            present.append(rater)
    scores = []
    for model in dict.fromkeys(row.model for row in statements):
        for rater in present:
            rows = [row for row in statements if row.model == model and rater in row.by]
            for aspect in aspects if rows else ():
                mean = bootstrap_clusters(agreement.mean, _grouped(rows, [rater], aspect))
                scores.append(Score(model, rater, aspect, mean))
    return scores


def agreements(
    statements: Sequence[Rated], raters: Sequence[str], aspects: Sequence[str]
) -> Iterator[Agreement]:
    """Return the agreement of each two raters, and of people where there are several."""
    for pair in combinations(raters, 2):
        for aspect in aspects:
            if rows := [row for row in statements if _rated(row, pair, aspect)]:
                groups = _grouped(rows, pair, aspect)
                statistics = (agreement.pearson, agreement.spearman, agreement.alpha)
                yield Agreement(
                    pair,
                    aspect,
                    *(bootstrap_clusters(statistic, groups) for statistic in statistics),
                )
    people = sorted(set(chain.from_iterable(row.people for row in statements)))
    for aspect in aspects if len(people) > 1 else ():
        if rows := [row for row in statements if aspect in chain(*row.people.values())]:
            groups = _grouped(rows, people, aspect, people=True)
            yield Agreement(
                tuple(people), aspect, None, None, bootstrap_clusters(agreement.alpha, groups)
            )


def _rated(statement: Rated, raters: Iterable[str], aspect: str) -> bool:
    """Tell whether all raters rated an aspect of a statement."""
    return all(aspect in statement.by.get(rater, ()) for rater in raters)


def _grouped(
    statements: Sequence[Rated], raters: Sequence[str], aspect: str, *, people: bool = False
) -> list[Matrix]:
    """Return the ratings game by game: a row for each statement, a column for each rater, or
    person."""
    by_game: dict[str, list[list[float]]] = {}
    for row in statements:
        ratings = row.people if people else row.by
        by_game.setdefault(row.game, []).append(
            [ratings.get(rater, {}).get(aspect, nan) for rater in raters]
        )
    return [np.asarray(rows, dtype=float) for rows in by_game.values()]
