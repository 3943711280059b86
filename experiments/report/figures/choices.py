"""How moves were chosen: their rank in the seat's ratings, the agreement of samples, and which node proposed them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from experiments.record import turn_rows
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.run_data import NothingToDrawError, RunData

RANKS = ("best", "second", "third", "lower")
AGREED = ("all", "more than half", "half or fewer")
SHADES = (style.BLUE, style.SKY, style.ORANGE, style.VERMILLION)


def _by_arm(data: RunData, name: str) -> dict[str, Counter[Any]]:
    """Return a counter of the tallies by arm, summed over player counts."""
    by_arm: dict[str, Counter[Any]] = {}
    for (arm, _), tally in data.tallies.items():
        by_arm.setdefault(arm, Counter()).update(getattr(tally, name))
    return {arm: by_arm[arm] for arm in data.shortlist() if by_arm.get(arm)}


def _ranks(data: RunData) -> Rows:
    lines = _by_arm(data, "ranks")
    if not lines:
        raise NothingToDrawError("no seat rated its moves")
    rows = [
        (arm, sum(c.values()), c[1], c[2], c[3], sum(n for rank, n in c.items() if rank > 3))
        for arm, c in lines.items()
    ]
    return figure_rows(("arm", "turns", *RANKS), tuple(rows))


def _agreement(data: RunData) -> Rows:
    rows = _by_arm(data, "agreements")
    if not rows:
        raise NothingToDrawError("no node had several samples")
    return figure_rows(("arm", "turns", *AGREED, "mean"), tuple(_agreed(arm, counts) for arm, counts in rows.items()))


def _agreed(arm: str, counts: Mapping[float, int]) -> tuple[str, int, int, int, int, float]:
    turns = sum(counts.values())
    total = counts.get(1.0, 0)
    most = sum(n for share, n in counts.items() if 0.5 < share < 1)
    return arm, turns, total, most, turns - total - most, sum(share * n for share, n in counts.items()) / turns


def _stacked(shares: Sequence[str], xlabel: str) -> Callable[[Rows, RunData], Any]:
    def paint(rows: Rows, data: RunData) -> Any:
        figure, (ax,) = style.panels([style.height(len(rows))])
        starts = [0.0] * len(rows)
        colours = SHADES if len(shares) == len(SHADES) else (SHADES[0], SHADES[1], SHADES[3])
        for share, colour in zip(shares, colours, strict=True):
            wide = [100 * row[share] / row["turns"] for row in rows]
            ax.barh(range(len(rows)), wide, 0.7, starts, color=colour, linewidth=0, label=share)
            starts = [a + b for a, b in zip(starts, wide, strict=True)]
        style.rows(ax, [data.name(row["arm"]) for row in rows])
        ax.set_xlim(0, 100)
        ax.set_xlabel(xlabel)
        figure.legend(loc="outside upper center", ncols=len(shares), handlelength=1, columnspacing=1.2)
        return figure

    return paint


def _proposals(data: RunData) -> Rows:
    lines: dict[tuple[str, str], list[float]] = {}
    for (arm, _), tally in data.tallies.items():
        for node, (total, turns) in tally.proposed.items():
            sums = lines.setdefault((node, arm), [0.0, 0])
            sums[0] += total
            sums[1] += turns
    if not lines:
        raise NothingToDrawError(_why_no_proposals(data))
    nodes = list(dict.fromkeys(node for node, _ in lines))
    rows = [(node, arm, int(lines[node, arm][1]), lines[node, arm][0] / lines[node, arm][1])
            for node in nodes for arm in data.shortlist() if (node, arm) in lines]  # fmt: skip
    return figure_rows(("node", "arm", "turns", "share"), tuple(rows))


def _why_no_proposals(data: RunData) -> str:
    nodes = [node for config in data.configs for name, node in config["nodes"].items() if name != config["decides"]]
    if data.configs and not any(turn_rows.chooses(node["role"]) for node in nodes):
        return "no node but the deciding one chooses a move"
    lean = data.run.get("journals") == "lean"
    return "lean journals hold no proposals of programs" if lean else "no node proposed a move"


def _paint_proposals(table: Rows, data: RunData) -> Any:
    by_players: dict[str, list[dict[str, Any]]] = {}
    for row in table:
        by_players.setdefault(row["node"], []).append(row)
    figure, axes = style.panels([style.height(len(rows)) for rows in by_players.values()])
    for ax, (node, rows) in zip(axes, by_players.items(), strict=True):
        ax.set_title(node)
        shares = [100 * row["share"] for row in rows]
        ax.barh(range(len(rows)), shares, 0.62, color=style.SKY, alpha=0.6, linewidth=0)
        for place, share in enumerate(shares):
            inside = share > 88
            ax.text(
                share - 1 if inside else share + 1,
                place,
                f"{share:.0f} %",
                va="center",
                ha="right" if inside else "left",
                fontsize=8,
            )
        style.rows(ax, [data.name(row["arm"]) for row in rows])
        ax.set_xlim(0, 100)
    axes[-1].set_xlabel("% of its turns in which its proposal was played")
    return figure


FIGURES = (
    Figure(
        "ranks",
        "Rank of the chosen move",
        "Rank of the chosen move in the seat's own ratings of that turn; equal ratings share the better rank.",
        _ranks,
        _stacked(RANKS, "% of rated turns"),
    ),
    Figure(
        "agreement",
        "Agreement among samples",
        "How many of a node's samples chose the most frequent move.",
        _agreement,
        _stacked(AGREED, "% of turns"),
    ),
    Figure(
        "proposals",
        "Whose proposal was played",
        "For each node that proposes a move, without the deciding one: the share of its turns in which its proposal "
        "was played; for a node with several samples, the share of samples.",
        _proposals,
        _paint_proposals,
    ),
)
