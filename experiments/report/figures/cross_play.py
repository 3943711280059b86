"""Cross-play: a heat map of the mean score of each pair."""

from collections.abc import Callable
from typing import Any

from experiments.design.cross_play import WITH
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, FigureTable
from experiments.report.run_data import RunData


def figures(data: RunData) -> list[Figure]:
    """A heat map for each player count; none for a run without pairs."""
    return [_figure(players) for players in data.players()] if data.pairs else []


def _figure(players: int) -> Figure:
    return Figure(
        f"cross-play-{players}p",
        f"Cross-play, {players} players",
        "Mean strict score of each pair: one in a single seat (down), another in all others (across). The diagonal is "
        "self-play.",
        _table(players),
        _paint,
    )


def _table(players: int) -> Callable[[RunData], FigureTable]:
    def table(data: RunData) -> FigureTable:
        of = set(data.pairs)
        rows = tuple(
            (*s.arm.split(WITH), players, s.n, s.strict, s.strict_se, s.kept, s.sd, s.struck_out)
            for s in data.analysis.summaries
            if s.arm in of and s.players == players
        )
        return FigureTable(("one", "rest", "players", "n", "strict", "strict_se", "kept", "sd", "struck_out"), rows)

    return table


def _paint(table: FigureTable, data: RunData) -> Any:
    """Viridis is monotonic in lightness, so it is readable in print and for colour-blind people."""
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    rows = table.records()
    ones, rests = (list(dict.fromkeys(row[name] for row in rows)) for name in ("one", "rest"))
    scores = {(row["one"], row["rest"]): row["strict"] for row in rows}
    grid = [[scores.get((one, rest), float("nan")) for rest in rests] for one in ones]
    side = max(style.WIDTH, 1.8 + 0.36 * len(rests))
    figure = Figure(figsize=(side, 1.2 + 0.36 * len(ones)), layout="constrained")
    ax: Any = figure.subplots()
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=25, aspect="auto")
    ax.set_xticks(range(len(rests)), rests, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(ones)), ones)
    ax.set_xlabel("all other seats")
    ax.set_ylabel("one seat")
    ax.tick_params(length=0)
    for y, line in enumerate(grid):
        for x, score in enumerate(line):
            if score == score:  # played
                colour = "#000000" if score > 15 else "#ffffff"
                ax.text(x, y, f"{score:.1f}", ha="center", va="center", color=colour, fontsize=7.5)
    figure.colorbar(image, label="mean strict score").outline.set_visible(False)
    return figure
