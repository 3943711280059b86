"""Ad-hoc teams: the evaluated seat with each partner, beside that partner's self-play and its own."""

from typing import Any

from experiments.analysis.adhoc_teams import AdHocTeams, Mean
from experiments.report import control_tables
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, FigureTable
from experiments.report.figures.scores import groups, interval
from experiments.report.run_data import RunData

COLUMNS = ["players", "partner", "standing", "trials", "strict", "low", "high", "sd", "alone", "alone_sd"]
MEAN, SELF = "mean over partners", "self-play"


def figures(data: RunData) -> list[Figure]:
    """Return one figure; none for a run without ad-hoc teams."""
    return [FIGURE] if control_tables.teams(data) else []


def _table(data: RunData) -> FigureTable:
    rows = [row for one in control_tables.teams(data) for row in _rows(one)]
    return FigureTable(tuple(COLUMNS), tuple(rows))


def _rows(one: AdHocTeams) -> list[tuple[Any, ...]]:
    rows = [_row(one, met.partner, met.standing, met.trials, met.alone) for met in one.partners]
    rows += [_row(one, MEAN, "held out", one.over_partners, None)] if one.over_partners else []
    return rows + ([_row(one, SELF, "itself", one.self_play, None)] if one.self_play else [])


def _row(one: AdHocTeams, name: str, what: str | None, found: Mean, alone: Mean | None) -> tuple[Any, ...]:
    low, high = found.bounds or (None, None)
    own = (alone.mean, alone.sd) if alone else (None, None)
    return one.players, name, what, found.games, found.mean, low, high, found.sd, *own


def _paint(table: FigureTable, data: RunData) -> Any:
    found = groups(table)
    figure, axes = style.panels([style.height(len(rows)) for rows in found.values()])
    for ax, (players, rows) in zip(axes, found.items(), strict=True):
        ax.set_title(style.headed(players))
        for place, row in enumerate(rows):
            face = style.INK if row["standing"] == "held out" else style.PAPER
            interval(ax, place, row["strict"], row["low"], row["high"], markerfacecolor=face)
            if row["alone"] is not None:
                ax.plot([row["alone"]], [place], "|", color=style.BLUE, markersize=10, zorder=3)
        style.rows(ax, [row["partner"] for row in rows])
        ax.set_xlim(-0.4, 25.4)
    axes[-1].set_xlabel("strict score")
    return figure


FIGURE = Figure(
    "ad-hoc-teams",
    "Ad-hoc teams",
    "Mean strict score of the evaluated seat with each partner and its 95 % interval over deals; filled: the partner "
    "is held out. Blue: the partner in self-play.",
    _table,
    _paint,
)
