"""Score against cost."""

from typing import Any

from experiments.document import plots
from experiments.report.figures.figure import Figure, Rows, by_players
from experiments.report.run_data import NothingToDrawError, RunData


def _cost(data: RunData) -> Rows:
    rows = [
        {
            **{"players": s.players, "arm": s.arm, "games": s.n},
            **{key: s.means[key] for key in ("calls", "tokens_in", "tokens_out", "usd")},
            **{"strict": s.of("strict").mean, "kept": s.of("kept").mean},
        }
        for s in data.summaries()
        if s.players is not None
    ]
    if not any(row["tokens_out"] or row["tokens_in"] for row in rows):
        raise NothingToDrawError("no call was paid for: simulated models and programs cost nothing")
    return by_players(rows)


MARKS = {2: "o", 3: "s", 4: "^", 5: "D"}


def _paint(rows: Rows, data: RunData) -> Any:
    priced = all(row["usd"] is not None for row in rows) and any(row["usd"] for row in rows)
    figure, (ax,) = plots.panels([2.9])
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    for row in rows:
        cost = row["usd"] if priced else row["tokens_in"] + row["tokens_out"]
        colour = plots.COLOURS[arms.index(row["arm"]) % len(plots.COLOURS)]
        ax.plot([cost], [row[data.metric]], MARKS[row["players"]], color=colour, markersize=6, markeredgewidth=0)
    ax.set_xlabel("US dollars per game" if priced else "tokens per game, in and out")
    ax.set_ylabel(f"mean {data.metric} score")
    ax.set_ylim(0, 25)
    ax.set_xlim(left=0)
    for place, arm in enumerate(arms):
        ax.plot([], [], "o", color=plots.COLOURS[place % len(plots.COLOURS)], label=data.name(arm))
    for players in dict.fromkeys(row["players"] for row in rows):
        ax.plot([], [], MARKS[players], color=plots.MUTED, label=plots.headed(players))
    figure.legend(loc="outside upper center", ncols=2, handlelength=1, columnspacing=1.2)
    return figure


FIGURE = Figure(
    "cost",
    "Cost and score",
    "Mean cost of a game, in dollars where all prices are known and otherwise in tokens, and mean score.",
    _cost,
    _paint,
)
