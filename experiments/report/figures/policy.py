"""Conditional action probabilities as a heat map, with the tables of all arms beside it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from experiments.report.figures import style
from experiments.report.figures.figure import Figure, FigureTable
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.statistics import action_tables
from experiments.statistics.action_tables import ActionTable

COLUMNS = ("players", "arm", "by", "then", "action", "share", "next_action", "turns", "next_share")
Tables = Callable[[], list[ActionTable]]


def figures(data: RunData) -> list[Figure]:
    """A heat map for each player count: of the baseline, else of the first arm."""
    return [_figure(players, _drawn(data), cache(lambda: _tables(data))) for players in data.players()]


def _drawn(data: RunData) -> str:
    baseline = data.analysis.baseline
    return baseline if baseline in data.arms else data.arms[0]


def _tables(data: RunData) -> list[ActionTable]:
    shown = data.shown()
    if not all((data.folder / row.journal).exists() for row in data.rows if row.arm in shown):
        raise NothingToDrawError("the journals are not in this folder")
    return action_tables.tables(data.folder, [row for row in data.rows if row.arm in shown])


def _figure(players: int, arm: str, tables: Tables) -> Figure:
    return Figure(
        f"policy-{players}p",
        f"What follows which action, {players} players",
        f"Of {arm}: the share of next actions (across) after each action (down), in %; the last row: the share of each "
        "action. Slot 0 is the oldest card; a hint counts whoever gets it. Where different players sit in an arm, who "
        "acts and who is next is in the table, which has all arms.",
        lambda data: _table(players, tables()),
        lambda table, data: _paint(table, arm),
        arm,
    )


def _table(players: int, tables: Sequence[ActionTable]) -> FigureTable:
    rows = tuple(row for one in tables if one.players == players for row in _rows(one))
    if not rows:
        raise NothingToDrawError("no game has two turns")
    return FigureTable(COLUMNS, rows)


def _rows(one: ActionTable) -> list[tuple[Any, ...]]:
    """A row for each next action that followed, and one without a next action where none did."""
    found: list[tuple[Any, ...]] = []
    for each in one.actions:
        head = one.players, one.arm, one.by, one.then, each, one.share(each)
        next_shares = {other: share for other, share in one.given(each).items() if share}
        found += [(*head, other, one.pairs[each, other], share) for other, share in next_shares.items()]
        found += [] if next_shares else [(*head, None, 0, None)]
    return found


def _paint(table: FigureTable, arm: str) -> Any:
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    rows = [row for row in table.records() if row["arm"] == arm] or table.records()
    first = next(
        ((row["by"], row["then"]) for row in rows if row["by"] == row["then"]), (rows[0]["by"], rows[0]["then"])
    )
    rows = [row for row in rows if (row["by"], row["then"]) == first]
    names = list(action_tables.actions(rows[0]["players"]))
    shares = {(row["action"], row["next_action"]): row["next_share"] for row in rows}
    whole = {row["action"]: row["share"] for row in rows}
    grid = [[shares.get((one, other), 0.0) for other in names] for one in names]
    grid.append([whole[one] for one in names])
    figure = Figure(figsize=(1.6 + 0.27 * len(names), 1.4 + 0.24 * len(grid)), layout="constrained")
    ax: Any = figure.subplots()
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(grid)), [*names, "all turns"])
    ax.axhline(len(names) - 0.5, color=style.PAPER, linewidth=2)
    ax.tick_params(length=0)
    for y, line in enumerate(grid):
        for x, share in enumerate(line):
            if share >= 0.005:
                colour = "#000000" if share > 0.6 else "#ffffff"
                ax.text(x, y, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=6.5)
    ax.set_xlabel(f"next action, by {first[1]}")
    ax.set_ylabel(f"action, by {first[0]}")
    figure.colorbar(image, label="share").outline.set_visible(False)
    return figure
