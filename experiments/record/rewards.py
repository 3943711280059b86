"""Rewards for training on rows of `export --to grpo`: functions of TRL's form, which return what the game recorded.

Each reads a completion with the project's own reader, and gives the reward of the move that it names.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.moves import parse
from hanabi_orchestrator.orchestrator.replies import reader
from hanabi_orchestrator.orchestrator.replies.reply import Cause, Reply, TableOptions
from hanabi_orchestrator.roles.reply_types import Choice, variant

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or messages of which the last is the response."""
Column = Sequence[Any]
"""Of a batch, with an entry for each completion."""


def place(completion: Completion, how: str, legal_moves: Sequence[str]) -> int | None:
    """Return the place of the move that a completion names; None for an unusable one. `how`: the column `reader`."""
    reply = _reply(completion, how, legal_moves)
    return legal_moves.index(str(reply.action)) if isinstance(reply, Choice) else None


def fault(completion: Completion, how: str, legal_moves: Sequence[str]) -> Cause | None:
    """Return why a completion is unusable, such as `illegal`; None for a usable one."""
    reply = _reply(completion, how, legal_moves)
    return reply.cause if isinstance(reply, reader.Unreadable) else None


def _reply(
    completion: Completion, how: str, legal_moves: Sequence[str]
) -> Reply | reader.Unreadable:
    text = completion if isinstance(completion, str) else str(completion[-1]["content"])
    kind, options, form = _reader(how, tuple(legal_moves))
    try:
        return reader.read(text, kind, options, form).reply
    except reader.Unreadable as why:
        return why


@lru_cache(maxsize=4096)
def _reader(how: str, legal_moves: tuple[str, ...]) -> tuple[type[Reply], TableOptions, Any]:
    asked = json.loads(how)
    words = None if asked.get("reason", True) else 0
    kind = variant(roles.get(asked["role"]).reply, asked["ratings"], asked["reason_first"], words)
    moves = dict(zip(asked["labels"], map(parse, legal_moves), strict=True))
    return kind, TableOptions(moves, asked["table"]), asked["form"]


def move_value(
    completions: Sequence[Completion],
    *,
    reader: Column,
    legal_moves: Column,
    values: Column,
    **_: Any,
) -> list[float]:
    """The exact one-step value of the move, in points; a point below the worst move for an unusable completion."""
    read = map(place, completions, reader, legal_moves)
    return [min(of) - 1 if n is None else float(of[n]) for n, of in zip(read, values, strict=True)]


def scaled_move_value(
    completions: Sequence[Completion],
    *,
    reader: Column,
    legal_moves: Column,
    values: Column,
    **_: Any,
) -> list[float]:
    """The same from 0 for the worst legal move to 1 for the best; -1 for an unusable completion."""
    read = map(place, completions, reader, legal_moves)
    return [-1.0 if n is None else scaled(of, n) for n, of in zip(read, values, strict=True)]


def own_rating(
    completions: Sequence[Completion],
    *,
    reader: Column,
    legal_moves: Column,
    ratings: Column,
    **_: Any,
) -> list[float | None]:
    """The rating, -1 to 1, that the game's model gave the move; -1 for an unusable completion, None without ratings."""
    read = map(place, completions, reader, legal_moves)
    return [
        None if not of else -1.0 if n is None else of[n]
        for n, of in zip(read, ratings, strict=True)
    ]


def score_change(
    completions: Sequence[Completion], *, score_change: Column, **columns: Any
) -> list[float | None]:
    """The points that the move scored in the game; None for a move that was not played."""
    return _as_played(completions, score_change, **columns)


def final_score(
    completions: Sequence[Completion], *, score_kept: Column, **columns: Any
) -> list[float | None]:
    """The kept score of the game; None for a move that was not played."""
    return _as_played(completions, score_kept, **columns)


def _as_played(
    completions: Sequence[Completion],
    rewards: Column,
    *,
    reader: Column,
    legal_moves: Column,
    move: Column,
    **_: Any,
) -> list[float | None]:
    read = map(place, completions, reader, legal_moves)
    moves = [None if n is None else of[n] for n, of in zip(read, legal_moves, strict=True)]
    return [
        float(reward) if made == was else None
        for made, was, reward in zip(moves, move, rewards, strict=True)
    ]


def scaled(values: Sequence[float], place: int) -> float:
    """A value of several, from 0 for the least to 1 for the greatest; 1 where all are equal."""
    low = min(values)
    high = max(values)
    return (values[place] - low) / (high - low) if high > low else 1.0
