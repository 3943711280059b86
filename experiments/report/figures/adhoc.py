"""Ad-hoc teams: the evaluated seat with each partner, beside that partner's self-play and its own."""

from typing import Any

from experiments.analysis.adhoc_teams import AdHocTeams, Mean
from experiments.report import control_tables
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.figures.scores import groups, interval
from experiments.report.run_data import RunData

COLUMNS = ["players", "partner", "standing", "trials", "strict", "low", "high", "sd", "alone", "alone_sd"]
MEAN, SELF = "mean over partners", "self-play"


def figures(data: RunData) -> list[Figure]:
    """Return one figure; none for a run without ad-hoc teams."""
    return [FIGURE] if control_tables.teams(data) else []


def _table(data: RunData) -> Rows:
    rows = [row for team in control_tables.teams(data) for row in _rows(team)]
    return figure_rows(tuple(COLUMNS), tuple(rows))


def _rows(team: AdHocTeams) -> list[tuple[Any, ...]]:
    rows = [_row(team, met.partner, met.standing, met.trials, met.alone) for met in team.partners]
    rows += [_row(team, MEAN, "held out", team.over_partners, None)] if team.over_partners else []
    return rows + ([_row(team, SELF, "itself", team.self_play, None)] if team.self_play else [])


def _row(team: AdHocTeams, name: str, what: str | None, mean: Mean, alone: Mean | None) -> tuple[Any, ...]:
    low, high = mean.bounds or (None, None)
    self_play = (alone.mean, alone.sd) if alone else (None, None)
    return team.players, name, what, mean.games, mean.mean, low, high, mean.sd, *self_play


def _paint(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    figure, axes = style.panels([style.height(len(rows)) for rows in by_players.values()])
    for ax, (players, rows) in zip(axes, by_players.items(), strict=True):
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
