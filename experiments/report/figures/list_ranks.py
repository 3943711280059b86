"""The rank of the chosen moves in a recommender's list, as histograms: a panel for each arm, a colour for each seat."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import RankTable
from experiments.document import plots
from experiments.record import turn_rows
from experiments.report.figures.figure import Figure, Rows, groups
from experiments.report.run_data import NothingToDrawError, RunData

PANELS = 8
"""The most arms that are drawn; the table has all."""


def table_of(tables: Sequence[RankTable]) -> Rows:
    """Return a row for each rank, and one for moves that are not on the list."""
    most = policies.longest(tables)
    return [
        {
            **{"players": ranks.players, "arm": ranks.arm, "by": ranks.by, "rank": policies.rank_name(rank)},
            **{"turns": ranks.counts[rank], "share": share, "low": low, "high": high, "games": len(ranks.games)},
        }
        for ranks in tables
        for rank, (share, bounds) in ranks.shares(most).items()
        for low, high in [bounds or (None, None)]
    ]


def _table(data: RunData) -> Rows:
    ranks: list[RankTable] = []
    for (arm, players), tally in sorted(data.tallies.items(), key=lambda item: item[0][1]):
        for seat, games in sorted(tally.list_ranks.items()):
            ranks.append(RankTable(arm, players, f"P{seat}", {game: Counter(c) for game, c in games.items()}))
    if not ranks:
        nodes = [node for config in data.configs for node in config["nodes"].values()]
        listing = any(turn_rows.lists_moves(node["role"]) for node in nodes)
        raise NothingToDrawError("lean journals hold no lists of programs" if listing else "no seat has a recommender")
    return table_of(ranks)


def paint(table: Rows) -> Any:
    """Return a panel for each arm and player count; bars with their 95 % intervals."""
    panels = list(groups(table, "players", "arm").items())[:PANELS]
    ranks = {row["rank"] for _, rows in panels for row in rows} - {policies.OUTSIDE}
    places = [*map(str, range(1, max(map(int, ranks), default=0) + 1)), policies.OUTSIDE]
    figure, axes = plots.panels([1.15] * len(panels))
    for ax, ((players, arm), rows) in zip(axes, panels, strict=True):
        ax.set_title(f"{arm}, {plots.headed(players)}")
        by_seat = groups(rows, "by")
        for number, (seat, shares) in enumerate(by_seat.items()):
            _bars(ax, [(places.index(row["rank"]), row) for row in shares], seat, number, len(by_seat))
        ax.set_ylim(0, 100)
        ax.set_ylabel("% of turns")
        ax.set_xticks(range(len(places)), places)
    axes[-1].set_xlabel("rank of the chosen move in the recommender's list")
    names = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(names.values(), names.keys(), loc="outside upper center", ncols=5, handlelength=1, columnspacing=1.2)
    return figure


def _bars(ax: Any, rows: Sequence[tuple[int, dict[str, Any]]], seat: str, number: int, seats: int) -> None:
    """Draw the shares of one of several seats, beside those of the others."""
    wide, colour = 0.8 / seats, plots.COLOURS[number % len(plots.COLOURS)]
    for first, (place, row) in enumerate(rows):
        x = place + (number - (seats - 1) / 2) * wide
        ax.bar(x, 100 * row["share"], wide * 0.92, color=colour, linewidth=0, label=None if first else seat)
        if row["low"] is not None:
            ax.vlines(x, 100 * row["low"], 100 * row["high"], color=plots.INK, linewidth=0.9)


FIGURE = Figure(
    "list-ranks",
    "Rank of the chosen move in the recommender's list",
    "Share of a seat's turns by the rank that its recommender gave the chosen move, with 95 % intervals over deals; "
    f"“{policies.OUTSIDE}” is a move that is not on the list. Forced moves are left out; at most {PANELS} arms are "
    "drawn, the table has all.",
    _table,
    lambda table, data: paint(table),
)
