"""Cross-play: a heat map of the mean score of each pair."""

from functools import partial
from typing import Any

from experiments.document import plots
from experiments.report.figures.figure import Figure, Rows
from experiments.report.figures.scores import both, of_metric
from experiments.report.run_data import RunData
from experiments.study.pairs import WITH


def figures(data: RunData) -> list[Figure]:
    """Return a heat map for each player count; none for a run without pairs."""
    return [
        Figure(
            f"cross-play-{players}p",
            f"Cross-play, {players} players",
            "Mean score of each pair, with its 95 % interval: one in a single seat (down), another in all others "
            "(across). The diagonal is self-play.",
            partial(_table, players=players),
            _paint,
        )
        for players in (data.players() if data.pairs else ())
    ]


def _table(data: RunData, *, players: int) -> Rows:
    return [
        {
            **dict(zip(("one", "rest"), s.arm.split(WITH), strict=True)),
            **{"players": players, "n": s.n, "metric": data.metric, "strict_se": s.of("strict").se},
            **{"sd": s.of("strict").sd, "struck_out": s.struck_out, **both(s)},
        }
        for s in data.analysis.summaries
        if s.arm in data.pairs and s.players == players
    ]


def _paint(rows: Rows, data: RunData) -> Any:
    """Viridis is monotonic in lightness, so it is readable in print and for colour-blind people."""
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    ones, rests = (list(dict.fromkeys(row[name] for row in rows)) for name in ("one", "rest"))
    cells = {(row["one"], row["rest"]): of_metric(row, data.metric) for row in rows}
    grid = [[cells[cell, rest][0] if (cell, rest) in cells else float("nan") for rest in rests] for cell in ones]
    side = max(plots.WIDTH, 1.8 + 0.56 * len(rests))
    figure = Figure(figsize=(side, 1.2 + 0.42 * len(ones)), layout="constrained")
    ax: Any = figure.subplots()
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=25, aspect="auto")
    ax.set_xticks(range(len(rests)), rests, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(ones)), ones)
    ax.set_xlabel("all other seats")
    ax.set_ylabel("one seat")
    ax.tick_params(length=0)
    for (cell, rest), (mean, low, high) in cells.items():
        look = {"ha": "center", "va": "center", "color": "#000000" if mean > 15 else "#ffffff"}
        x, y = rests.index(rest), ones.index(cell)
        means = low is not None and high is not None
        ax.text(x, y - (0.17 if means else 0), f"{mean:.1f}", fontsize=7.5, **look)
        if means:
            ax.text(x, y + 0.23, f"{low:.1f}–{high:.1f}", fontsize=5.5, **look)
    figure.colorbar(image, label=f"mean {data.metric} score").outline.set_visible(False)
    return figure
