"""One number of each arm by player count: the interquartile mean of its scores, and the turns of its games."""

from collections.abc import Callable
from functools import partial
from typing import Any

from experiments.analysis.summaries import Summary
from experiments.document import plots
from experiments.report.figures.figure import SOURCE, Figure, Rows, by_players, experienced, groups
from experiments.report.run_data import RunData
from experiments.study.notes import spans


def _table(data: RunData, name: str, value: Callable[[Summary], tuple[float | None, ...]]) -> Rows:
    """Return a row for each summary, with its `value` and the ends of its interval."""
    rows = [
        {
            **{"players": s.players, "arm": s.arm, "counts": spans(s.counts), "games": s.n, "metric": data.metric},
            **dict(zip((name, "low", "high"), value(s), strict=True)),
        }
        for s in data.summaries()
    ]
    return by_players(rows)


def _iqm(data: RunData) -> Rows:
    return _table(data, "iqm", lambda s: (s.of(data.metric).iqm, s.of(data.metric).iqm_low, s.of(data.metric).iqm_high))


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
        _iqm,
        partial(_paint, name="iqm", label="interquartile mean of the {score} score", most=25),
    ),
    Figure(
        "lengths",
        "Turns of a game",
        "Mean number of turns of a game, all players together.",
        lambda data: _table(data, "turns", lambda s: (s.means["turns"], None, None)),
        partial(_paint, name="turns", label="turns"),
    ),
)
