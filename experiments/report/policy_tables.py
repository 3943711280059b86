"""The tables of `experiment policy`: which action follows which, or ranks of chosen moves in recommenders' lists."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import ActionTable, By, RankTable
from experiments.document import plots
from experiments.document.blocks import Block, Cell, Column, Note, table
from experiments.document.data import csv_text
from experiments.document.formats import COUNT, INT, Format, number
from experiments.record import run_folder
from experiments.record.files import write_atomically
from experiments.record.provenance import Provenance
from experiments.report.figures import choices, maps
from orchestrator.errors import UserError

KINDS = (".csv", ".svg", ".png")


def tables(
    folder: Path, arm: str | None, players: int | None, by: By, *, list_ranks: bool, out: Sequence[Path] = ()
) -> tuple[list[dict[str, Any]], list[Block]]:
    """Return the tables of a run folder as data and as blocks, and write them to `out` as CSV, or draw them there.

    Raises UserError when there is no such table, and for a file that cannot be written.
    """
    if wrong := next((path.name for path in out if path.suffix not in KINDS), None):
        raise UserError(f"--out writes {', '.join(KINDS[:-1])} or {KINDS[-1]} files, not {wrong!r}")
    rows = run_folder.read_rows(folder)
    if list_ranks:
        nobody = "nobody chose from a recommender's list in"
        ranks = policies.select(policies.rank_tables(folder, rows, by=by), arm, players, nobody)
        data, blocks = rank_data(ranks), [*rank_blocks(ranks)]
        points, paint = choices.list_rank_rows(ranks), choices.paint_list_ranks
    else:
        none = "there are no two turns of"
        pairs = policies.select(policies.action_tables(folder, rows, by=by), arm, players, none)
        data, blocks = action_data(pairs), [*action_blocks(pairs)]
        points, paint = maps.action_rows(pairs), maps.paint_actions
    samples = {(row["arm"], row["players"]) for row in points}
    note = Provenance.union(row.provenance for row in rows if (row.arm, row.players) in samples).note
    for path in sorted(out, key=lambda path: path.suffix != ".csv"):  # a picture may be too large to draw
        try:
            if path.suffix == ".csv":
                write_atomically(path, csv_text(points, digits=4))
            else:
                svg = plots.picture(partial(paint, points), note, path if path.suffix == ".png" else None)
                if path.suffix == ".svg":
                    write_atomically(path, svg)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from None
    return data, [*blocks, *([Note(note, "no model")] if note else [])]


def action_data(tables: Sequence[ActionTable]) -> list[dict[str, Any]]:
    """Return the shares and their intervals as plain data."""
    return [
        {
            "arm": each.arm,
            "players": each.players,
            "by": each.by,
            "then": each.then,
            "turns": each.counts.total(),
            "pairs": each.pairs.total(),
            "action": {action: share for action, (share, _) in each.shares.items()},
            "action_interval": {action: bounds for action, (_, bounds) in each.shares.items()},
            "next_given_action": {a: shares for a in each.actions if (shares := each.following(a))},
            "next_interval": {
                a: {then: each.next_shares[a, then][1] for then in shares}
                for a in each.actions
                if (shares := each.following(a))
            },
        }
        for each in tables
    ]


def rank_data(tables: Sequence[RankTable]) -> list[dict[str, Any]]:
    """Return the shares and their intervals as plain data."""
    shares = [each.shares(policies.longest(tables)) for each in tables]
    return [
        {
            "arm": each.arm,
            "players": each.players,
            "by": each.by,
            "games": len(each.games),
            "turns": each.counts.total(),
            "ranks": {policies.rank_name(rank): share for rank, (share, _) in ranks.items()},
            "intervals": {policies.rank_name(rank): bounds for rank, (_, bounds) in ranks.items()},
        }
        for each, ranks in zip(tables, shares, strict=True)
    ]


def action_blocks(tables: Sequence[ActionTable]) -> Iterator[Block]:
    """Return a table for each: percent of next actions, the share of each action below."""
    for each in tables:
        players = each.by if each.by == each.then else f"{each.by}, then {each.then}"
        title = f"{each.arm}, {each.players} players: {players}, {each.pairs.total():,} pairs of turns"
        columns = [Column("action", "action", constant=True)]
        for action in each.actions:
            kind, _, which = action.partition(" ")  # `D0`, `P4`, `R`, `3`
            short = which[0].upper() if kind == "hint" else f"{kind[0].upper()}{which}"
            columns.append(Column(action, short, number(0)))
        rows = [(action, each.following(action)) for action in each.actions]
        rows.append(("P(a)", {action: share for action, (share, _) in each.shares.items()}))
        cells = [(name, *(100 * shares[a] if shares else None for a in each.actions)) for name, shares in rows]
        yield table("policy", columns, cells, title=title)
    yield Note(
        "% of next actions (across) after an action (down); - where that action never came before another. D, P: a "
        "slot discarded, played, 0 the oldest card; a letter or a number alone: a colour or rank hinted. P(a): the "
        "share of each action"
    )


RANK_SHARE = Format(
    lambda cell: f"{100 * cell[0]:.0f}" + (f" [{100 * cell[1]:.0f}, {100 * cell[2]:.0f}]" if len(cell) > 1 else "")
)


def rank_blocks(tables: Sequence[RankTable]) -> Iterator[Block]:
    """Return a table of the percent of turns by rank."""
    most = policies.longest(tables)
    names = [policies.rank_name(rank) for rank in (*range(1, most + 1), 0)]
    columns = (
        *(Column("arm", "arm"), Column("players", "players", INT), Column("by", "by"), Column("turns", "turns", COUNT)),
        *(Column(name, name, RANK_SHARE) for name in names),
    )
    rows = list[tuple[Cell, ...]]()
    for each in tables:
        shares = ((share, *(bounds or ())) for share, bounds in each.shares(most).values())
        rows.append((each.arm, each.players, each.by, each.counts.total(), *shares))
    yield table("ranks", columns, rows)
    yield Note("% of turns by the rank of the chosen move in the recommender's list, 1 the best; 95 % intervals")
