"""The turns of games as a data frame: `games.turns("games")`."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import results, turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.regular_files import below


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
