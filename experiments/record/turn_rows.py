"""The turns of finished games as rows: the score after each turn, and which nodes proposed the move.

Of the calls, only those that choose a move are parsed: a run has thousands of journals, mostly views and prompts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.lines import CallBrief
from hanabi_orchestrator.experiments.record.rows import Int8, Int16, Int32, Int64, Row
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.orchestrator.hanabi.first_choices import compared
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigin, MoveOrigins
from hanabi_orchestrator.roles.reply_types import Choice, Shortlist


@dataclass(frozen=True)
class TurnRow:
    """A turn of a finished game."""

    arm: str
    players: Int8
    seed: Int64 | None
    repeat: Int32
    turn: Int16
    """1 is the first move of the game."""
    seat: Int8
    move: str
    score: Int8
    """Points on the table after the turn, even when the game is lost later."""
    lives: Int8
    """After the turn."""
    forced: bool
    node: str | None
    """The node that chose the move; None when it was forced, and for seats that are not graphs."""
    rank: Int16 | None
    """Rank of the move in the seat's own ratings, 1 for the best, ties share the better rank; None without ratings."""
    agreement: float | None
    """Of the samples of a node, the share that chose the most frequent move; None without several samples."""
    proposals: Mapping[str, float] = field(default_factory=dict)
    """By node, without the deciding one: the share of its samples that proposed the move. Lean journals hold no replies
    of programs, whose nodes are then missing."""
    own: bool | None = None
    """Whether a seat that asks a model chose the move itself; None for seats that ask none."""
    refused: Int16 = 0
    """Choices that the safety rule or a judge refused before it."""
    refused_by_rule: Int16 = 0
    """Of these: by the safety rule."""
    second_ask: bool = False
    """Whether it was read from the deciding node's second answer."""
    copied: bool = False
    """Whether the answer that it was read from repeats the example of its prompt."""
    first_choice: str | None = None
    """The first choice, where it was refused; None where it is the move. What follows is None there, too."""
    first_points: Int8 | None = None
    """Points that the first choice would have scored at once: 1 or 0."""
    first_lives: Int8 | None = None
    """-1 if the first choice would have cost a life, else 0."""
    played_points: Int8 | None = None
    """The same for the move that was played."""
    played_lives: Int8 | None = None
    list_rank: Int16 | None = None
    """The rank that a recommender of the seat gave the move it chose, 1 for the best; 0 for a move that is not on the
    list. None where nobody listed moves, and for a forced move."""


def game_turns(folder: Path, row: Row) -> list[TurnRow]:
    """Return the turns of a finished game. Raises UserError when its journal is missing or unreadable."""
    return turns(Game.open(folder / row.journal), row.arm)


def turns(game: Game, arm: str) -> list[TurnRow]:
    """Return the turns of a game as rows. Raises UserError for a journal that cannot be read."""
    find = MoveOrigins()
    rows = list[TurnRow]()
    first = dict[int, Move]()
    calls = list[Call]()
    decided = None
    origin = MoveOrigin(0, False)
    for event in game.lines.events(_names_moves):
        origin = find(event) or origin
        if event.event == "call" and _names_moves(event):
            calls.append(event)
        elif event.event == "decided":
            decided = event
        elif event.event == "moved" and decided:
            rows.append(_row(game, arm, event.past, decided, calls, origin))
            first |= {event.past.turn: origin.refused[0]} if origin.refused else {}
            calls = []
            decided = None
    return _with_effects(game, rows, first)


