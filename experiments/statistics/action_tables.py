"""Conditional action probabilities: how often each action is played, and which action follows it on the next turn.

Such tables summarise policies and their conventions, as in appendix A.2 of the Hanabi Challenge (Bard et al. 2020). An
action is a slot that is played or discarded (0 is the oldest card, the paper's 1), or a hint of a colour or rank,
whoever gets it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.results import turn_rows
from experiments.results.rows import Row
from experiments.results.turn_rows import MovesOfGame
from experiments.show.terminal import plain_table
from orchestrator.errors import UserError
from orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, HAND_SIZES, RANKS
from orchestrator.hanabi.moves import Discard, HintColour, Move, Play


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
    """What sat in the seats whose actions are the rows."""
    then: str
    """What sat in the next seats, whose actions are the columns."""
    counts: Counter[str] = field(default_factory=Counter)
    """Of all actions by `by`, also those that no turn of `then` follows."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def actions(self) -> tuple[str, ...]:
        return actions(self.players)

    def share(self, one: str) -> float:
        """P(action): of all actions by `by`."""
        return self.counts[one] / self.counts.total()

    def given(self, one: str) -> dict[str, float]:
        """P(next action | action), by next action; empty where the action was never followed by another."""
        whole = sum(self.pairs[one, other] for other in self.actions)
        return {other: self.pairs[one, other] / whole for other in self.actions} if whole else {}


def tables(folder: Path, rows: Sequence[Row]) -> list[ActionTable]:
    """The tables of finished games: by arm, player count, and who acts and who is next.

    Raises UserError when a journal is missing or cannot be read.
    """
    found: dict[tuple[str, int, str, str], ActionTable] = {}
    for row in rows:
        for table in _of_game(row, turn_rows.moves(folder / row.journal)):
            same = found.setdefault((table.arm, table.players, table.by, table.then), table)
            if same is not table:
                same.pairs += table.pairs
                same.counts += table.counts
    return list(found.values())


def _of_game(row: Row, game: MovesOfGame) -> Iterator[ActionTable]:
    played = [(game.seats[seat], action(move)) for seat, move in game.moves]
    counts = {name: Counter(one for by, one in played if by == name) for name in dict.fromkeys(game.seats)}
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for (by, one), (then, other) in pairwise(played):
        pairs.setdefault((by, then), Counter())[one, other] += 1
    for (by, then), found in pairs.items():
        yield ActionTable(row.arm, row.players, by, then, counts[by], found)


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
            "next_given_action": _given(one),
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
            "\n% of next actions (across) after an action (down). D, P: a slot discarded, played; 0 is the oldest card"
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
