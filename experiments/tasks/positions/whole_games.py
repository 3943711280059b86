"""Effects on positions beside those of whole games, whose arms have the same names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.analysis.statistics.correlation import (
    LEAST,
    Correlation,
    correlate,
)
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.tasks.positions.effects import Effects, mean
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.orchestrator.errors import UserError


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


def compare_games(effects: Effects, run: Path) -> FromGames:
    """Compare a run of positions with a run of games, whose arms are matched by their names
    (`no-analyst`).

    Over arms, figures of positions are correlated with the mean paired difference of whole games.
    Arms that cheat and noise floors are left out: the baseline once more is near 0 in both. Raises
    UserError when the runs share no arm.
    """
    games = _losses(run)
    rows = []
    for e in effects.effects:
        if e.arm.name in games and not e.arm.cheats and not e.arm.is_noise_floor:
            rows.append(e)
    if not rows:
        raise UserError(
            f"no arm of {str(run)!r} has the name of an arm of positions; its arms are: "
            f"{', '.join(games) or 'none'}"
        )
    names = [row.arm.name for row in rows]
    arms = []
    for row in rows:
        arms.append(
            ArmInBoth(
                row.arm.name,
                row.flips,
                mean(row.loss),
                mean(row.rolled) if row.rolled else None,
                fmean(games[row.arm.name].values()),
                len(games[row.arm.name]),
            )
        )
    figures = []
    for name in FIGURES:
        if "rollouts" not in name or all(row.rolled for row in rows):
            figures.append(name)
    correlations = []
    for figure in figures:
        if len(names) >= LEAST:
            correlations.append(
                correlate(
                    figure,
                    [_over_deals(FIGURES[figure], effects.outcomes[name]) for name in names],
                    [fmean(games[name].values()) for name in names],
                )
            )
    return FromGames(run.name, tuple(sorted(arms, key=lambda arm: -arm.games)), tuple(correlations))


def _over_deals(figure: Callable[[Outcome], float], outcomes: Sequence[Outcome]) -> float:
    return fmean(cluster_means((row.position.deal, figure(row)) for row in outcomes).values())


def _losses(run: Path) -> dict[str, dict[str, float]]:
    """Return by arm how much less it scores than the baseline on shared deals, by seed: the same
    deck at all counts."""
    baseline = run_folder.run(run).get("baseline")
    if not baseline:
        raise UserError(
            f"the run in {str(run)!r} has no baseline, so its arms have no paired differences"
        )
    means = cluster_means(
        ((row.arm, row.seed, row.players), row.score_strict) for row in run_folder.read_rows(run)
    )
    losses: dict[str, list[tuple[str, float]]] = {arm: [] for arm, *_ in means if arm != baseline}
    for (arm, seed, players), score in means.items():
        standard = means.get((baseline, seed, players))
        if arm != baseline and standard is not None:
            losses[arm].append((str(seed), standard - score))
    return {arm: cluster_means(deals) for arm, deals in losses.items() if deals}
