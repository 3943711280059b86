"""One number of each arm by player count: the interquartile mean of its scores, and the turns of its games."""

from collections.abc import Callable
from typing import Any

from experiments.analysis.summaries import Summary
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.figures.scores import by_players, groups, interval
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.study.notes import spans

Bounded = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval."""


def _iqm(summary: Summary, data: RunData) -> Bounded:
    score = summary.of(data.metric)
    return score.iqm, score.iqm_low, score.iqm_high


def _turns(summary: Summary, _: RunData) -> Bounded:
    return summary.means["turns"], None, None


def _table(name: str, value: Callable[[Summary, RunData], Bounded]) -> Callable[[RunData], Rows]:
    def table(data: RunData) -> Rows:
        rows = [(s.players, s.arm, spans(s.counts), s.n, data.metric, *value(s, data)) for s in data.summaries()]
        if not rows:
            raise NothingToDrawError("no game is finished")
        return figure_rows(("players", "arm", "counts", "games", "metric", name, "low", "high"), by_players(rows))

    return table


def _paint(name: str, label: str, most: float | None = None) -> Callable[[Rows, RunData], Any]:
    def paint(table: Rows, data: RunData) -> Any:
        by_count = groups(table)
        figure, axes = style.panels([style.height(len(rows)) for rows in by_count.values()])
        for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
            if most:
                style.experienced(ax)
            ax.set_title(style.headed(players))
            for place, row in enumerate(rows):
                ax.barh(place, row[name], 0.6, color=style.SKY, alpha=0.4, linewidth=0, zorder=1)
                interval(ax, place, row[name], row["low"], row["high"])
            style.rows(ax, [data.row_name(row["arm"], None if players else row["counts"]) for row in rows])
            ax.set_xlim(0, most and most + 0.4)
        axes[-1].set_xlabel(label.format(score=data.metric))
        return figure

    return paint


FIGURES = (
    Figure(
        "iqm",
        "Interquartile means",
        "Mean of the middle half of the scores of all games, with its 95 % bootstrap interval over deals (Agarwal et "
        f"al. 2021): a few very good or bad games do not move it. The grey band: {style.SOURCE}.",
        _table("iqm", _iqm),
        _paint("iqm", "interquartile mean of the {score} score", 25),
    ),
    Figure(
        "lengths",
        "Turns of a game",
        "Mean number of turns of a game, all players together.",
        _table("turns", _turns),
        _paint("turns", "turns"),
    ),
)
