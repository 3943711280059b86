"""Conditional action probabilities: how often each action is played, and which action follows it on the next turn.

Such tables summarise policies and their conventions, as in appendix A.2 of the Hanabi Challenge (Bard et al. 2020). An
action is a slot that is played or discarded (0 is the oldest card, the paper's 1), or a hint of a colour or rank,
whoever gets it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.record import turn_rows
from experiments.record.rows import Row
from experiments.record.turn_rows import MovesOfGame
from experiments.statistics.clusters import pooled_shares
from experiments.statistics.estimates import Bounds, Matrix
from orchestrator.errors import UserError
from orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, HAND_SIZES, RANKS
from orchestrator.hanabi.moves import Discard, HintColour, Move, Play

By = Literal["player", "seat"]
"""What tells those apart who act: what sits in their seats, or the seats themselves."""


def action(move: Move) -> str:
    """The action of a move: `discard 0`, `play 4`, `hint red`, `hint 3`."""
    if isinstance(move, Play | Discard):
        return f"{move.kind} {move.slot}"
    return f"hint {COLOUR_NAMES[move.colour] if isinstance(move, HintColour) else move.rank}"


def actions(players: int) -> tuple[str, ...]:
    """All actions at a player count, in the order of the tables."""
    slots = range(HAND_SIZES[players])
    own = [f"{kind} {slot}" for kind in ("discard", "play") for slot in slots]
    return (*own, *(f"hint {COLOUR_NAMES[colour]}" for colour in COLOURS), *(f"hint {rank}" for rank in RANKS))


@dataclass
class ActionTable:
    """The turns of one kind of seat in the games of an arm at a player count, each with the turn after it."""

    arm: str
    players: int
    by: str
    """Who sat in the seats whose actions are the rows: what sat there, or the seat, such as `P0`."""
    then: str
    """The same of the next seats, whose actions are the columns."""
    counts: Counter[str] = field(default_factory=Counter)
    """Of all actions by `by`, also those that no turn of `then` follows."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    games: dict[tuple[int, int], tuple[Counter[str], Counter[tuple[str, str]]]] = field(default_factory=dict)
    """The same by seed and repeat."""

    @property
    def actions(self) -> tuple[str, ...]:
        return actions(self.players)

    def add(self, seed: int, repeat: int, counts: Counter[str], pairs: Counter[tuple[str, str]]) -> None:
        """The actions of a game."""
        self.counts += counts
        self.pairs += pairs
        self.games[seed, repeat] = counts, pairs

    def share(self, one: str) -> float:
        """P(action): of all actions by `by`."""
        return self.counts[one] / self.counts.total()

    def given(self, one: str) -> dict[str, float]:
        """P(next action | action), by next action; empty where the action was never followed by another."""
        whole = sum(self.pairs[one, other] for other in self.actions)
        return {other: self.pairs[one, other] / whole for other in self.actions} if whole else {}

    @cached_property
    def bounds(self) -> "PolicyBounds":
        """The 95 % intervals of the shares; turns of one deal are one draw, with a single deal those of one game."""
        place = {name: number for number, name in enumerate(self.actions)}
        several = len({seed for seed, _ in self.games}) > 1
        clusters = {seed if several else repeat: number for number, (seed, repeat) in enumerate(self.games)}
        counts = np.zeros((len(self.games), len(place)))
        pairs = np.zeros((len(self.games), len(place), len(place)))
        for (seed, repeat), (ours, followed) in self.games.items():
            at = clusters[seed if several else repeat]
            for one, times in ours.items():
                counts[at, place[one]] += times
            for (one, other), times in followed.items():
                pairs[at, place[one], place[other]] += times
        _, low, high = pooled_shares(counts, np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape))
        _, lowest, highest = pooled_shares(pairs, np.broadcast_to(pairs.sum(axis=2, keepdims=True), pairs.shape))
        return PolicyBounds(place, (low, high), (lowest, highest))


@dataclass(frozen=True)
class PolicyBounds:
    """The 95 % intervals of the shares of a table; None where there is no interval: in a single game."""

    place: Mapping[str, int]
    whole: tuple[Matrix, Matrix]
    after: tuple[Matrix, Matrix]

    def share(self, one: str) -> Bounds | None:
        """Of P(action)."""
        return _known(*(float(end[self.place[one]]) for end in self.whole))

    def given(self, one: str, other: str) -> Bounds | None:
        """Of P(next action | action)."""
        return _known(*(float(end[self.place[one], self.place[other]]) for end in self.after))


