"""Heat maps: the mean score of each pair of players in cross-play, and which action follows
which."""

from collections.abc import Sequence
from functools import partial
from math import nan
from typing import Any

from hanabi_orchestrator.experiments.analysis import policies
from hanabi_orchestrator.experiments.analysis.policies import ActionTable
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.report.figures.figure import Figure, Rows, groups
from hanabi_orchestrator.experiments.report.figures.scores import both, of_metric
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData
from hanabi_orchestrator.experiments.study.pairs import WITH
from hanabi_orchestrator.orchestrator.errors import UserError

MOST = 6
"""The most heat maps in one picture."""


def cross_play(data: RunData) -> list[Figure]:
    """Return a heat map for each player count; none for a run without pairs."""
    cross = list[Figure]()
    for players in data.players() if data.pairs else ():
        cross.append(
            Figure(
                f"cross-play-{players}p",
                f"Cross-play, {players} players",
                "Mean score of each pair, with its 95 % interval: one in a single seat (down), "
                "another in all others (across). The diagonal is self-play.",
                partial(_pairs, players=players),
                _paint_pairs,
            )
        )
    return cross


def _pairs(data: RunData, *, players: int) -> Rows:
    pairs = []
    for s in data.analysis.summaries:
        if s.arm in data.pairs and s.players == players:
            pairs.append(
                {
                    **dict(zip(("one", "rest"), s.arm.split(WITH), strict=True)),
                    **{
                        "players": players,
                        "n": s.n,
                        "metric": data.metric,
                        "strict_se": s.of("strict").se,
                    },
                    **{"sd": s.of("strict").sd, "struck_out": s.struck_out, **both(s)},
                }
            )
    return pairs


def _paint_pairs(rows: Rows, data: RunData) -> Any:
    ones = list(dict.fromkeys(row["one"] for row in rows))
    rests = list(dict.fromkeys(row["rest"] for row in rows))
    cells = {(row["one"], row["rest"]): of_metric(row, data.metric) for row in rows}
    grid = []
    for seat in ones:
        grid.append([cells.get((seat, partners), [nan])[0] for partners in rests])
    figure = plots.canvas(max(plots.WIDTH, 1.8 + 0.56 * len(rests)), 1.2 + 0.42 * len(ones))
    ax = figure.subplots()
    image = _heat(ax, grid, 25, rests, ones, 45)
    ax.set(xlabel="all other seats", ylabel="one seat")
    for (cell, rest), (mean, low, high) in cells.items():
        look = {"ha": "center", "va": "center", "color": "#000000" if mean > 15 else "#ffffff"}
        x = rests.index(rest)
        y = ones.index(cell)
        means = low is not None and high is not None
        ax.text(x, y - (0.17 if means else 0), f"{mean:.1f}", fontsize=7.5, **look)
        if means:
            ax.text(x, y + 0.23, f"{low:.1f}–{high:.1f}", fontsize=5.5, **look)
    figure.colorbar(image, label=f"mean {data.metric} score").outline.set_visible(False)
    return figure


def policy(data: RunData) -> list[Figure]:
    """Return a heat map for each player count: of the baseline, else of the first arm."""
    figures = list[Figure]()
    for players in data.players():
        figures.append(
            Figure(
                f"policy-{players}p",
                f"What follows which action, {players} players",
                f"Of {data.standard}: the share of next actions (across) after each action "
                "(down), in %, blank where that action never came before another; the last row: "
                "the share of each action. Slot 0 is the oldest card; a hint counts whoever gets "
                "it. Where different players sit in an arm, who acts and who is next is in the "
                "table, which has all arms, with 95 % intervals over deals.",
                partial(_actions, players=players),
                _paint_policy,
                data.standard,
            )
        )
    return figures


def _actions(data: RunData, *, players: int) -> Rows:
    arms = data.shortlist()
    rows = [row for row in data.rows if row.players == players and row.arm in arms]
    if not all(data.path(row).exists() for row in rows):
        raise NothingToDrawError("the journals are not in this folder")
    if table := action_rows(policies.action_tables(data.folder, rows, journals=data.journals)):
        return table
    raise NothingToDrawError("no game has two turns")


