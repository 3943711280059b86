"""The finished games of a run as a data frame: `results.read("runs/small")`."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.orchestrator.errors import UserError

MISSING = (
    "data frames need pandas, which is not installed: `pip install 'hanabi-orchestrator[tables]'`"
)


def read(run: Path | str) -> Any:
    """Return a pandas data frame of the finished games, as in results.csv. Raises UserError without pandas or games."""
    return frame(asdict(row) for row in run_folder.read_rows(Path(run)))


def frame(rows: Iterable[dict[str, Any]]) -> Any:
    """Return rows as a pandas data frame. Raises UserError without pandas."""
    try:
        import pandas
    except ImportError:
        raise UserError(MISSING) from None
    return pandas.DataFrame.from_records(list(rows))
