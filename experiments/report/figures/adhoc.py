"""Ad-hoc teams: the evaluated seat with each partner, beside that partner's self-play and its own."""

from typing import Any

from experiments.document import plots
from experiments.report.figures.figure import Figure, Rows, groups
from experiments.report.run_data import RunData


def figures(data: RunData) -> list[Figure]:
    """Return one figure; none for a run without ad-hoc teams."""
    return [FIGURE] if data.teams else []


def _table(data: RunData) -> Rows:
    return [
        {
            **{"players": team.players, "partner": met.partner, "standing": met.standing, "trials": met.trials.games},
            **{"strict": met.trials.mean, "low": low, "high": high, "sd": met.trials.sd},
            **({"alone": met.alone.mean, "alone_sd": met.alone.sd} if met.alone else {"alone": None, "alone_sd": None}),
        }
        for team in data.teams
        for met in team.rows
        for low, high in [met.trials.bounds or (None, None)]
    ]


def _paint(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    figure, axes = plots.row_panels(by_players, "strict score")
    for ax, rows in zip(axes, by_players.values(), strict=True):
        for place, row in enumerate(rows):
            face = plots.INK if row["standing"] == "held out" else plots.PAPER
            plots.interval(ax, place, row["strict"], row["low"], row["high"], markerfacecolor=face)
            if row["alone"] is not None:
                ax.plot([row["alone"]], [place], "|", color=plots.BLUE, markersize=10, zorder=3)
        plots.rows(ax, [row["partner"] for row in rows])
        ax.set_xlim(-0.4, 25.4)
    return figure


FIGURE = Figure(
    "ad-hoc-teams",
    "Ad-hoc teams",
    "Mean strict score of the evaluated seat with each partner and its 95 % interval over deals; filled: the partner "
    "is held out. Blue: the partner in self-play.",
    _table,
    _paint,
)
