"""Conditional action probabilities as a heat map, with the tables of all arms beside it."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import nan
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import ActionTable
from experiments.document import plots
from experiments.report.figures.figure import Figure, Rows, groups
from experiments.report.run_data import NothingToDrawError, RunData
from orchestrator.errors import UserError

MOST = 6
"""The most heat maps in one picture."""


def figures(data: RunData) -> list[Figure]:
    """Return a heat map for each player count: of the baseline, else of the first arm."""
    tables = cache(partial(_tables, data))
    return [
        Figure(
            f"policy-{players}p",
            f"What follows which action, {players} players",
            f"Of {data.standard}: the share of next actions (across) after each action (down), in %, blank where that "
            "action never came before another; the last row: the share of each action. Slot 0 is the oldest card; a "
            "hint counts whoever gets it. Where different players sit in an arm, who acts and who is next is in the "
            "table, which has all arms, with 95 % intervals over deals.",
            partial(_table, players=players, tables=tables),
            _paint,
            data.standard,
        )
        for players in data.players()
    ]


def _tables(data: RunData) -> list[ActionTable]:
    rows = [row for row in data.rows if row.arm in data.shortlist()]
    if not all((data.folder / row.journal).exists() for row in rows):
        raise NothingToDrawError("the journals are not in this folder")
    return policies.action_tables(data.folder, rows, journals=data.journals)


def _table(data: RunData, *, players: int, tables: Callable[[], list[ActionTable]]) -> Rows:
    if table := table_of([pair for pair in tables() if pair.players == players]):
        return table
    raise NothingToDrawError("no game has two turns")


def table_of(tables: Sequence[ActionTable]) -> Rows:
    """Return a row for each next action that followed, and one without a next action where none did."""
    rows = []
    for pair in tables:
        for action in pair.actions:
            share, bounds = pair.shares[action]
            head = {"players": pair.players, "arm": pair.arm, "by": pair.by, "then": pair.then}
            low, high = bounds or (None, None)
            following: list[tuple[str | None, float | None]]
            following = [(then, share) for then, share in pair.following(action).items() if share]
            for then, next_share in following or [(None, None)]:
                next_low, next_high = (pair.next_shares[action, then][1] if then else None) or (None, None)
                rows.append(
                    {
                        **{**head, "action": action, "share": share, "next_action": then},
                        **{"turns": pair.pairs[action, then] if then else 0, "next_share": next_share},
                        **{"share_low": low, "share_high": high, "next_low": next_low, "next_high": next_high},
                        "games": len(pair.games),
                    }
                )
    return rows


def _paint(table: Rows, data: RunData) -> Any:
    """Return the heat map of one pair of players of an arm, best where the same player sits in both seats."""
    pairs = groups([row for row in table if row["arm"] == data.standard] or table, "by", "then")
    return _maps([next((rows for (by, then), rows in pairs.items() if by == then), next(iter(pairs.values())))])


def paint(table: Rows) -> Any:
    """Return a heat map for each arm, player count, and pair of who acts and who is next. Raises UserError for too
    many."""
    maps = groups(table, "arm", "players", "by", "then")
    if len(maps) > MOST:
        why = f"{len(maps)} tables are too many for one picture, which holds {MOST}"
        raise UserError(f"{why}; choose some by --arm and --players")
    return _maps(list(maps.values()))


def _maps(tables: Sequence[Sequence[dict[str, Any]]]) -> Any:
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    most = max(len(policies.actions(rows[0]["players"])) for rows in tables)
    figure = Figure(figsize=(1.6 + 0.27 * most, (1.65 + 0.24 * most) * len(tables)), layout="constrained")
    axes: Any = figure.subplots(len(tables), 1, squeeze=False)
    for (ax,), rows in zip(axes, tables, strict=True):
        if len(tables) > 1:
            ax.set_title(f"{rows[0]['arm']}, {plots.headed(rows[0]['players'])}")
        image = _map(ax, rows)
    figure.colorbar(image, ax=axes, label="share", aspect=25 * len(tables)).outline.set_visible(False)
    return figure


def _map(ax: Any, rows: Sequence[dict[str, Any]]) -> Any:
    names = list(policies.actions(rows[0]["players"]))
    shares = {(row["action"], row["next_action"]): row["next_share"] for row in rows}
    total = {row["action"]: row["share"] for row in rows}
    came = {pair for pair, other in shares if other is not None}
    grid = [[shares.get((pair, other), 0.0) if pair in came else nan for other in names] for pair in names]
    grid.append([total[pair] for pair in names])
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(grid)), [*names, "all turns"])
    ax.axhline(len(names) - 0.5, color=plots.PAPER, linewidth=2)
    ax.tick_params(length=0)
    for y, line in enumerate(grid):
        for x, share in enumerate(line):
            if share >= 0.005:
                colour = "#000000" if share > 0.6 else "#ffffff"
                ax.text(x, y, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=6.5)
    ax.set_xlabel(f"next action, by {rows[0]['then']}")
    ax.set_ylabel(f"action, by {rows[0]['by']}")
    return image