def _known(low: float, high: float) -> Bounds | None:
    return None if isnan(low) or isnan(high) else (low, high)


def tables(folder: Path, rows: Sequence[Row], *, by: By = "player") -> list[ActionTable]:
    """The tables of finished games: by arm, player count, and who acts and who is next.

    `by`: whether seats where the same player sits are one, or each seat has tables of its own. Raises UserError when a
    journal is missing or cannot be read.
    """
    found: dict[tuple[str, int, str, str], ActionTable] = {}
    for row in rows:
        game = turn_rows.moves(folder / row.journal)
        names = game.seats if by == "player" else tuple(f"P{seat}" for seat in range(len(game.seats)))
        for (who, then), (counts, pairs) in _of_game(names, game).items():
            table = ActionTable(row.arm, row.players, who, then)
            found.setdefault((row.arm, row.players, who, then), table).add(row.seed, row.repeat, counts, pairs)
    return list(found.values())


def _of_game(
    names: Sequence[str], game: MovesOfGame
) -> dict[tuple[str, str], tuple[Counter[str], Counter[tuple[str, str]]]]:
    """By who acts and who is next: the actions, and the pairs of them."""
    played = [(names[seat], action(move)) for seat, move in game.moves]
    counts = {name: Counter(one for by, one in played if by == name) for name in dict.fromkeys(names)}
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for (by, one), (then, other) in pairwise(played):
        pairs.setdefault((by, then), Counter())[one, other] += 1
    return {(by, then): (counts[by], found) for (by, then), found in pairs.items()}


def chosen(found: Sequence[ActionTable], arm: str | None, players: int | None) -> list[ActionTable]:
    """The tables of an arm, of a player count, or of both. Raises UserError when there are none."""
    kept = [one for one in found if arm in (None, one.arm) and players in (None, one.players)]
    if not kept:
        there = ", ".join(dict.fromkeys(f"{one.arm} at {one.players}" for one in found)) or "none"
        raise UserError(f"there are no two turns of {arm or 'any arm'} at {players or 'any'} players; there is {there}")
    return kept


def data(found: Sequence[ActionTable]) -> list[dict[str, Any]]:
    return [
        {
            "arm": one.arm,
            "players": one.players,
            "by": one.by,
            "then": one.then,
            "turns": one.counts.total(),
            "pairs": one.pairs.total(),
            "action": {each: one.share(each) for each in one.actions},
            "action_interval": {each: one.bounds.share(each) for each in one.actions},
            "next_given_action": _given(one),
            "next_interval": {
                each: {other: one.bounds.given(each, other) for other in one.actions} for each in _given(one)
            },
        }
        for one in found
    ]


def _given(one: ActionTable) -> Mapping[str, Mapping[str, float]]:
    return {each: given for each in one.actions if (given := one.given(each))}


def show(found: Sequence[ActionTable], console: Console) -> None:
    """A table for each: percent of next actions, the share of each action below."""
    for number, one in enumerate(found):
        who = one.by if one.by == one.then else f"{one.by}, then {one.then}"
        head = f"{one.arm}, {one.players} players: {who}, {one.pairs.total():,} pairs of turns"
        console.print(Text(f"\n{head}" if number else head), soft_wrap=True)
        console.print(_grid(one))
    console.print(
        Text(
            "\n% of next actions (across) after an action (down); - where that action never came before another. D, P: "
            "a slot discarded, played, 0 the oldest card; a letter or a number alone: a colour or rank hinted. P(a): "
            "the share of each action"
        ),
        soft_wrap=True,
    )


def _grid(one: ActionTable) -> Table:
    table = plain_table("action", *map(_short, one.actions), words=("action",))
    for each in one.actions:
        given = one.given(each)
        table.add_row(each, *(_percent(given[other]) if given else "-" for other in one.actions))
    table.add_row("P(a)", *(_percent(one.share(each)) for each in one.actions))
    return table


def _short(one: str) -> str:
    """`D0`, `P4`, `R`, `3`."""
    kind, _, which = one.partition(" ")
    return which[0].upper() if kind == "hint" else f"{kind[0].upper()}{which}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
