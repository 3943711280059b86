"""The journals that a path names: one game, or every game of a run folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.record.rows import GAMES, peek_all
from orchestrator.errors import UserError
from orchestrator.hanabi.view import Past
from orchestrator.journal import file
from orchestrator.journal.events import Decided, GameEnded, GameStarted, Moved, Result


@dataclass(frozen=True)
class Source:
    """A game to be exported."""

    path: Path
    """Of its journal."""
    arm: str | None = None
    """The arm of a run that played it; None for a game alone."""

    @property
    def name(self) -> str:
        """As games of a run are named: `full/2p-s1-r1`."""
        return f"{self.arm}/{self.path.stem}" if self.arm else self.path.stem

    def moves(self) -> "Moves":
        """Raises UserError for a file that holds no game."""
        return Moves.read(self.path)


@dataclass(frozen=True)
class Moves:
    """A game without what was seen and said: its deal, its moves with their reasons, its result."""

    started: GameStarted
    turns: tuple[tuple[Past, str], ...]
    """Each move as everybody saw it, and the reason of its seat."""
    result: Result | None

    @classmethod
    def read(cls, path: Path) -> "Moves":
        """From a journal, of which it parses only these lines. Raises UserError when it holds no game."""
        started, result, why, turns = None, None, "", list[tuple[Past, str]]()
        for number, line in enumerate(file.lines(path), 1):
            try:
                event = file.parsed(line) if line.strip() and file.tag(line) in _WANTED else None
            except UnicodeDecodeError:
                raise UserError(f"cannot read {path} as a journal: it is not text") from None
            except ValueError as error:
                raise UserError(f"{path}, line {number}: {error}") from None
            match event:
                case GameStarted():
                    started = event
                case Decided():
                    why = event.why
                case Moved():
                    turns.append((event.past, why))
                case GameEnded():
                    result = event.result
        if started is None:
            raise UserError(f"{str(path)!r} does not start with a game_started line, so it is not a game")
        return cls(started, tuple(turns), result)


_WANTED = ("game_started", "decided", "moved", "game_ended")


def read(path: Path) -> list[Source]:
    """The game of a journal, or all games of a run folder, unfinished ones included. Raises UserError for neither."""
    if not path.is_dir():
        return [Source(path)]
    games = [Source(journal, journal.parent.name) for journal, peeked in peek_all(path).items() if peeked.started]
    if not games:
        raise UserError(f"there is no game in {str(path)!r}: a run folder has them in {GAMES}/ARM/*.jsonl")
    return games


def targets(games: Sequence[Source], path: Path, out: Path, suffix: str) -> list[Path]:
    """The file for each game: `out` itself for a single game, `out/ARM/NAME` for those of a run.

    Raises UserError where a file is to be written in the place of a folder, or the other way about.
    """
    if not path.is_dir():
        return [out / f"{path.stem}{suffix}"] if out.is_dir() else [out]
    if out.is_file():
        raise UserError(f"--out {str(out)!r} is a file; the games of a run need a folder")
    return [out / f"{game.name}{suffix}" for game in games]
