"""From positions to games: whether arms that lose more on positions lose more in whole games, too.

The arms of a run of positions and of a run of games are matched by their names (`no-analyst`). Over arms, the
position-level figure is correlated with the mean paired difference of whole games; the interval is a bootstrap that
draws the deals of the positions and the deals of the games anew, each time for all arms together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from experiments.record import run_folder
from experiments.record.rows import Row
from experiments.statistics.estimates import CONFIDENCE, RESAMPLES, ROUNDING, SEED, Bounds, Matrix
from experiments.tasks.positions.arms import Arm
from experiments.tasks.positions.effects import Found, Outcome, by_deal
from orchestrator.errors import UserError

Deltas = Mapping[str, float]
"""By deal; of whole games by seed, which is the same deck at all player counts."""


@dataclass(frozen=True)
class ArmInBoth:
    name: str
    flips: float
    loss: float
    """By one-step values, in points a decision."""
    rolled: float | None
    """By rollouts."""
    games: float
    """Points that whole games of the arm score less than those of the baseline, paired by deal."""
    deals: int
    """Of the games."""


@dataclass(frozen=True)
class Correlation:
    figure: str
    arms: int
    spearman: float | None
    """Rank correlation over arms; None where one side has no ranks, all arms being equal."""
    spearman_between: Bounds | None
    pearson: float | None
    pearson_between: Bounds | None
    undefined: int
    """Resamples of the bootstrap in which there was no rank correlation."""


@dataclass(frozen=True)
class FromGames:
    folder: str
    arms: tuple[ArmInBoth, ...]
    """The largest loss in games first."""
    correlations: tuple[Correlation, ...]


FIGURES: Mapping[str, Callable[[Outcome], float]] = {
    "flips": lambda one: one.flipped,
    "loss by one-step value": lambda one: one.loss,
    "loss by rollouts": lambda one: one.rolled or 0.0,
}
LEAST = 3
"""Arms that a correlation takes."""


def of(found: Found, run: Path) -> FromGames:
    """A run of positions beside a run of games. Raises UserError when they share no arm."""
    games = _losses(run)
    names = [one.arm.name for one in found.effects if one.arm.name in games and _counts(one.arm)]
    if not names:
        raise UserError(
            f"no arm of {str(run)!r} has the name of an arm of positions; its arms are: {', '.join(games) or 'none'}"
        )
    arms = [_arm(found, name, games[name]) for name in names]
    rolled = all(one.rolled is not None for one in arms)
    figures = [name for name in FIGURES if rolled or "rollouts" not in name]
    made = [_correlation(figure, found, names, games) for figure in figures] if len(names) >= LEAST else []
    return FromGames(run.name, tuple(sorted(arms, key=lambda arm: -arm.games)), tuple(made))


def _losses(run: Path) -> dict[str, Deltas]:
    """By arm: how much less it scores than the baseline, by deal."""
    record, rows = run_folder.run(run), run_folder.read_rows(run)
    baseline = record.get("baseline")
    if not baseline:
        raise UserError(f"the run in {str(run)!r} has no baseline, so its arms have no paired differences")
    scores: dict[str, dict[tuple[int, int], list[Row]]] = {}
    for row in rows:
        scores.setdefault(row.arm, {}).setdefault((row.seed, row.players), []).append(row)
    standard = scores.pop(str(baseline), {})
    return {arm: _by_seed(found, standard) for arm, found in scores.items()}


def _by_seed(
    games: Mapping[tuple[int, int], Sequence[Row]], standard: Mapping[tuple[int, int], Sequence[Row]]
) -> Deltas:
    found: dict[str, list[float]] = {}
    for place, rows in games.items():
        if place in standard:
            found.setdefault(str(place[0]), []).append(_mean(standard[place]) - _mean(rows))
    return {seed: fmean(values) for seed, values in found.items()}


def _counts(arm: Arm) -> bool:
    """Whether an arm may be correlated: the baseline once more is near 0 in both, by its making."""
    return not arm.cheats and arm.kind != "null"


def _mean(rows: Sequence[Row]) -> float:
    return float(np.mean([row.score_strict for row in rows]))


def _arm(found: Found, name: str, games: Deltas) -> ArmInBoth:
    effect = found.effect(name)
    assert effect is not None
    lost = float(np.mean(list(games.values()))) if games else 0.0
    rolled = effect.rolled.mean if effect.rolled else None
    return ArmInBoth(name, effect.flips, effect.loss.mean, rolled, lost, len(games))


def _correlation(figure: str, found: Found, names: Sequence[str], games: Mapping[str, Deltas]) -> Correlation:
    ours = _table([by_deal(found.outcomes[name], FIGURES[figure]) for name in names])
    theirs = _table([games[name] for name in names])
    rng = np.random.default_rng(SEED)
    one, other = (_resampled(table, rng) for table in (ours, theirs))
    ranked, straight = _spearman(one, other), _pearson(one, other)
    whole = _means(ours[None]), _means(theirs[None])
    return Correlation(
        figure,
        len(names),
        _defined(_spearman(*whole)[0]),
        _between(ranked),
        _defined(_pearson(*whole)[0]),
        _between(straight),
        int(np.isnan(ranked).sum()),
    )


def _table(arms: Sequence[Deltas]) -> Matrix:
    """A row for each deal, a column for each arm; nan where an arm lacks the deal."""
    deals = sorted({deal for arm in arms for deal in arm})
    return np.array([[arm.get(deal, np.nan) for arm in arms] for deal in deals])


def _resampled(table: Matrix, rng: np.random.Generator) -> Matrix:
    """The arms' means in each resample of the deals."""
    drawn = rng.integers(0, len(table), (RESAMPLES, len(table)))
    return np.concatenate([_means(table[part]) for part in np.array_split(drawn, 20)])


def _means(tables: Matrix) -> Matrix:
    """The arms' means in each of several tables, over the deals that they have."""
    there = ~np.isnan(tables)
    sums: Matrix = np.where(there, tables, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return sums


def _spearman(one: Matrix, other: Matrix) -> Matrix:
    """Row by row."""
    from scipy.stats import rankdata

    return _pearson(rankdata(np.round(one, 9), axis=1), rankdata(np.round(other, 9), axis=1))


def _pearson(one: Matrix, other: Matrix) -> Matrix:
    """Row by row; nan where one side has no spread."""
    one, other = one - one.mean(axis=1, keepdims=True), other - other.mean(axis=1, keepdims=True)
    spread: Matrix = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Matrix = np.where(spread > ROUNDING**2, (one * other).sum(axis=1) / spread, np.nan)
    return found


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _between(values: Matrix) -> Bounds | None:
    """95 %, of the resamples that have a correlation; None where fewer than half have one."""
    kept = values[~np.isnan(values)]
    if len(kept) < len(values) / 2:
        return None
    low, high = np.quantile(kept, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
