"""The games of a path, the turns of games as a data frame, and games of other programs as journals.

`games.turns("games")`, `games.sources("runs/mine")`, `games.save(path, ...)`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import recorded_game, results, turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import GAMES, leave_out, peek_all
from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.referee import End, Referee
from hanabi_orchestrator.orchestrator.journal.events import Event, SeatInfo
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.regular_files import below
from hanabi_orchestrator.orchestrator.table.seat import Decision


def turns(folder: Path | str) -> Any:
    """Return a pandas data frame with a line for each turn of the games in a folder, or of one journal; its columns are
    `journal`, the file below the folder, and those of the Parquet export. Raises UserError without pandas or games."""
    path = Path(folder)
    journals = below(path, "*.jsonl", deep=True) if path.is_dir() else [path]
    if not journals:
        raise UserError(f"there is no game in {str(folder)!r}: no file ends in .jsonl")
    return results.frame(
        {
            "journal": journal.relative_to(path).as_posix() if path.is_dir() else journal.name,
            **asdict(turn),
        }
        for journal in journals
        for turn in turn_rows.turns(Game.open(journal), journal.parent.name)
    )


# The journals that a path names


@dataclass(frozen=True)
class Source:
    """A game that is on disk."""

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

    def open(self) -> Game:
        """Read the game. Raises UserError."""
        return Game.open(self.path)


def sources(path: Path) -> list[Source]:
    """Return the game of a journal, or all games of a run folder, unfinished ones included. Raises UserError for
    neither."""
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


# Games of other programs


def save(
    path: Path,
    deck: Sequence[str],
    moves: Iterable[Move | str],
    *,
    players: Sequence[str],
    program: str,
    ended: bool = True,
    given_up: End | None = None,
) -> list[Event]:
    """Write the journal of a game of another program, for which its moves are made again; returns its events.

    `deck`: the cards in the order of dealing; `moves`: as moves, or as `str(move)` writes them; `players`: what the
    players are called, by seat; `program`: what their seats are listed as. A game that was not `ended` has no end in
    the journal; one that was `given_up` ends so, with a strict score of 0. Raises UserError when the file is there,
    or the moves do not fit the deck.
    """
    infos = [SeatInfo(graph=program, model=PROGRAM, label=label or None) for label in players]
    referee = Referee(len(players), deck)
    for move in moves:
        _apply(referee, move)
    turns = [(Decision(move=past.move), None) for past in referee.history]
    events = recorded_game.events(
        infos, turns, path.stem, over=ended, given_up=given_up, deck=referee.deck
    )
    recorded_game.write(events, path)
    return events


def _apply(referee: Referee, move: Move | str) -> None:
    if isinstance(move, str):
        try:
            move = parse(move)
        except ValueError as error:
            raise UserError(f"turn {referee.turn}: {error}") from None
    try:
        referee.apply(move)
    except IllegalMove as error:
        raise UserError(f"turn {referee.turn}: {error}") from None
