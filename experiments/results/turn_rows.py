"""What the turns of a run's games tell: the score as it grows, and how far the final move was whose.

Journals are read line by line as plain JSON, and lines that tell nothing of it are not even parsed: a run has thousands
of journals of up to megabytes, which are mostly views and prompts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import roles
from experiments.results.rows import Row
from orchestrator.errors import UserError
from orchestrator.journal import file
from roles.replies import Choice

T = TypeVar("T")


@dataclass(frozen=True)
class Turn:
    arm: str
    players: int
    seed: int | None
    repeat: int
    turn: int
    """1 is the first move of the game."""
    seat: int
    move: str
    score: int
    """Points on the table after it, whatever became of the lives."""
    lives: int
    """After it."""
    forced: bool
    node: str | None
    """The node whose choice it is; None when forced, and for seats that are no graphs."""
    rank: int | None
    """Of the move in the seat's own ratings, 1 for the best, ties alike; None without ratings."""
    agreement: float | None
    """Of the answers of a node that was asked several times, the share that the most frequent move got."""
    proposals: Mapping[str, float] = field(default_factory=dict)
    """By node, other than the one that decides: the share of its answers that chose this move. Lean journals keep no
    replies of programs, whose nodes are missing then."""


def of(folder: Path, row: Row) -> list[Turn]:
    """The turns of a finished game. Raises UserError when its journal is gone or is none."""
    return list(read(folder / row.journal, row.arm))


def read(path: Path, arm: str) -> Iterator[Turn]:
    """The turns of a journal. Raises UserError when it cannot be read."""
    return _read(path, lambda lines: _turns(lines, arm))


def calls(path: Path) -> Iterator[dict[str, Any]]:
    """The calls of a journal as plain data. Raises UserError when it cannot be read."""
    return _read(path, lambda lines: (file.data(line) for line in lines if file.tag(line) == "call"))


def _read(path: Path, of: Callable[[Iterator[bytes]], Iterator[T]]) -> Iterator[T]:
    try:
        yield from of(file.lines(path))
    except UserError:
        raise
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{str(path)!r} is not a journal that this program reads") from None


def _turns(lines: Iterator[bytes], arm: str) -> Iterator[Turn]:
    """Raises ValueError, KeyError or TypeError for what is no journal."""
    game: dict[str, Any] = {}
    decided: dict[str, Any] = {}
    said: dict[tuple[str, int], str] = {}
    for line in lines:
        tag = file.tag(line)
        if tag == "game_started":
            game = file.data(line)
        elif tag == "call" and _may_propose(line):
            _hear(file.data(line), said)
        elif tag == "decided":
            decided = file.data(line)
        elif tag == "moved":
            yield _turn(arm, game, decided, file.data(line)["past"], said)
            said = {}


_ROLE = re.compile(rb'.{0,200}?"role": "(\w+)"')


def _may_propose(line: bytes) -> bool:
    found = _ROLE.match(line)
    return found is None or _chooses(found[1].decode())


@cache
def _chooses(role: str) -> bool:
    """Whether a role's reply is a move; of a role that is not known here it may be."""
    return role not in roles.names() or issubclass(roles.get(role).reply, Choice)


def _hear(call: Mapping[str, Any], said: dict[tuple[str, int], str]) -> None:
    """Keep what a node proposed; a redo's answer stands for the one before it."""
    if isinstance(move := (call["reply"] or {}).get("action"), str):
        said[call["node"].partition("-")[0], call["sample"]] = move


def _turn(
    arm: str, game: Mapping[str, Any], decided: Mapping[str, Any], past: Mapping[str, Any], said: Mapping[Any, str]
) -> Turn:
    return Turn(
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
        proposals=proposals(said, past["move"], ((game["seats"][past["seat"]]["config"]) or {}).get("decides")),
    )


def rank(move: str, ratings: Mapping[str, float]) -> int | None:
    """1 for the best rated move, ties alike; None for one that is not rated."""
    return 1 + sum(other > ratings[move] for other in ratings.values()) if move in ratings else None


def agreement(votes: Mapping[str, Mapping[str, int]]) -> float | None:
    """The share of the most frequent move among the answers of the first node that gave several."""
    counts = next((list(moves.values()) for moves in votes.values() if sum(moves.values()) > 1), None)
    return max(counts) / sum(counts) if counts else None


def proposals(said: Mapping[tuple[str, int], str], move: str, decides: str | None) -> dict[str, float]:
    """By node: the share of its answers that chose the move."""
    found: dict[str, list[bool]] = {}
    for (node, _), one in said.items():
        if node != decides:
            found.setdefault(node, []).append(one == move)
    return {node: sum(same) / len(same) for node, same in found.items()}
