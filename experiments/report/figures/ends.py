"""How games ended."""

from typing import Any

from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.figures.scores import by_players, groups
from experiments.report.run_data import NothingToDrawError, RunData

ENDS = {
    "perfect": ("25 points", style.GREEN),
    "deck_exhausted": ("deck exhausted", style.SKY),
    "lives_lost": ("third life lost", style.VERMILLION),
    "max_turns": ("too many turns", style.PURPLE),
}


def _ends(data: RunData) -> Rows:
    rows = [
        (s.players, s.arm, s.n, *(s.ends.get(end, 0) for end in ENDS))
        for s in data.summaries()
        if s.players is not None
    ]
    if not rows:
        raise NothingToDrawError("no game is finished")
    return figure_rows(("players", "arm", "games", *ENDS), tuple(by_players(rows)))


def _paint(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    figure, axes = style.panels([style.height(len(rows)) for rows in by_players.values()])
    ends = [end for end in ENDS if any(row[end] for row in table)]
    for ax, (players, rows) in zip(axes, by_players.items(), strict=True):
        ax.set_title(style.headed(players))
        starts = [0.0] * len(rows)
        for end in ends:
            wide = [100 * row[end] / row["games"] for row in rows]
            ax.barh(range(len(rows)), wide, 0.7, starts, color=ENDS[end][1], linewidth=0, label=ENDS[end][0])
            starts = [a + b for a, b in zip(starts, wide, strict=True)]
        style.rows(ax, [data.name(row["arm"]) for row in rows])
        ax.set_xlim(0, 100)
    axes[-1].set_xlabel("% of games")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(ends), handlelength=1, columnspacing=1.2)
    return figure


FIGURES = (Figure("ends", "How games ended", "Share of games by how they ended.", _ends, _paint),)