def _row(
    game: Game, arm: str, past: Past, decided: Decided, calls: Sequence[Call], origin: MoveOrigin
) -> TurnRow:
    started = game.started
    move = str(past.move)
    config = started.seat_at(past.seat, past.turn).config or {}
    # lean journals do not hold the lists of programs, which always come
    lists = [call.reply is not None for call in calls if lists_moves(call.role)]
    has_list = any(lists_moves(node["role"]) for node in config.get("nodes", {}).values())
    is_ranked = has_list and not decided.forced and (not lists or any(lists))
    return TurnRow(
        arm=arm,
        players=started.players,
        seed=started.seed,
        repeat=started.repeat,
        turn=past.turn,
        seat=past.seat,
        move=move,
        score=sum(past.fireworks),
        lives=past.lives,
        forced=decided.forced,
        node=decided.node,
        rank=rank(move, decided.ratings or {}),
        agreement=agreement(decided.votes),
        proposals=proposals(_proposed(calls), move, config.get("decides")),
        own=origin.chosen if origin.of_model else None,
        refused=len(origin.refused),
        refused_by_rule=origin.refused_by_rule,
        second_ask=origin.second_ask,
        copied=origin.copied,
        list_rank=(decided.rank or 0) if is_ranked else None,
    )


def _with_effects(game: Game, rows: list[TurnRow], first: Mapping[int, Move]) -> list[TurnRow]:
    """Return the rows with what the refused first choices, by turn, would have done at once."""
    if not first:
        return rows
    record = Record.model_construct(
        players=game.started.players, deck=game.started.deck, moves=game.moves
    )
    effects: dict[int, dict[str, Any]] = {
        effect.turn: {
            "first_choice": str(first[effect.turn]),
            "first_points": effect.first.points,
            "first_lives": effect.first.lives,
            "played_points": effect.played.points,
            "played_lives": effect.played.lives,
        }
        for effect in compared(record, first)
    }
    return [replace(row, **effects.get(row.turn, {})) for row in rows]


def proposed_moves(calls: Iterable[Call], decides: str | None) -> list[tuple[str, Move]]:
    """Return the moves that the nodes of a turn proposed, by node and without repetitions; those of the deciding node,
    and of attempts that a redo replaced, are left out."""
    moves = _proposed(calls)
    return list(
        dict.fromkeys((node, parse(move)) for (node, _), move in moves.items() if node != decides)
    )


def _proposed(calls: Iterable[Call]) -> dict[tuple[str, int], str]:
    """Return the moves that nodes proposed, by node and sample; a redo replaces the earlier proposal."""
    actions = ((call, (call.reply or {}).get("action")) for call in calls if chooses(call.role))
    return {
        (base(call.node), call.sample): action
        for call, action in actions
        if isinstance(action, str)
    }


def _names_moves(call: Call | CallBrief) -> bool:
    """Return whether a call tells how a move came about."""
    return chooses(call.role) or lists_moves(call.role)


@cache
def lists_moves(role: str) -> bool:
    """Return whether the reply of a role is a recommender's list."""
    return role in roles.names() and issubclass(roles.get(role).reply, Shortlist)


@cache
def chooses(role: str) -> bool:
    """Return whether the reply of a role is a move; it may be, for roles that are not registered here."""
    return role not in roles.names() or issubclass(roles.get(role).reply, Choice)


def rank(move: str, ratings: Mapping[str, float]) -> int | None:
    """Return 1 for the best rated move, ties share the better rank; None for a move that is not rated."""
    return 1 + sum(other > ratings[move] for other in ratings.values()) if move in ratings else None


def agreement(votes: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return the share of the most frequent move among the samples of the first node with several; None for none."""
    counts = next(
        (list(moves.values()) for moves in votes.values() if sum(moves.values()) > 1), None
    )
    return max(counts) / sum(counts) if counts else None


def proposals(
    proposed: Mapping[tuple[str, int], str], move: str, decides: str | None
) -> dict[str, float]:
    """Return by node, without the deciding one, the share of its samples that proposed the move."""
    nodes: dict[str, list[bool]] = {}
    for (node, _), action in proposed.items():
        if node != decides:
            nodes.setdefault(node, []).append(action == move)
    return {node: sum(same) / len(same) for node, same in nodes.items()}
