"""The rank of the chosen moves in a recommender's list, as histograms: a panel for each arm, a colour for each seat."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import RankTable
from experiments.record import turn_rows
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.run_data import NothingToDrawError, RunData

COLUMNS = ("players", "arm", "by", "rank", "turns", "share", "low", "high", "games")
PANELS = 8
"""The most arms that are drawn; the table has all."""


def table_of(ranks: Sequence[RankTable]) -> Rows:
    """Return a row for each rank, and one for moves that are not on the list."""
    most = policies.longest(ranks)
    rows = [
        (
            arm_ranks.players,
            arm_ranks.arm,
            arm_ranks.by,
            policies.rank_name(rank),
            arm_ranks.counts[rank],
            share,
            *(ends or (None, None)),
            games,
        )
        for arm_ranks in ranks
        for games in (len(arm_ranks.games),)
        for rank, (share, ends) in arm_ranks.shares(most).items()
    ]
    return figure_rows(COLUMNS, tuple(rows))


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
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in table:
        groups.setdefault((row["players"], row["arm"]), []).append(row)
    panels = list(groups.items())[:PANELS]
    ranks = [str(rank) for rank in range(1, max(_number(row["rank"]) for _, rows in panels for row in rows) + 1)]
    places = [*ranks, policies.OUTSIDE]
    figure, axes = style.panels([1.15] * len(panels))
    for ax, ((players, arm), rows) in zip(axes, panels, strict=True):
        ax.set_title(f"{arm}, {style.headed(players)}")
        seats = list(dict.fromkeys(row["by"] for row in rows))
        for number, seat in enumerate(seats):
            _bars(ax, [row for row in rows if row["by"] == seat], places, number, len(seats))
        ax.set_ylim(0, 100)
        ax.set_ylabel("% of turns")
        ax.set_xticks(range(len(places)), places)
    axes[-1].set_xlabel("rank of the chosen move in the recommender's list")
    names = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(names.values(), names.keys(), loc="outside upper center", ncols=5, handlelength=1, columnspacing=1.2)
    return figure


def _bars(ax: Any, rows: Sequence[dict[str, Any]], places: Sequence[str], number: int, seats: int) -> None:
    wide = 0.8 / seats
    for row in rows:
        x = places.index(row["rank"]) + (number - (seats - 1) / 2) * wide
        share, colour = 100 * row["share"], style.COLOURS[number % len(style.COLOURS)]
        ax.bar(x, share, wide * 0.92, color=colour, linewidth=0, label=row["by"] if row is rows[0] else None)
        if row["low"] is not None:
            ax.vlines(x, 100 * row["low"], 100 * row["high"], color=style.INK, linewidth=0.9)


def _number(rank: str) -> int:
    return 0 if rank == policies.OUTSIDE else int(rank)


FIGURE = Figure(
    "list-ranks",
    "Rank of the chosen move in the recommender's list",
    "Share of a seat's turns by the rank that its recommender gave the chosen move, with 95 % intervals over deals; "
    f"“{policies.OUTSIDE}” is a move that is not on the list. Forced moves are left out; at most {PANELS} arms are "
    "drawn, the table has all.",
    _table,
    lambda table, data: paint(table),
)
