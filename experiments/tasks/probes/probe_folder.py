"""The folder of a run of probes: who was asked which of them, and a journal for each.

`probes.yaml` is the record, `probes.json` has every probe with its answers, `games/PACK/` the journals.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from experiments.record.files import write_atomically
from experiments.record.rows import GAMES
from experiments.running.run_folder import RunFolder
from experiments.tasks.probes.probe import Probe
from orchestrator.errors import user_error
from orchestrator.journal.events import SeatInfo
from orchestrator.values import Frozen
from orchestrator.yaml_files import from_file

PROBES = "probes.json"
HEAD = "# Who was asked which convention probes. The same command again goes on with them; --per may grow.\n"
_PROBES: TypeAdapter[list[Probe]] = TypeAdapter(list[Probe])


class Record(Frozen):
    """Who was asked."""

    v: Literal[1] = 1
    seat: SeatInfo
    """The asked player, with all that decides what they do."""
    seed: int
    """The seed of the probes."""
    versions: dict[str, str] = {}
    """Versions of the first command."""


FOLDER = RunFolder(Record, "probes.yaml", "run of convention probes", HEAD, ("seed", "seat"), files=(PROBES, GAMES))


def path_of(folder: Path, probe: Probe) -> Path:
    """Return the journal of a probe: `games/newest/chop-3p-1.jsonl`."""
    pack, convention, which = probe.name.split("/")
    return folder / GAMES / pack / f"{convention}-{which}.jsonl"


def begin(folder: Path, seat: SeatInfo, seed: int, probes: Sequence[Probe]) -> list[Probe]:
    """Write the record of a new run, or check that a run goes on; all probes of the folder, those from before first.

    A run without any journal counts as new. Raises UserError for a folder with another run or other files.
    """
    begun = any(folder.glob(f"{GAMES}/*/*.jsonl"))
    FOLDER.begin(folder, Record(seat=seat, seed=seed), begun=begun)
    before = probes_of(folder) if begun else []
    every = list({probe.name: probe for probe in (*before, *probes)}.values())
    write_atomically(folder / PROBES, _PROBES.dump_json(every).decode() + "\n")
    return every


def probes_of(folder: Path) -> list[Probe]:
    """Return the probes of a folder. Raises UserError for a file that holds something else."""
    path = folder / PROBES
    try:
        return _PROBES.validate_json(from_file(path, "the probes"))
    except ValidationError as error:
        raise user_error(str(path), error) from None
