"""The games and runs below a folder, as plain rows: what `games list` and `experiment runs` print."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.record.rows import NotAJournal, Peeked, constructed, peek, peek_all
from experiments.record.run_folder import RUN, read
from orchestrator.errors import UserError
from orchestrator.journal import file


def games(folder: Path) -> list[dict[str, Any]]:
    """A row for every journal below a folder, sorted by path; other files are left out. Raises UserError."""
    return [{"journal": path.as_posix(), **_game(path, found)} for path, found in journals(folder)]


def told(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `games` for a person: one score, with the kept one where it differs, and how a game ended."""
    return [
        {**{name: row[name] for name in TOLD}, "score": _score(row), "end": row["end"] or "unfinished"} for row in found
    ]


TOLD = ("journal", "graph", "model", "players", "seed", "turns")


def _score(row: Mapping[str, Any]) -> str | None:
    strict, kept = row["score_strict"], row["score_kept"]
    return None if strict is None else str(strict) if strict == kept else f"{strict} (kept {kept})"


def journals(folder: Path) -> Iterator[tuple[Path, Peeked]]:
    """Every journal below a folder with its beginning and its end, sorted by path; other files are left out.

    Raises UserError.
    """
    for path in sorted(_there(folder).rglob("*.jsonl")):
        try:
            found = peek(path)
        except NotAJournal:
            continue  # some other program's file
        if found.started:
            yield path, found


def _game(path: Path, found: Peeked) -> dict[str, Any]:
    started, result = found.started, found.result
    assert started is not None
    scored = not constructed(started.graph)
    return {
        "graph": started.graph,
        "model": started.model,
        "players": started.players,
        "seed": started.seed,
        "score_strict": result.score_strict if scored and result else None,
        "score_kept": result.score_kept if scored and result else None,
        "turns": result.turns if result else moves(path),
        "end": result.end if result else None,
        "finished": result is not None,
    }


def moves(path: Path) -> int:
    """The turns that an unfinished game has behind it."""
    return sum(file.tag(line) == "moved" for line in file.lines(path) if line.startswith(file.HEAD))


def suspended(path: Path) -> str | None:
    """Why an unfinished game was suspended; None when it was played on since, or stopped without a word."""
    why = None
    for line in file.lines(path):
        if line.startswith(file.HEAD) and (tag := file.tag(line)) != "game_started":
            why = str(file.data(line)["why"]) if tag == "suspended" else None
    return why


def runs(folder: Path) -> list[dict[str, Any]]:
    """A row for every run folder below a folder, or for the folder itself, sorted by path. Raises UserError."""
    return [_run(path.parent, read(path)) for path in sorted(_there(folder).rglob(RUN))]


def _run(folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    journals = peek_all(folder).values()
    seats = record.get("seats")
    models = [str(seat.get("model")) for seat in seats.values()] if isinstance(seats, dict) else []
    return {
        "run": folder.as_posix(),
        "experiment": record.get("name"),
        "models": sorted(set(models)),
        "arms": len(record.get("arms") or ()),
        "players": record.get("players"),
        "seeds": len(record.get("seeds") or ()),
        "finished": sum(one.result is not None for one in journals),
        "unfinished": sum(one.result is None for one in journals),
    }


def _there(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{str(folder)!r} is no folder")
    return folder
