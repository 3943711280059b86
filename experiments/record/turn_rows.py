"""The turns of finished games as rows: the score after each turn, and which nodes proposed the move.

Journals are read line by line as plain JSON, and lines without such data are not parsed: a run has thousands of
journals of up to megabytes, mostly views and prompts.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import roles
from experiments.record.rows import Int8, Int16, Int32, Int64, Row
from graphs.attempts import base
from orchestrator.errors import UserError
from orchestrator.hanabi import one_step
from orchestrator.hanabi.cards import Card
from orchestrator.hanabi.moves import Move, parse
from orchestrator.hanabi.public_record import Record
from orchestrator.journal import file
from orchestrator.journal.events import Call, Parent
from orchestrator.journal.move_origins import MoveOrigin, MoveOrigins
from roles.reply_types import Choice, Shortlist

T = TypeVar("T")


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
    """The turns of a finished game. Raises UserError when its journal is missing or unreadable."""
    return list(read(folder / row.journal, row.arm))


def read(path: Path, arm: str) -> Iterator[TurnRow]:
    """The turns of a journal. Raises UserError when it cannot be read."""
    return _read(path, lambda lines: _turns(lines, arm))


def calls(path: Path) -> Iterator[dict[str, Any]]:
    """The calls of a journal as plain data. Raises UserError when it cannot be read."""
    return _read(path, lambda lines: (file.data(line) for line in lines if file.tag(line) == "call"))


def served(path: Path) -> set[tuple[str, str]]:
    """The models of a journal's requests, each with the id of the model that its server said to have answered.

    Raises UserError when it cannot be read.
    """
    return set(_read(path, lambda lines: (pair for line in lines if file.tag(line) == "call" for pair in _ids(line))))


def _ids(call: bytes) -> Iterator[tuple[str, str]]:
    if model := _MODEL.search(call):
        yield from ((json.loads(model[1]), json.loads(one[1])) for one in _SERVED.finditer(call))


_MODEL, _SERVED = (re.compile(rb'"%s": ("(?:[^"\\]|\\.)+")' % key) for key in (b"model", b"served_by"))
"""Both are keys: in a text of the line, quotes are escaped."""


@dataclass(frozen=True)
class MovesOfGame:
    seats: tuple[str, ...]
    """The names of what sat in the seats."""
    moves: tuple[tuple[int, Move], ...]
    """Seat and move, turn by turn."""


def moves(path: Path) -> MovesOfGame:
    """The moves of a journal. Raises UserError when it cannot be read."""
    (found,) = _read(path, lambda lines: iter([_moves(lines)]))
    return found


def _moves(lines: Iterator[bytes]) -> MovesOfGame:
    """Raises ValueError, KeyError or TypeError for what is no journal."""
    wanted = [file.data(line) for line in lines if file.tag(line) in ("game_started", "moved")]
    seats = tuple(seat["graph"] for seat in wanted[0]["seats"])
    return MovesOfGame(seats, tuple((one["past"]["seat"], parse(one["past"]["move"])) for one in wanted[1:]))


def _read(path: Path, parse: Callable[[Iterator[bytes]], Iterator[T]]) -> Iterator[T]:
    try:
        yield from parse(file.lines(path))
    except UserError:
        raise
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{str(path)!r} is not a journal that this program reads") from None


def _parent(game: Mapping[str, Any]) -> Parent | None:
    return Parent.model_validate(game["parent"]) if game.get("parent") else None


def _config(game: Mapping[str, Any], past: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The graph of the seat that moved, if it is one."""
    before = parent.seat_before(past["seat"], past["turn"]) if (parent := _parent(game)) else None
    found: Mapping[str, Any] | None = before.config if before else game["seats"][past["seat"]]["config"]
    return found


def _turns(lines: Iterator[bytes], arm: str) -> Iterator[TurnRow]:
    """Raises ValueError, KeyError or TypeError for what is no journal."""
    reader = _Reader(arm)
    for line in lines:
        reader.line(line)
    yield from _with_effects(reader.game, reader.rows, reader.first)


class _Reader:
    """Reads the lines of a journal in their order into rows."""

    def __init__(self, arm: str) -> None:
        self.arm = arm
        self.rows: list[TurnRow] = []
        self.game: dict[str, Any] = {}
        self.first: dict[int, Move] = {}
        """By turn, the first choice, where it was refused."""
        self._find = MoveOrigins()
        self._origin = MoveOrigin(0, False)
        self._decided: dict[str, Any] = {}
        self._proposed: dict[tuple[str, int], str] = {}
        self._lists: list[bool] = []
        """Of each request to a recommender in this turn: whether a list came."""

    def line(self, line: bytes) -> None:
        tag = file.tag(line)
        if tag == "game_started":
            self.game = file.data(line)
            self._find.models = tuple(seat["model"] for seat in self.game["seats"])
            self._find.parent = _parent(self.game)
        elif tag == "call" and _may_propose(line):
            self._call(file.data(line))
        elif tag == "call" and _lists_moves(_role(line)):
            self._lists.append(file.data(line)["reply"] is not None)
        elif tag == "verdict" and not (verdict := file.data(line))["accepted"]:
            self._find.refused(verdict["node"], parse(verdict["move"]))
        elif tag == "decided":
            self._decide(file.data(line))
        elif tag == "moved":
            past = file.data(line)["past"]
            row = _turn(self.arm, self.game, self._decided, past, self._proposed, self._origin)
            self.rows.append(replace(row, list_rank=self._list_rank(past)))
            self._proposed, self._lists = {}, []

    def _list_rank(self, past: Mapping[str, Any]) -> int | None:
        """A lean journal does not hold the lists of programs, which always come."""
        nodes = (_config(self.game, past) or {}).get("nodes", {}).values()
        unlisted = self._lists and not any(self._lists)
        if self._decided["forced"] or unlisted or not any(_lists_moves(node["role"]) for node in nodes):
            return None
        return self._decided.get("rank") or 0

    def _call(self, call: Mapping[str, Any]) -> None:
        _add_proposal(call, self._proposed)
        if call["reply"] is not None:
            self._find.answered(call["node"], call["ask"], copied=call.get("copied", False))

    def _decide(self, decided: dict[str, Any]) -> None:
        self._decided = decided
        turn, seat, node = decided["turn"], decided["seat"], decided["node"]
        self._origin = self._find.decided(turn, seat, node, forced=decided["forced"])
        if self._origin.refused:
            self.first[turn] = self._origin.refused[0]


