"""The formats that games are written in for other programs, and those that are read in: two tables by name.

An entry point of the groups `hanabi_orchestrator.exports` and `hanabi_orchestrator.imports` names a format of an
installed package; `exports.add` and `imports.add` register one by a call. Start reading with `ExportFormat`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.orchestrator.plugins import Table

_FILES = "hanabi_orchestrator.experiments.interchange"


class Written:
    """What came of an export or an import."""

    def __init__(self, *lines: str, data: Any = None, journal: Path | None = None) -> None:
        """`lines`: for people; `data`: the same for `--json`, by default the lines; `journal`: of the one game that
        was read in, for which the next commands are shown."""
        self.lines = lines
        self.journal = journal
        self.data = list(lines) if data is None else data


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """A format of another program that games are written in."""

    says: str
    """What it holds, in a few words."""
    write: Callable[[Path, Path], Written]
    """Writes a game's journal or the games of a run's folder (`experiments.games.sources`) to a file or a folder.

    Raises UserError for what it cannot write."""


def _none(source: str) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    """A format of another program that games are read in from, as journals."""

    says: str
    """What it holds, in a few words."""
    read: Callable[..., Written]
    """`read(source, out)`: reads a file or an address and writes journals (`experiments.games.save`); `out` is None
    where the user named no place. Its `options` come by name. Raises UserError for a source that it cannot read."""
    takes: Callable[[str], bool] = _none
    """Whether a source looks like one of this format; by default it is read with `--from` alone."""
    options: tuple[str, ...] = ()
    """The options of `orchestrator import` that it takes: graph, map, model, skip_broken."""


exports: Table[ExportFormat] = Table(
    ExportFormat,
    "export format",
    "hanabi_orchestrator.exports",
    {
        "hanab-live": f"{_FILES}.hanab_live:FORMAT",
        "atif": f"{_FILES}.atif:FORMAT",
        "inspect": f"{_FILES}.inspect_log:FORMAT",
    },
)
"""The formats of `orchestrator export --to`, beside those that have options of their own."""
imports: Table[ImportFormat] = Table(
    ImportFormat,
    "import format",
    "hanabi_orchestrator.imports",
    {
        "hanabilogs": f"{_FILES}.hanabi_logs:FORMAT",
        "hanab-live": f"{_FILES}.hanab_live_import:FORMAT",
    },
)
"""The formats of `orchestrator import --from`."""
