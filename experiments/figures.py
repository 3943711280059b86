"""Figures of a run, each with its CSV: heat maps of cross-play."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments import cross_play
from experiments.adhoc import EVALUATED
from experiments.analysis import Summary, analyse
from experiments.plan import Plan
from experiments.results import Row, replace
from orchestrator.errors import UserError

FIGURES = "figures"
MISSING = "figures need matplotlib, which is not installed: `pip install 'hanabi-orchestrator[figures]'`"


def draw(plan: Plan, rows: Sequence[Row]) -> None:
    """figures/cross-play-<n>p.csv, and .png and .svg where matplotlib is installed."""
    if plan.experiment.cross_play is None and plan.experiment.adhoc is None:
        return
    named = [arm.name for arm in plan.arms]
    shown = [row for row in rows if row.arm in named and not row.arm.startswith(f"{EVALUATED}{cross_play.WITH}")]
    pairs = analyse(shown, order=named).summaries
    for players in sorted({row.players for row in shown}):
        stem = plan.folder / FIGURES / f"cross-play-{players}p"
        replace(stem.with_suffix(".csv"), cross_play.table(pairs, players))
        if there():
            heat_map([s for s in pairs if s.players == players], players, stem)


def there() -> bool:
    """Whether figures can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def heat_map(pairs: Sequence[Summary], players: int, stem: Path) -> None:
    """The mean strict scores of all pairs as a map, the figures in its cells. Raises UserError without matplotlib.

    Viridis grows steadily in lightness, so that it is read in print and by colour-blind people.
    """
    if not there():
        raise UserError(MISSING)
    from matplotlib.figure import Figure  # half a second, and most runs draw nothing

    scores = {tuple(pair.arm.split(cross_play.WITH)): pair.strict for pair in pairs}
    ones = list(dict.fromkeys(one for one, _ in scores))
    rests = list(dict.fromkeys(rest for _, rest in scores))
    grid = [[scores.get((one, rest), float("nan")) for rest in rests] for one in ones]
    side = 2.2 + 0.55 * len(rests)
    figure = Figure(figsize=(side + 1.2, side), layout="constrained")
    axes: Any = figure.subplots()
    image = axes.imshow(grid, cmap="viridis", vmin=0, vmax=25)
    axes.set_xticks(range(len(rests)), rests, rotation=45, ha="right")
    axes.set_yticks(range(len(ones)), ones)
    axes.set_xlabel("all other seats")
    axes.set_ylabel("one seat")
    games = sorted({pair.n for pair in pairs})
    many = str(games[0]) if len(games) == 1 else f"{games[0]}-{games[-1]}"
    simulated = ", simulated" if any(pair.simulated for pair in pairs) else ""
    axes.set_title(f"Mean score, {players} players, {many} games a pair{simulated}", fontsize=10)
    for y, row in enumerate(grid):
        for x, score in enumerate(row):
            if score == score:  # played
                colour = "black" if score > 15 else "white"
                axes.text(x, y, f"{score:.1f}", ha="center", va="center", color=colour, fontsize=8)
    figure.colorbar(image, label="mean strict score")
    for suffix in (".png", ".svg"):
        figure.savefig(stem.with_suffix(suffix), dpi=150, metadata={"Date": None} if suffix == ".svg" else None)
