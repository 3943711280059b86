"""How moves were chosen: their rank in the seat's ratings or in a recommender's list, whether
samples agreed, and which node proposed them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from hanabi_orchestrator.experiments.analysis import policies
from hanabi_orchestrator.experiments.analysis.policies import RankTable
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.record import turn_rows
from hanabi_orchestrator.experiments.report.figures.figure import Figure, Rows, groups
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData

SHADES = (plots.BLUE, plots.SKY, plots.ORANGE, plots.VERMILLION)
RANKS = dict(zip(("best", "second", "third", "lower"), SHADES, strict=True))
AGREED = dict(
    zip(("all", "more than half", "half or fewer"), (SHADES[0], SHADES[1], SHADES[3]), strict=True)
)
"""Parts of a bar, with their colours."""


def _counts(data: RunData, name: str, missing: str) -> dict[str, Counter[Any]]:
    """Return a counter of the tallies by arm, summed over player counts."""
    by_arm: dict[str, Counter[Any]] = {}
    for (arm, _), tally in data.tallies.items():
        by_arm.setdefault(arm, Counter()).update(getattr(tally, name))
    if not (counts := {arm: by_arm[arm] for arm in data.shortlist() if by_arm.get(arm)}):
        raise NothingToDrawError(missing)
    return counts


def _ranks(data: RunData) -> Rows:
    ranks = []
    for arm, counts in _counts(data, "ranks", "no seat rated its moves").items():
        ranks.append(
            {
                **{
                    "arm": arm,
                    "turns": counts.total(),
                    "best": counts[1],
                    "second": counts[2],
                    "third": counts[3],
                },
                "lower": sum(n for rank, n in counts.items() if rank > 3),
            }
        )
    return ranks


def _agreement(data: RunData) -> Rows:
    rows = []
    for arm, counts in _counts(data, "agreements", "no node had several samples").items():
        turns = counts.total()
        unanimous = counts[1.0]
        most = sum(n for share, n in counts.items() if 0.5 < share < 1)
        rows.append(
            {
                **{"arm": arm, "turns": turns, "all": unanimous, "more than half": most},
                "half or fewer": turns - unanimous - most,
                "mean": sum(share * n for share, n in counts.items()) / turns,
            }
        )
    return rows


def _stacked(rows: Rows, data: RunData, *, parts: Mapping[str, str], xlabel: str) -> Any:
    figure, (ax,) = plots.panels([plots.height(len(rows))])
    plots.stacked(ax, rows, "turns", {part: (part, colour) for part, colour in parts.items()})
    plots.rows(ax, [data.name(row["arm"]) for row in rows])
    ax.set_xlabel(xlabel)
    plots.legend(figure, [ax], len(parts))
    return figure


def _proposals(data: RunData) -> Rows:
    sums: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (arm, _), tally in data.tallies.items():
        for node, (played, turns) in tally.proposed.items():
            sums.setdefault(node, {}).setdefault(arm, []).append((played, turns))
    if not sums:
        raise NothingToDrawError(_no_proposals(data))
    proposals = []
    for node, by_arm in sums.items():
        for arm in data.shortlist():
            if arm in by_arm:
                played, turns = map(sum, zip(*by_arm[arm], strict=True))
                share = played / turns
                proposals.append({"node": node, "arm": arm, "turns": int(turns), "share": share})
    return proposals


def _no_proposals(data: RunData) -> str:
    """Return why no node proposed a move."""
    nodes = []
    for config in data.configs:
        for name, node in config["nodes"].items():
            if name != config["decides"]:
                nodes.append(node)
    if data.configs and not any(turn_rows.chooses(node["role"]) for node in nodes):
        return "no node but the deciding one chooses a move"
    if data.run.get("journals") == "lean":
        return "lean journals hold no proposals of programs"
    return "no node proposed a move"


def _paint_proposals(table: Rows, data: RunData) -> Any:
    by_node = groups(table, "node")
    figure, axes = plots.row_panels(by_node, "% of its turns in which its proposal was played")
    for ax, rows in zip(axes, by_node.values(), strict=True):
        shares = [100 * row["share"] for row in rows]
        ax.barh(range(len(rows)), shares, 0.62, color=plots.SKY, alpha=0.6, linewidth=0)
        for place, share in enumerate(shares):
            x, side = (share - 1, "right") if share > 88 else (share + 1, "left")
            ax.text(x, place, f"{share:.0f} %", va="center", ha=side, fontsize=8)
        plots.rows(ax, [data.name(row["arm"]) for row in rows])
        ax.set_xlim(0, 100)
    return figure


PANELS = 8
"""The most arms that are drawn; the table has all."""


def list_rank_rows(tables: Sequence[RankTable]) -> Rows:
    """Return a row for each rank, and one for moves that are not on the list."""
    most = policies.longest(tables)
    rows = []
    for ranks in tables:
        for rank, (share, bounds) in ranks.shares(most).items():
            for low, high in [bounds or (None, None)]:
                rows.append(
                    {
                        **{
                            "players": ranks.players,
                            "arm": ranks.arm,
                            "by": ranks.by,
                            "rank": policies.rank_name(rank),
                        },
                        **{
                            "turns": ranks.counts[rank],
                            "share": share,
                            "low": low,
                            "high": high,
                            "games": len(ranks.games),
                        },
                    }
                )
    return rows


def _list_ranks(data: RunData) -> Rows:
    ranks: list[RankTable] = []
    for (arm, players), tally in sorted(data.tallies.items(), key=lambda item: item[0][1]):
        for seat, games in sorted(tally.list_ranks.items()):
            ranks.append(
                RankTable(arm, players, f"P{seat}", {game: Counter(c) for game, c in games.items()})
            )
    if not ranks:
        nodes = []
        for config in data.configs:
            for node in config["nodes"].values():
                nodes.append(node)
        listing = any(turn_rows.lists_moves(node["role"]) for node in nodes)
        raise NothingToDrawError(
            "lean journals hold no lists of programs" if listing else "no seat has a recommender"
        )
    return list_rank_rows(ranks)


def paint_list_ranks(table: Rows) -> Any:
    """Return a panel for each arm and player count; bars with their 95 % intervals."""
    panels = list(groups(table, "players", "arm").items())[:PANELS]
    rows_drawn = chain.from_iterable(rows for _, rows in panels)
    ranks = {row["rank"] for row in rows_drawn} - {policies.OUTSIDE}
    places = [*map(str, range(1, max(map(int, ranks), default=0) + 1)), policies.OUTSIDE]
    figure, axes = plots.panels([1.15] * len(panels))
    for ax, ((players, arm), rows) in zip(axes, panels, strict=True):
        ax.set_title(f"{arm}, {plots.headed(players)}")
        by_seat = groups(rows, "by")
        for number, (seat, shares) in enumerate(by_seat.items()):
            _bars(
                ax, [(places.index(row["rank"]), row) for row in shares], seat, number, len(by_seat)
            )
        ax.set_ylim(0, 100)
        ax.set_ylabel("% of turns")
        ax.set_xticks(range(len(places)), places)
    axes[-1].set_xlabel("rank of the chosen move in the recommender's list")
    plots.legend(figure, axes, 5)
    return figure


def _bars(
    ax: Any, rows: Sequence[tuple[int, dict[str, Any]]], seat: str, number: int, seats: int
) -> None:
    """Draw the shares of one of several seats, beside those of the others."""
    wide = 0.8 / seats
    colour = plots.COLOURS[number % len(plots.COLOURS)]
    for first, (place, row) in enumerate(rows):
        x = place + (number - (seats - 1) / 2) * wide
        ax.bar(
            x,
            100 * row["share"],
            wide * 0.92,
            color=colour,
            linewidth=0,
            label=None if first else seat,
        )
        if row["low"] is not None:
            ax.vlines(x, 100 * row["low"], 100 * row["high"], color=plots.INK, linewidth=0.9)


FIGURES = (
    Figure(
        "ranks",
        "Rank of the chosen move",
        "Rank of the chosen move in the seat's own ratings of that turn; equal ratings share "
        "the better rank.",
        _ranks,
        partial(_stacked, parts=RANKS, xlabel="% of rated turns"),
    ),
    Figure(
        "agreement",
        "Agreement among samples",
        "How many of a node's samples chose the most frequent move.",
        _agreement,
        partial(_stacked, parts=AGREED, xlabel="% of turns"),
    ),
    Figure(
        "proposals",
        "Whose proposal was played",
        "For each node that proposes a move, without the deciding one: the share of its turns in "
        "which its proposal was played; for a node with several samples, the share of samples.",
        _proposals,
        _paint_proposals,
    ),
)
LIST_RANKS = Figure(
    "list-ranks",
    "Rank of the chosen move in the recommender's list",
    "Share of a seat's turns by the rank that its recommender gave the chosen move, with 95 % "
    f"intervals over deals; “{policies.OUTSIDE}” is a move that is not on the list. Forced moves "
    f"are left out; at most {PANELS} arms are drawn, the table has all.",
    _list_ranks,
    lambda table, data: paint_list_ranks(table),
)
