"""The folder of a run of probes: who was asked which of them, and a journal for each.

`probes.yaml` is the record, `probes.json` has every probe with its answers, `games/PACK/` the journals.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import TypeAdapter, ValidationError

from experiments.record.files import write_atomically
from experiments.record.rows import GAMES
from experiments.tasks.probes.probe import Probe
from orchestrator.errors import UserError, shortened, user_error
from orchestrator.journal.events import SeatInfo
from orchestrator.plugins import versions
from orchestrator.values import Frozen
from orchestrator.yaml_files import from_file, loaded

RECORD, PROBES = "probes.yaml", "probes.json"
HEAD = "# Who was asked which convention probes. The same command again goes on with them; --per may grow.\n"
_PROBES: TypeAdapter[list[Probe]] = TypeAdapter(list[Probe])


class Record(Frozen):
    """Who was asked."""

    v: Literal[1] = 1
    seat: SeatInfo
    """The asked player, with all that decides what they do."""
    seed: int
    """Of the probes."""
    versions: dict[str, str] = {}
    """Those of the first command."""


def path_of(folder: Path, probe: Probe) -> Path:
    """The journal of a probe: `games/newest/chop-3p-1.jsonl`."""
    pack, convention, which = probe.name.split("/")
    return folder / GAMES / pack / f"{convention}-{which}.jsonl"


def begin(folder: Path, seat: SeatInfo, seed: int, probes: Sequence[Probe]) -> list[Probe]:
    """Write the record of a new run, or check that a run goes on; all probes of the folder, those from before first.

    A run without any journal counts as new. Raises UserError for a folder with another run or other files.
    """
    now = Record(seat=seat, seed=seed, versions=versions())
    old = list[Probe]()
    if (folder / RECORD).exists() and any(folder.glob(f"{GAMES}/*/*.jsonl")):
        before = record_of(folder)
        _check_same(folder, before, now)
        now, old = before, probes_of(folder)
    elif folder.exists() and any(path.name not in (RECORD, PROBES, GAMES) for path in folder.iterdir()):
        raise UserError(f"{str(folder)!r} holds other files, and no {RECORD}; give another --out")
    every = list({probe.name: probe for probe in (*old, *probes)}.values())
    folder.mkdir(parents=True, exist_ok=True)
    plain = yaml.safe_dump(now.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120)
    write_atomically(folder / PROBES, _PROBES.dump_json(every).decode() + "\n")
    write_atomically(folder / RECORD, HEAD + plain)
    return every


def _check_same(folder: Path, before: Record, now: Record) -> None:
    """Raises UserError for another player, or probes of another seed."""
    if before.seed != now.seed:
        raise UserError(f"{str(folder)!r} holds probes of seed {before.seed}, not {now.seed}; give another --out")
    for name in SeatInfo.model_fields:
        old, new = getattr(before.seat, name), getattr(now.seat, name)
        if old != new:
            changed = f"{name} {_differing(old, new)}"
            raise UserError(f"{str(folder)!r} holds the answers of another player: {changed}; give another --out")


def _differing(old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        key = next(key for key in (*old, *new) if old.get(key) != new.get(key))
        return f"{key} {_differing(old.get(key), new.get(key))}"
    return f"{shortened(repr(old))}, not {shortened(repr(new))}"


def record_of(folder: Path) -> Record:
    """The record of a folder. Raises UserError when it holds no run of probes."""
    path = folder / RECORD
    if not path.exists():
        raise UserError(f"there is no run of convention probes in {str(folder)!r}: it has no {RECORD}")
    try:
        return Record.model_validate(loaded(from_file(path, "the run"), str(path)))
    except ValidationError as error:
        raise user_error(str(path), error) from None


def probes_of(folder: Path) -> list[Probe]:
    """The probes of a folder. Raises UserError for a file that holds something else."""
    path = folder / PROBES
    try:
        return _PROBES.validate_json(from_file(path, "the probes"))
    except ValidationError as error:
        raise user_error(str(path), error) from None
