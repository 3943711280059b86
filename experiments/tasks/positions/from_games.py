"""From positions to games: whether arms that lose more on positions lose more in whole games, too.

The arms of a run of positions and of a run of games are matched by their names (`no-analyst`). Over arms, the
position-level figure is correlated with the mean paired difference of whole games.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from experiments.analysis.statistics.clusters import Correlation, correlate
from experiments.record import run_folder
from experiments.tasks.positions.effects import Effects, Outcome
from orchestrator.errors import UserError


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
    """Deals of the games."""


@dataclass(frozen=True)
class FromGames:
    folder: str
    arms: tuple[ArmInBoth, ...]
    """The largest loss in games first."""
    correlations: tuple[Correlation, ...]


FIGURES: Mapping[str, Callable[[Outcome], float]] = {
    "flips": lambda outcome: outcome.flipped,
    "loss by one-step value": lambda outcome: outcome.loss,
    "loss by rollouts": lambda outcome: outcome.rolled or 0.0,
}
LEAST = 3
"""Arms that a correlation takes."""


def compare(effects: Effects, run: Path) -> FromGames:
    """Compare a run of positions with a run of games. Raises UserError when they share no arm.

    Arms that cheat and null arms are left out: the baseline once more is near 0 in both, by its making.
    """
    games = _losses(run)
    rows = [e for e in effects.effects if e.arm.name in games and not e.arm.cheats and e.arm.kind != "null"]
    if not rows:
        raise UserError(
            f"no arm of {str(run)!r} has the name of an arm of positions; its arms are: {', '.join(games) or 'none'}"
        )
    names = [row.arm.name for row in rows]
    arms = [
        ArmInBoth(
            row.arm.name,
            row.flips,
            row.loss.mean,
            row.rolled.mean if row.rolled else None,
            fmean(games[row.arm.name].values()) if games[row.arm.name] else 0.0,
            len(games[row.arm.name]),
        )
        for row in rows
    ]
    figures = [name for name in FIGURES if "rollouts" not in name or all(row.rolled for row in rows)]
    correlations = [
        correlate(
            figure,
            [[(row.position.deal, FIGURES[figure](row)) for row in effects.outcomes[name]] for name in names],
            [games[name].items() for name in names],
        )
        for figure in figures
        if len(names) >= LEAST
    ]
    return FromGames(run.name, tuple(sorted(arms, key=lambda arm: -arm.games)), tuple(correlations))


def _losses(run: Path) -> dict[str, dict[str, float]]:
    """Return by arm how much less it scores than the baseline, by seed, which is the same deck at all player counts."""
    baseline = run_folder.run(run).get("baseline")
    if not baseline:
        raise UserError(f"the run in {str(run)!r} has no baseline, so its arms have no paired differences")
    scores = defaultdict[str, dict[tuple[int, int], list[int]]](dict)
    for row in run_folder.read_rows(run):
        scores[row.arm].setdefault((row.seed, row.players), []).append(row.score_strict)
    standard = scores.pop(str(baseline), {})
    losses: dict[str, dict[str, float]] = {}
    for arm, deals in scores.items():
        by_seed = defaultdict[str, list[float]](list)
        for (seed, players), values in deals.items():
            if (seed, players) in standard:
                by_seed[str(seed)].append(fmean(standard[seed, players]) - fmean(values))
        losses[arm] = {seed: fmean(values) for seed, values in by_seed.items()}
    return losses
