"""One number of each arm by player count: the interquartile mean of its scores, and the turns of its games."""

from functools import partial
from typing import Any

from experiments.document import plots
from experiments.report.figures.figure import SOURCE, Figure, Rows, by_players, experienced, groups
from experiments.report.run_data import RunData
from experiments.study.notes import spans


def _table(data: RunData, *, name: str) -> Rows:
    """Return a row for each summary, with its number of this name and the ends of its interval."""
    rows = []
    for s in data.summaries():
        head = {"players": s.players, "arm": s.arm, "counts": spans(s.counts), "games": s.n, "metric": data.metric}
        value, low, high = s.means.get(name), None, None
        if name == "iqm":
            score = s.of(data.metric)
            value, low, high = score.iqm, score.iqm_low, score.iqm_high
        rows.append({**head, name: value, "low": low, "high": high})
    return by_players(rows)


def _paint(table: Rows, data: RunData, *, name: str, label: str, most: float | None = None) -> Any:
    by_count = groups(table)
    figure, axes = plots.row_panels(by_count, label.format(score=data.metric))
    for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
        if most:
            experienced(ax)
        for place, row in enumerate(rows):
            ax.barh(place, row[name], 0.6, color=plots.SKY, alpha=0.4, linewidth=0, zorder=1)
            plots.interval(ax, place, row[name], row["low"], row["high"])
        plots.rows(ax, [data.row_name(row["arm"], None if players else row["counts"]) for row in rows])
        ax.set_xlim(0, most and most + 0.4)
    return figure


FIGURES = (
    Figure(
        "iqm",
        "Interquartile means",
        "Mean of the middle half of the scores of all games, with its 95 % bootstrap interval over deals (Agarwal et "
        f"al. 2021): a few very good or bad games do not move it. The grey band: {SOURCE}.",
        partial(_table, name="iqm"),
        partial(_paint, name="iqm", label="interquartile mean of the {score} score", most=25),
    ),
    Figure(
        "lengths",
        "Turns of a game",
        "Mean number of turns of a game, all players together.",
        partial(_table, name="turns"),
        partial(_paint, name="turns", label="turns"),
    ),
)
