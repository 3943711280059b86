"""The games and runs below a folder, as plain rows: what `list games` and `list runs` print."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game, NotAJournal, NotBegun
from hanabi_orchestrator.experiments.record.rows import constructed, leave_out, peek_all
from hanabi_orchestrator.experiments.record.run_folder import RUN, read
from hanabi_orchestrator.orchestrator.errors import UserError, nearby
from hanabi_orchestrator.orchestrator.regular_files import below


def games(folder: Path) -> list[dict[str, Any]]:
    """Return a row for every journal below a folder, sorted by path; other files are left out. Raises UserError."""
    return [{"journal": path.as_posix(), **_game(game)} for path, game in journals(folder)]


def told(games: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of `games` for a person: one score, the kept one where it differs, and how each game ended."""
    rows = []
    for game in games:
        strict = game["score_strict"]
        points = game["score_kept"]
        score = (
            None
            if strict is None
            else str(strict)
            if strict == points
            else f"{strict} (kept {points})"
        )
        shown = {
            name: game[name] for name in ("journal", "graph", "model", "players", "seed", "turns")
        }
        rows.append({**shown, "score": score, "end": game["end"] or "unfinished"})
    return rows


def journals(folder: Path) -> Iterator[tuple[Path, Game]]:
    """Yield every journal below a folder with its game, sorted by path; files of other programs are left out, and
    journals that cannot be read, which are named. Raises UserError for no folder."""
    for path in below(_checked(folder), "*.jsonl", deep=True):
        try:
            yield path, Game.open(path)
        except (NotAJournal, NotBegun):
            continue  # some other program's file
        except UserError as error:
            leave_out(path, error)


def _game(game: Game) -> dict[str, Any]:
    started = game.started
    result = game.result
    scored = not constructed(started.graph)
    return {
        "graph": started.graph,
        "model": started.model,
        "players": started.players,
        "seed": started.seed,
        "score_strict": result.score_strict if scored and result else None,
        "score_kept": result.score_kept if scored and result else None,
        "turns": result.turns if result else len(game.moves),
        "end": result.end if result else None,
        "finished": result is not None,
    }


def runs(folder: Path) -> list[dict[str, Any]]:
    """Return a row for every run folder below a folder, or for the folder itself, sorted by path; a run.yaml that
    cannot be read is named and left out. Raises UserError for no folder."""
    rows = []
    for path in below(_checked(folder), RUN, deep=True):
        try:
            rows.append(_run(path.parent, read(path)))
        except UserError as error:
            leave_out(path, error)
    return rows


def _run(folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    games = peek_all(folder, unreadable=leave_out).values()
    seats = record.get("seats")
    models = [str(seat.get("model")) for seat in seats.values()] if isinstance(seats, dict) else []
    return {
        "run": folder.as_posix(),
        "experiment": record.get("name"),
        "models": sorted(set(models)),
        "arms": len(record.get("arms") or ()),
        "players": record.get("players"),
        "seeds": len(record.get("seeds") or ()),
        "finished": sum(game.result is not None for game in games),
        "unfinished": sum(game.result is None for game in games),
    }


def _checked(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{str(folder)!r} is no folder{nearby(folder)}")
    return folder
