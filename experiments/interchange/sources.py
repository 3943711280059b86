"""The journals that a path names: one game, or every game of a run folder."""

from dataclasses import dataclass
from pathlib import Path

from hanabi_orchestrator.experiments.record.rows import GAMES, leave_out, peek_all
from hanabi_orchestrator.orchestrator.errors import UserError


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
        if self.arm:
            return f"{self.arm}/{self.path.stem}"
        return self.path.stem


def read(path: Path) -> list[Source]:
    """Return the game of a journal, or all games of a run folder, unfinished ones included. Raises
    UserError for neither."""
    if not path.is_dir():
        return [Source(path)]
    games = []
    for journal in peek_all(path, unreadable=leave_out):
        games.append(Source(journal, journal.parent.name))
    if not games:
        raise UserError(
            f"there is no game in {str(path)!r}: a run folder has them in {GAMES}/ARM/*.jsonl"
        )
    return games
