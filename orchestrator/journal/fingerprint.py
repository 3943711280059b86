"""The hash that identifies a game, by which a journal shows that nobody changed its deal or its seats."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def hashed(value: Any) -> str:
    """Return a one-way hash of plain JSON data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def of_game(
    players: int,
    deck: Sequence[str],
    repeat: int,
    seats: Sequence[Any],
    memories: Mapping[Any, Any] | None = None,
    parent: Mapping[str, Any] | None = None,
    kind: str | None = None,
) -> str:
    """Of the deal, its repeat, the seats with the memories that they were given, the game that it was forked from, and
    which game is played where it is not the default one, all as plain data."""
    plain: list[Any] = [players, deck, repeat, seats]
    plain += [{seat: hashed(memory) for seat, memory in memories.items()}] if memories else []
    plain += [{"parent": parent}] if parent else []
    plain += [{"kind": kind}] if kind else []
    return hashed(plain)


def holds(started: Mapping[str, Any]) -> bool:
    """Return whether a stored game_started has the hash of what it says."""
    try:
        repeat = started.get("repeat", 1)
        memories = started.get("memories")
        parent = started.get("parent")
        kind = started.get("kind")
        digest = of_game(
            started["players"], started["deck"], repeat, started["seats"], memories, parent, kind
        )
        return bool(digest == started["config_hash"])
    except (KeyError, AttributeError):
        return True  # other checks say what is missing