def action_rows(tables: Sequence[ActionTable]) -> Rows:
    """Return a row for each next action that followed, and one without a next action where none
    did."""
    rows = []
    for pair in tables:
        for action in pair.actions:
            share, bounds = pair.shares[action]
            head = {"players": pair.players, "arm": pair.arm, "by": pair.by, "then": pair.then}
            low, high = bounds or (None, None)
            following: list[tuple[str | None, float | None]]
            following = [(then, share) for then, share in pair.following(action).items() if share]
            for then, next_share in following or [(None, None)]:
                next_low, next_high = (pair.next_shares[action, then][1] if then else None) or (
                    None,
                    None,
                )
                rows.append(
                    {
                        **{**head, "action": action, "share": share, "next_action": then},
                        **{
                            "turns": pair.pairs[action, then] if then else 0,
                            "next_share": next_share,
                        },
                        **{
                            "share_low": low,
                            "share_high": high,
                            "next_low": next_low,
                            "next_high": next_high,
                        },
                        "games": len(pair.games),
                    }
                )
    return rows


def _paint_policy(table: Rows, data: RunData) -> Any:
    """Return the heat map of one pair of players of an arm, best where the same player sits in both
    seats."""
    pairs = groups([row for row in table if row["arm"] == data.standard] or table, "by", "then")
    return _maps(
        [
            next(
                (rows for (by, then), rows in pairs.items() if by == then),
                next(iter(pairs.values())),
            )
        ]
    )


def paint_actions(table: Rows) -> Any:
    """Return a heat map for each arm, player count, and pair of who acts and who is next. Raises
    UserError for too many."""
    maps = groups(table, "arm", "players", "by", "then")
    if len(maps) > MOST:
        why = f"{len(maps)} tables are too many for one picture, which holds {MOST}"
        raise UserError(f"{why}; choose some by --arm and --players")
    return _maps(list(maps.values()))


def _maps(tables: Sequence[Sequence[dict[str, Any]]]) -> Any:
    most = max(len(policies.actions(rows[0]["players"])) for rows in tables)
    figure = plots.canvas(1.6 + 0.27 * most, (1.65 + 0.24 * most) * len(tables))
    axes = figure.subplots(len(tables), 1, squeeze=False)
    for (ax,), rows in zip(axes, tables, strict=True):
        if len(tables) > 1:
            ax.set_title(f"{rows[0]['arm']}, {plots.headed(rows[0]['players'])}")
        image = _map(ax, rows)
    figure.colorbar(image, ax=axes, label="share", aspect=25 * len(tables)).outline.set_visible(
        False
    )
    return figure


def _map(ax: Any, rows: Sequence[dict[str, Any]]) -> Any:
    names = list(policies.actions(rows[0]["players"]))
    shares = {(row["action"], row["next_action"]): row["next_share"] for row in rows}
    total = {row["action"]: row["share"] for row in rows}
    came = {pair for pair, other in shares if other is not None}
    grid = []
    for pair in names:
        if pair in came:
            grid.append([shares.get((pair, then), 0.0) for then in names])
        else:
            grid.append([nan] * len(names))
    grid.append([total[pair] for pair in names])
    image = _heat(ax, grid, 1, names, [*names, "all turns"], 60)
    ax.axhline(len(names) - 0.5, color=plots.PAPER, linewidth=2)
    for y, line in enumerate(grid):
        for x, share in enumerate(line):
            if share >= 0.005:
                colour = "#000000" if share > 0.6 else "#ffffff"
                ax.text(
                    x, y, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=6.5
                )
    ax.set(xlabel=f"next action, by {rows[0]['then']}", ylabel=f"action, by {rows[0]['by']}")
    return image


def _heat(
    ax: Any, grid: Any, most: int, across: Sequence[str], down: Sequence[str], rotation: int
) -> Any:
    """Draw values from 0 to `most`. Viridis is monotonic in lightness, so it is readable in print
    and for colour-blind people."""
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=most, aspect="auto")
    ax.set_xticks(range(len(across)), across, rotation=rotation, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(down)), down)
    ax.tick_params(length=0)
    return image
