"""How games ended."""

from typing import Any

from experiments.document import plots
from experiments.report.figures.figure import Figure, Rows, by_players, groups
from experiments.report.run_data import RunData

ENDS = {
    "perfect": ("25 points", plots.GREEN),
    "deck_exhausted": ("deck exhausted", plots.SKY),
    "lives_lost": ("third life lost", plots.VERMILLION),
    "max_turns": ("too many turns", plots.PURPLE),
}


def _ends(data: RunData) -> Rows:
    rows = [
        {"players": s.players, "arm": s.arm, "games": s.n, **{end: s.ends.get(end, 0) for end in ENDS}}
        for s in data.summaries()
        if s.players is not None
    ]
    return by_players(rows)


def _paint(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    figure, axes = plots.row_panels(by_count, "% of games")
    ends = {end: look for end, look in ENDS.items() if any(row[end] for row in table)}
    for ax, rows in zip(axes, by_count.values(), strict=True):
        plots.stacked(ax, rows, "games", ends)
        plots.rows(ax, [data.name(row["arm"]) for row in rows])
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(ends), handlelength=1, columnspacing=1.2)
    return figure


FIGURES = (Figure("ends", "How games ended", "Share of games by how they ended.", _ends, _paint),)