def _with_effects(game: Mapping[str, Any], rows: list[TurnRow], first: Mapping[int, Move]) -> list[TurnRow]:
    """The rows with what refused first choices would have done at once."""
    if not first:
        return rows
    deck, moves = tuple(map(Card, game["deck"])), tuple(parse(row.move) for row in rows)
    record = Record.model_construct(players=game["players"], deck=deck, moves=moves)
    found = {turn.turn: turn for turn in one_step.compared(record, first)}
    return [_with_effect(row, first[row.turn], found[row.turn]) if row.turn in found else row for row in rows]


def _with_effect(row: TurnRow, choice: Move, turn: one_step.Compared) -> TurnRow:
    return replace(
        row,
        first_choice=str(choice),
        first_points=turn.first.points,
        first_lives=turn.first.lives,
        played_points=turn.played.points,
        played_lives=turn.played.lives,
    )


def proposed_moves(calls: Iterable[Call], decides: str | None) -> list[tuple[str, Move]]:
    """The moves that the nodes of a turn proposed, by node and without repetitions; those of the deciding node, and of
    attempts that a redo replaced, are left out."""
    found: dict[tuple[str, int], str] = {}
    for call in calls:
        if call.reply is not None and _chooses(call.role):
            _add_proposal({"node": call.node, "sample": call.sample, "reply": call.reply}, found)
    return list(dict.fromkeys((node, parse(move)) for (node, _), move in found.items() if node != decides))


_ROLE = re.compile(rb'.{0,200}?"role": "(\w+)"')


def _may_propose(line: bytes) -> bool:
    role = _role(line)
    return role is None or _chooses(role)


def _role(line: bytes) -> str | None:
    return found[1].decode() if (found := _ROLE.match(line)) else None


@cache
def _lists_moves(role: str | None) -> bool:
    """Whether the reply of a role is a recommender's list."""
    return role is not None and role in roles.names() and issubclass(roles.get(role).reply, Shortlist)


@cache
def _chooses(role: str) -> bool:
    """Whether the reply of a role is a move; it may be, for roles that are not registered here."""
    return role not in roles.names() or issubclass(roles.get(role).reply, Choice)


def _add_proposal(call: Mapping[str, Any], proposed: dict[tuple[str, int], str]) -> None:
    """Keep the move that a node proposed; a redo replaces the earlier proposal."""
    if isinstance(move := (call["reply"] or {}).get("action"), str):
        proposed[base(call["node"]), call["sample"]] = move


def _turn(
    arm: str,
    game: Mapping[str, Any],
    decided: Mapping[str, Any],
    past: Mapping[str, Any],
    proposed: Mapping[Any, str],
    origin: MoveOrigin,
) -> TurnRow:
    return TurnRow(
        arm=arm,
        players=game["players"],
        seed=game["seed"],
        repeat=game["repeat"],
        turn=past["turn"],
        seat=past["seat"],
        move=past["move"],
        score=sum(past["fireworks"]),
        lives=past["lives"],
        forced=decided["forced"],
        node=decided["node"],
        rank=rank(decided["move"], decided["ratings"] or {}),
        agreement=agreement(decided.get("votes", {})),
        proposals=proposals(proposed, past["move"], (_config(game, past) or {}).get("decides")),
        own=origin.chosen if origin.of_model else None,
        refused=len(origin.refused),
        refused_by_rule=origin.refused_by_rule,
        second_ask=origin.second_ask,
        copied=origin.copied,
    )


def rank(move: str, ratings: Mapping[str, float]) -> int | None:
    """1 for the best rated move, ties share the better rank; None for a move that is not rated."""
    return 1 + sum(other > ratings[move] for other in ratings.values()) if move in ratings else None


def agreement(votes: Mapping[str, Mapping[str, int]]) -> float | None:
    """The share of the most frequent move among the samples of the first node with several; None without one."""
    counts = next((list(moves.values()) for moves in votes.values() if sum(moves.values()) > 1), None)
    return max(counts) / sum(counts) if counts else None


def proposals(proposed: Mapping[tuple[str, int], str], move: str, decides: str | None) -> dict[str, float]:
    """By node, without the deciding one: the share of its samples that proposed the move."""
    found: dict[str, list[bool]] = {}
    for (node, _), one in proposed.items():
        if node != decides:
            found.setdefault(node, []).append(one == move)
    return {node: sum(same) / len(same) for node, same in found.items()}
