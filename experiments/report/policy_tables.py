"""The tables of `experiment policy`: which action follows which, or ranks of chosen moves in
recommenders' lists."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import policies
from hanabi_orchestrator.experiments.analysis.policies import ActionTable, By, RankTable
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.document.blocks import Block, Cell, Column, Note, notes, table
from hanabi_orchestrator.experiments.document.data import csv_text
from hanabi_orchestrator.experiments.document.formats import COUNT, INT, Format, number
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.report.figures import choices, maps
from hanabi_orchestrator.orchestrator.errors import UserError

KINDS = (".csv", ".svg", ".png")


def tables(
    folder: Path,
    arm: str | None,
    players: int | None,
    by: By,
    *,
    list_ranks: bool,
    out: Sequence[Path] = (),
) -> tuple[list[dict[str, Any]], list[Block]]:
    """Return the tables of a run folder as data and as blocks, and write them to `out` as CSV, or
    draw them there.

    Raises UserError when there is no such table, and for a file that cannot be written.
    """
    if wrong := next((path.name for path in out if path.suffix not in KINDS), None):
        raise UserError(f"--out writes {', '.join(KINDS[:-1])} or {KINDS[-1]} files, not {wrong!r}")
    rows = run_folder.read_rows(folder)
    if list_ranks:
        nobody = "nobody chose from a recommender's list in"
        ranks = policies.select(policies.rank_tables(folder, rows, by=by), arm, players, nobody)
        data = rank_data(ranks)
        blocks = [*rank_blocks(ranks)]
        points = choices.list_rank_rows(ranks)
        paint = choices.paint_list_ranks
    else:
        none = "there are no two turns of"
        pairs = policies.select(policies.action_tables(folder, rows, by=by), arm, players, none)
        data = action_data(pairs)
        blocks = [*action_blocks(pairs)]
        points = maps.action_rows(pairs)
        paint = maps.paint_actions
    samples = {(row["arm"], row["players"]) for row in points}
    note = Provenance.union(
        row.provenance for row in rows if (row.arm, row.players) in samples
    ).note
    # a picture may be too large to draw
    for path in sorted(out, key=lambda path: path.suffix != ".csv"):
        try:
            if path.suffix == ".csv":
                write_atomically(path, csv_text(points, digits=4))
            else:
                svg = plots.picture(
                    partial(paint, points), note, path if path.suffix == ".png" else None
                )
                if path.suffix == ".svg":
                    write_atomically(path, svg)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from None
    return data, [*blocks, *notes(filter(None, [note]), "no model")]


def action_data(tables: Sequence[ActionTable]) -> list[dict[str, Any]]:
    """Return the shares and their intervals as plain data."""
    data = []
    for actions in tables:
        following = {}
        intervals = {}
        for action in actions.actions:
            if shares := actions.following(action):
                following[action] = shares
                intervals[action] = {then: actions.next_shares[action, then][1] for then in shares}
        data.append(
            {
                "arm": actions.arm,
                "players": actions.players,
                "by": actions.by,
                "then": actions.then,
                "turns": actions.counts.total(),
                "pairs": actions.pairs.total(),
                "action": {action: share for action, (share, _) in actions.shares.items()},
                "action_interval": {
                    action: bounds for action, (_, bounds) in actions.shares.items()
                },
                "next_given_action": following,
                "next_interval": intervals,
            }
        )
    return data


def rank_data(tables: Sequence[RankTable]) -> list[dict[str, Any]]:
    """Return the shares and their intervals as plain data."""
    data = []
    for ranks in tables:
        shares = {}
        intervals = {}
        for rank, (share, bounds) in ranks.shares(policies.longest(tables)).items():
            shares[policies.rank_name(rank)] = share
            intervals[policies.rank_name(rank)] = bounds
        data.append(
            {
                "arm": ranks.arm,
                "players": ranks.players,
                "by": ranks.by,
                "games": len(ranks.games),
                "turns": ranks.counts.total(),
                "ranks": shares,
                "intervals": intervals,
            }
        )
    return data


def action_blocks(tables: Sequence[ActionTable]) -> Iterator[Block]:
    """Return a table for each: percent of next actions, the share of each action below."""
    for each in tables:
        if each.by == each.then:
            players = each.by
        else:
            players = f"{each.by}, then {each.then}"
        title = (
            f"{each.arm}, {each.players} players: {players}, {each.pairs.total():,} pairs of turns"
        )
        columns = [Column("action", "action", constant=True)]
        for action in each.actions:
            kind, _, which = action.partition(" ")  # `D0`, `P4`, `R`, `3`
            if kind == "hint":
                short = which[0].upper()
            else:
                short = f"{kind[0].upper()}{which}"
            columns.append(Column(action, short, number(0)))
        rows = [(action, each.following(action)) for action in each.actions]
        rows.append(("P(a)", {action: share for action, (share, _) in each.shares.items()}))
        cells = []
        for name, shares in rows:
            percents: list[float | None] = [None] * len(each.actions)
            if shares:
                percents = [100 * shares[action] for action in each.actions]
            cells.append((name, *percents))
        yield table("policy", columns, cells, title=title)
    yield Note(
        "% of next actions (across) after an action (down); - where that action never came "
        "before another. D, P: a slot discarded, played, 0 the oldest card; a letter or a number "
        "alone: a colour or rank hinted. P(a): the share of each action"
    )


def _rank_share(cell: Sequence[float]) -> str:
    percents = [f"{100 * share:.0f}" for share in cell]
    if len(cell) == 1:
        return percents[0]
    return f"{percents[0]} [{percents[1]}, {percents[2]}]"


RANK_SHARE = Format(_rank_share)


def rank_blocks(tables: Sequence[RankTable]) -> Iterator[Block]:
    """Return a table of the percent of turns by rank."""
    most = policies.longest(tables)
    names = [policies.rank_name(rank) for rank in (*range(1, most + 1), 0)]
    columns = (
        Column("arm", "arm"),
        Column("players", "players", INT),
        Column("by", "by"),
        Column("turns", "turns", COUNT),
        *(Column(name, name, RANK_SHARE) for name in names),
    )
    rows = list[tuple[Cell, ...]]()
    for each in tables:
        shares = ((share, *(bounds or ())) for share, bounds in each.shares(most).values())
        rows.append((each.arm, each.players, each.by, each.counts.total(), *shares))
    yield table("ranks", columns, rows)
    yield Note(
        "% of turns by the rank of the chosen move in the recommender's list, 1 the best; 95 % "
        "intervals"
    )
