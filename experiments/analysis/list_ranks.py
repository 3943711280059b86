"""The rank of the chosen moves in a recommender's list: does who chooses take the first, and do they keep to the list?

Guandan's planner sees a list and not its ranks; how often it takes the first says what planning adds to it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from experiments.analysis.action_tables import By
from experiments.document.terminal import plain_table
from experiments.record import turn_rows
from experiments.record.rows import Row
from experiments.statistics.clusters import pooled_shares
from experiments.statistics.estimates import Bounds
from orchestrator.errors import UserError

OUTSIDE = "outside"
"""In place of a rank: a move that is not on the list."""


@dataclass
class RankTable:
    """The ranks of the moves that one kind of seat chose, in the games of an arm at a player count."""

    arm: str
    players: int
    by: str
    """What sat in the seats, or the seat, such as `P0`."""
    games: dict[tuple[int, int], Counter[int]] = field(default_factory=dict)
    """By seed and repeat; 0 counts moves that are not on the list. Forced moves are left out."""

    @cached_property
    def counts(self) -> Counter[int]:
        return sum(self.games.values(), Counter[int]())

    def shares(self, most: int) -> Mapping[int, tuple[float, Bounds | None]]:
        """By rank, 1 to `most`, then 0: the share of the turns with its 95 % interval, None for a single game. Turns of
        one deal are one draw, with a single deal those of one game."""
        ranks = (*range(1, most + 1), 0)
        several = len({seed for seed, _ in self.games}) > 1
        merged: dict[int, Counter[int]] = {}
        for (seed, repeat), found in self.games.items():
            merged.setdefault(seed if several else repeat, Counter()).update(found)
        successes = np.array([[found[rank] for rank in ranks] for found in merged.values()], dtype=float)
        sizes = np.broadcast_to(successes.sum(axis=1, keepdims=True), successes.shape)
        ends = zip(*(end.tolist() for end in pooled_shares(successes, sizes)), strict=True)
        known = ((share, None if isnan(low) else (low, high)) for share, low, high in ends)
        return dict(zip(ranks, known, strict=True))


def longest(found: Sequence[RankTable]) -> int:
    """The last rank that was chosen in any of the tables."""
    return max(max(one.counts) for one in found)


def name(rank: int) -> str:
    """`1`, or `outside`."""
    return str(rank) if rank else OUTSIDE


def tables(folder: Path, rows: Sequence[Row], *, by: By = "player") -> list[RankTable]:
    """By arm, player count and player, or seat; empty where no seat has a recommender.

    Raises UserError when a journal is missing or cannot be read.
    """
    found: dict[tuple[str, int, str], RankTable] = {}
    for row in rows:
        names = turn_rows.moves(folder / row.journal).seats
        for turn in turn_rows.game_turns(folder, row):
            if turn.list_rank is not None:
                who = f"P{turn.seat}" if by == "seat" else names[turn.seat]
                table = found.setdefault((row.arm, row.players, who), RankTable(row.arm, row.players, who))
                table.games.setdefault((row.seed, row.repeat), Counter())[turn.list_rank] += 1
    return list(found.values())


def chosen(found: Sequence[RankTable], arm: str | None, players: int | None) -> list[RankTable]:
    """The tables of an arm, of a player count, or of both. Raises UserError when there are none."""
    kept = [one for one in found if arm in (None, one.arm) and players in (None, one.players)]
    if not kept:
        there = ", ".join(dict.fromkeys(f"{one.arm} at {one.players}" for one in found)) or "none"
        where = f"{arm or 'any arm'} at {players or 'any'} players"
        raise UserError(f"nobody chose from a recommender's list in {where}; there is {there}")
    return kept


def data(found: Sequence[RankTable]) -> list[dict[str, Any]]:
    most = longest(found)
    return [
        {
            "arm": one.arm,
            "players": one.players,
            "by": one.by,
            "games": len(one.games),
            "turns": one.counts.total(),
            "ranks": {name(rank): share for rank, (share, _) in one.shares(most).items()},
            "intervals": {name(rank): bounds for rank, (_, bounds) in one.shares(most).items()},
        }
        for one in found
    ]


def show(found: Sequence[RankTable], console: Console) -> None:
    """A row for each: percent of turns by rank."""
    ranks = (*range(1, longest(found) + 1), 0)
    table = plain_table("arm", "players", "by", "turns", *map(name, ranks), words=("arm", "by"))
    for one in found:
        cells = map(_percent, one.shares(longest(found)).values())
        table.add_row(one.arm, str(one.players), one.by, f"{one.counts.total():,}", *cells)
    console.print(table)
    console.print(
        Text("\n% of turns by the rank of the chosen move in the recommender's list, 1 the best; 95 % intervals"),
        soft_wrap=True,
    )


def _percent(found: tuple[float, Bounds | None]) -> str:
    share, bounds = found
    ends = f" [{100 * bounds[0]:.0f}, {100 * bounds[1]:.0f}]" if bounds else ""
    return f"{100 * share:.0f}{ends}"
