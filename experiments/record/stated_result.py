"""How a game ended, as its journal states it: believed where the journal holds the moves that give this result."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.hanabi.referee import GIVEN_UP
from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import GameEnded
from hanabi_orchestrator.orchestrator.journal.result import Result
from hanabi_orchestrator.roles.words import many


def stated_result(last: Sequence[bytes]) -> Result | None:
    """Return the result of a journal that ends with these lines; None for a game that is not finished.

    Raises ValueError; Changed where the last move gives another one.
    """
    if not last or file.tag(last[-1]) != "game_ended":
        return None
    try:
        result = GameEnded.model_validate(file.data(last[-1])).result
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise file.Changed(
            f"{place} is {error.errors()[0]['input']!r:.40}, which cannot be"
        ) from None
    _check(result, last[0] if file.tag(last[0]) == "moved" else None)
    return result


def _check(result: Result, moved: bytes | None) -> None:
    """Raise Changed where a result is not that of its fireworks, or of the last move."""
    points = sum(result.fireworks.values())
    lives = result.lives
    turns = result.turns
    source = "its last move" if moved else "its fireworks"
    if moved:
        past = file.data(moved)["past"]
        points = sum(past["fireworks"])
        lives = past["lives"]
        turns = past["turn"]
    strict = points if lives and result.end not in GIVEN_UP else 0
    played = {"turns": turns, "lives": lives, "score_kept": points, "score_strict": strict}
    for name, value in played.items():
        if (stated := getattr(result, name)) != value:
            raise file.Changed(f"its result has {name} {stated}, {source} {value}")


def whole_result(path: Path, last: Sequence[bytes]) -> Result | None:
    """Return the result of a journal that ends with these lines. Raises ValueError; Changed unless it holds all its
    moves, and the last one gives this result."""
    result = stated_result(last)
    if result is not None:
        facts = path.stat()
        moves, moved = _moves(path, facts.st_size, facts.st_mtime_ns, result.turns)
        if moves != result.turns:
            raise file.Changed(
                f"its result has {result.turns} turns, and it holds {many(moves, 'move')}"
            )
        _check(result, moved)
    return result


@lru_cache(maxsize=20_000)
def _moves(path: Path, size: int, changed: int, stated: int) -> tuple[int, bytes | None]:
    """The number of moves in a journal as it was at that size and time, and the line of the last one."""
    number, moved = _moves_as_written(path)
    if number == stated:
        return number, moved
    number = 0
    moved = None
    for line in file.lines(path):
        if not line.isspace() and file.tag(line) == "moved":
            number = number + 1
            moved = line
    return number, moved


MOVED = b"\n" + file.HEAD + b'"moved"'
"""How the line of a move begins where this program wrote it; no text in JSON holds a line break."""
BLOCK = 2**20


def _moves_as_written(path: Path) -> tuple[int, bytes | None]:
    """The same of lines as this program writes them, without looking at each line: 20 times as fast."""
    number = 0
    place = 0
    last = -1
    kept = b""
    with regular_files.reading(path, BLOCK) as journal:
        while block := journal.read(BLOCK):
            window = kept + block
            if moves := window.count(MOVED):
                number += moves
                last = place - len(kept) + window.rfind(MOVED)
            place += len(block)
            kept = window[1 - len(MOVED) :]
        if last < 0:
            return 0, None
        journal.seek(last + 1)
        return number, journal.readline(file.LONGEST)
