"""How players choose: which action follows which, and the ranks of their moves in a recommender's
list.

Tables of actions summarise policies and their conventions, as in appendix A.2 of the Hanabi
Challenge (Bard et al. 2020). An action is a slot that is played or discarded (0 is the oldest card,
the paper's 1), or a hint of a colour or rank, whoever gets it. Guandan's planner sees a list and
not its ranks; how often it takes the first says what planning adds to it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.clusters import pooled_shares
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Bounds
from hanabi_orchestrator.experiments.record import turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, HAND_SIZES, RANKS
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Move, Play

By = Literal["player", "seat"]
"""What tells those apart who act: what sits in their seats, or the seats themselves."""
Pair = tuple[str, str]
"""An action and the next one."""
OUTSIDE = "outside"
"""In place of a rank: a move that is not on the list."""
K = TypeVar("K", bound=Hashable)
SeedRepeat = tuple[int, int]
"""Seed and repeat."""
Shares = Mapping[K, tuple[float, Bounds | None]]
"""Shares with their 95 % intervals; None for a single game. Turns of one deal are one draw, with a
single deal those of one game."""


def _shares(
    games: Mapping[SeedRepeat, Counter[K]], keys: Sequence[K], whole: Callable[[K], Hashable]
) -> Shares[K]:
    """Return the share of each key in all turns for which `whole` is the same."""
    deals = {seed for seed, _ in games}
    clusters: dict[int, Counter[K]] = {}
    for (seed, repeat), counts in games.items():
        clusters.setdefault(seed if len(deals) > 1 else repeat, Counter()).update(counts)
    groups = list(dict.fromkeys(map(whole, keys)))
    group = np.array([groups.index(whole(key)) for key in keys])
    rows = []
    for counts in clusters.values():
        rows.append([counts[key] for key in keys])
    successes = np.array(rows, dtype=float)
    sizes = successes @ (group[:, None] == group)
    share, low, high = (end.tolist() for end in pooled_shares(successes, sizes))
    bounds = []
    for a, b in zip(low, high, strict=True):
        bounds.append(None if isnan(a) or isnan(b) else (a, b))
    return dict(zip(keys, zip(share, bounds, strict=True), strict=True))


def actions(players: int) -> tuple[str, ...]:
    """Return all actions at a player count, in the order of the tables: `discard 0`, `play 4`,
    `hint red`, `hint 3`."""
    cards = []
    for kind in ("discard", "play"):
        for slot in range(HAND_SIZES[players]):
            cards.append(f"{kind} {slot}")
    return (
        *cards,
        *(f"hint {COLOUR_NAMES[colour]}" for colour in COLOURS),
        *(f"hint {rank}" for rank in RANKS),
    )


def _action(move: Move) -> str:
    if isinstance(move, Play | Discard):
        return f"{move.kind} {move.slot}"
    return f"hint {COLOUR_NAMES[move.colour] if isinstance(move, HintColour) else move.rank}"


@dataclass
class ActionTable:
    """The turns of one kind of seat in the games of an arm at a player count, each with the turn
    after it."""

    arm: str
    players: int
    by: str
    """The seats whose actions are the rows: what sits there, or the seat, such as `P0`."""
    then: str
    """The same of the next seats, whose actions are the columns."""
    games: dict[SeedRepeat, tuple[Counter[str], Counter[Pair]]] = field(default_factory=dict)
    """All actions by `by`, also those that no turn of `then` follows, and the pairs of actions."""

    @property
    def actions(self) -> tuple[str, ...]:
        return actions(self.players)

    @cached_property
    def counts(self) -> Counter[str]:
        return sum((counts for counts, _ in self.games.values()), Counter[str]())

    @cached_property
    def pairs(self) -> Counter[Pair]:
        return sum((pairs for _, pairs in self.games.values()), Counter[Pair]())

    @cached_property
    def shares(self) -> Shares[str]:
        """P(action): of all actions by `by`."""
        return _shares(
            {game: counts for game, (counts, _) in self.games.items()},
            self.actions,
            lambda _: "all",
        )

    @cached_property
    def next_shares(self) -> Shares[Pair]:
        """P(next action | action); without actions that were never followed by another."""
        keys: list[Pair] = []
        for first in self.actions:
            for then in self.actions:
                keys.append((first, then))
        shares = _shares(
            {game: pairs for game, (_, pairs) in self.games.items()}, keys, lambda pair: pair[0]
        )
        return {pair: share for pair, share in shares.items() if not isnan(share[0])}

    def following(self, action: str) -> dict[str, float]:
        """Return P(next action | action) by next action; empty where the action was never followed
        by another."""
        return {
            then: share for (first, then), (share, _) in self.next_shares.items() if first == action
        }


def action_tables(
    folder: Path,
    rows: Sequence[Row],
    *,
    by: By = "player",
    journals: Mapping[Path, Game] | None = None,
) -> list[ActionTable]:
    """Return the tables of finished games: by arm, player count, and who acts and who is next.

    `by`: whether seats where the same player sits are one, or each seat has tables of its own;
    `journals`: those that are open already. Raises UserError when a journal is missing or cannot be
    read.
    """
    tables: dict[tuple[str, int, str, str], ActionTable] = {}
    for row in rows:
        path = folder / row.journal
        game = (journals or {}).get(path) or Game.open(path)
        seats = []
        for number, seat in enumerate(game.started.seats):
            seats.append(seat.graph if by == "player" else f"P{number}")
        turns = [(seats[game.seat(turn)], _action(move)) for turn, move in enumerate(game.moves, 1)]
        pairs: dict[Pair, Counter[Pair]] = {}
        for (first, action), (then, following) in pairwise(turns):
            pairs.setdefault((first, then), Counter())[action, following] += 1
        for (first, then), counted in pairs.items():
            empty = ActionTable(row.arm, row.players, first, then)
            counts = Counter(action for player, action in turns if player == first)
            tables.setdefault((row.arm, row.players, first, then), empty).games[
                row.seed, row.repeat
            ] = counts, counted
    return list(tables.values())


@dataclass
class RankTable:
    """The ranks of the moves that one kind of seat chose, in the games of an arm at a player
    count."""

    arm: str
    players: int
    by: str
    """What sat in the seats, or the seat, such as `P0`."""
    games: dict[SeedRepeat, Counter[int]] = field(default_factory=dict)
    """0 counts moves that are not on the list. Forced moves are left out."""

    @cached_property
    def counts(self) -> Counter[int]:
        return sum(self.games.values(), Counter[int]())

    def shares(self, most: int) -> Shares[int]:
        """Return the share of turns by rank, 1 to `most`, then 0."""
        return _shares(self.games, (*range(1, most + 1), 0), lambda _: "all")


def longest(tables: Sequence[RankTable]) -> int:
    """Return the last rank that was chosen in any of the tables."""
    return max(max(each.counts) for each in tables)


def rank_name(rank: int) -> str:
    """Return `1`, or `outside`."""
    if rank:
        return str(rank)
    return OUTSIDE


def rank_tables(folder: Path, rows: Sequence[Row], *, by: By = "player") -> list[RankTable]:
    """Return the tables by arm, player count and player, or seat; empty where no seat has a
    recommender.

    Raises UserError when a journal is missing or cannot be read.
    """
    tables: dict[tuple[str, int, str], RankTable] = {}
    for row in rows:
        game = Game.open(folder / row.journal)
        for turn in turn_rows.turns(game, row.arm):
            if turn.list_rank is not None:
                if by == "seat":
                    player = f"P{turn.seat}"
                else:
                    player = game.started.seats[turn.seat].graph
                empty = RankTable(row.arm, row.players, player)
                games = tables.setdefault((row.arm, row.players, player), empty).games
                games.setdefault((row.seed, row.repeat), Counter())[turn.list_rank] += 1
    return list(tables.values())


T = TypeVar("T", ActionTable, RankTable)


def select(tables: Sequence[T], arm: str | None, players: int | None, nothing: str) -> list[T]:
    """Return the tables of an arm, of a player count, or of both. Raises UserError: `nothing`,
    where there is none."""
    if chosen := [
        each for each in tables if arm in (None, each.arm) and players in (None, each.players)
    ]:
        return chosen
    known = ", ".join(dict.fromkeys(f"{each.arm} at {each.players}" for each in tables)) or "none"
    raise UserError(f"{nothing} {arm or 'any arm'} at {players or 'any'} players; there is {known}")
