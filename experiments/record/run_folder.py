"""A run folder: its record, the settings and imports that a command begins it with, its finished and failed games.

A run of games has run.yaml and games/, from which reports read it, or results.csv alone.
"""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.record.files import write_atomically, write_csv
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import RESULTS, Row
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.cells import restored
from hanabi_orchestrator.orchestrator.errors import (
    UserError,
    complaint,
    nearby,
    shortened,
    user_error,
)
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.plugins import own_code
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.orchestrator.yaml_files import from_file, loaded
from hanabi_orchestrator.roles.words import many

RUN = "run.yaml"
IMPORTS = "imports"
"""In run.yaml: code of a user's own (`--import`) by name, with the SHA-256 of its content, the same when resumed."""
FAILED = "failed.csv"
"""The games of a run that failed, each with the reason, until they are finished."""
FAILURES = ("game", "why")
SHOWN = 5
"""Failed games that a sentence names."""
R = TypeVar("R", bound=Frozen)


def read(path: Path) -> dict[str, Any]:
    """A run.yaml as plain data. Raises UserError when it is no YAML mapping."""
    data = loaded(from_file(path, "run"), str(path))
    if not isinstance(data, dict):
        raise UserError(
            f"{str(path)!r} is not a run.yaml: a YAML mapping with the keys name, arms, seats ..."
        )
    check(data, str(path))
    return data


def check(record: Mapping[str, Any], where: str) -> None:
    """Raise UserError for a run.yaml in which something else stands where several things belong."""
    for key, kind in _KINDS.items():
        if key in record and not isinstance(record[key], kind):
            kind_name = "a list" if kind is list else "a mapping of keys to values"
            raise UserError(
                f"{where}: {key}: must be {kind_name}, not {shortened(repr(record[key]))}"
            )


_KINDS = {
    "players": list,
    "seeds": list,
    "software": list,
    **dict.fromkeys(("arms", "labels", "seats", "deals", "prompts"), dict),
}
"""Keys of a run.yaml that hold several things."""


def run(folder: Path) -> dict[str, Any]:
    """The contents of run.yaml; empty when there is none. Raises UserError when it is no mapping."""
    path = folder / RUN
    if not path.exists():
        return {}
    return read(path)


def games(run: Mapping[str, Any]) -> int | None:
    """The most games that run.yaml asks for; None for ad-hoc teams, whose arms differ in deals."""
    if not run or "adhoc" in run.get("experiment", {}):
        return None
    counts = sum(len(arm.get("players", ())) for arm in run.get("arms", {}).values())
    return counts * len(run.get("seeds", ())) * int(run.get("repeats", 1))


def read_rows(folder: Path | str, journals: Mapping[Path, Game] | None = None) -> list[Row]:
    """Return the finished games of a run folder; `journals`: its games, if just read. Raises UserError for none.

    A game that another graph or model played than its arm in run.yaml, such as one copied from another run, is named
    and left out.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(
            f"there is no folder {str(folder)!r}; name that of a run, e.g. runs/role-ablation{nearby(folder)}"
        )
    if journals is None:
        journals = rows.peek_all(folder, unreadable=rows.leave_out)
    games = _of_their_arms(folder, rows.finished(folder, journals)) or written(folder)
    if not games:
        raise UserError(
            f"there is no finished game in {str(folder)!r}, neither in games/ARM/*.jsonl nor in {RESULTS}, as a run's "
            "folder has them"
        )
    return games


def _of_their_arms(folder: Path, games: Sequence[Row]) -> list[Row]:
    record = run(folder)
    own = list[Row]()
    for row in games:
        if difference := _difference(row, record):
            _leave_out((folder / row.journal).resolve(), str(folder / row.journal), difference)
        else:
            own.append(row)
    return own


@cache  # a report reads the games twice
def _leave_out(whole_path: Path, path: str, difference: str) -> None:
    log.warning("left out", file=path, why=difference)


def _difference(row: Row, record: Mapping[str, Any]) -> str:
    """Return how a game differs from its arm, whose seats are all alike; empty where nothing is known of it."""
    arm = record.get("arms", {}).get(row.arm)
    if not isinstance(arm, Mapping) or arm.get("others"):
        return ""
    seat = record.get("seats", {}).get(arm.get("everybody"))
    if not isinstance(seat, Mapping) or (row.graph, row.model) == (
        seat.get("graph"),
        seat.get("model"),
    ):
        return ""
    return f"{row.graph} by {row.model} played it, and the arm {row.arm} is {seat.get('graph')} by {seat.get('model')}"


_ROW = TypeAdapter(Row)


def written(folder: Path) -> list[Row]:
    """The rows of results.csv; none without that file. Raises UserError when it holds something else."""
    path = folder / RESULTS
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="", opener=regular_files.regular) as file:
        lines = [
            {name: restored(cell) or None for name, cell in line.items()}
            for line in csv.DictReader(file)
        ]
    try:
        return [_ROW.validate_python(line) for line in lines]
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise UserError(
            f"{str(path)!r} is not the {RESULTS} of a run: {complaint(error.errors()[0], where)}"
        ) from None


def failures(folder: Path) -> dict[str, str]:
    """The reasons by game; none without that file, or when it holds something else."""
    path = folder / FAILED
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="", opener=regular_files.regular) as file:
        lines = [line for line in csv.DictReader(file) if set(FAILURES) <= set(line)]
    return {restored(line["game"]): restored(line["why"]) for line in lines}


def write_failures(folder: Path, failed: Mapping[str, str], played: Collection[str]) -> None:
    """Write the games that failed now, and those that failed before and were not `played` since."""
    before = {game: why for game, why in failures(folder).items() if game not in played}
    if not (both := {**before, **failed}):
        if (
            folder / FAILED
        ).exists():  # on a disk that cannot be written, unlinking nothing fails, too
            (folder / FAILED).unlink()
        return
    write_csv(folder / FAILED, FAILURES, sorted(both.items()))


def failure_sentence(failed: Mapping[str, str], whole: int | None) -> str:
    """`2 of 8 games failed: a/2p-s1-r1: ...`."""
    named = "; ".join(f"{game}: {why}" for game, why in list(failed.items())[:SHOWN])
    more = f"; and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
    if whole:
        games = f"{len(failed)} of {many(whole, 'game')}"
    else:
        games = many(len(failed), "game")
    return f"{games} failed: {named}{more}"


def imports() -> dict[str, Any]:
    """The entry of run.yaml; empty when nothing was imported."""
    hashes = {code.name: code.sha256 for code in own_code()}
    return {IMPORTS: hashes} if hashes else {}


def check_imports(record: Mapping[str, Any], holder: str) -> None:
    """Raise UserError unless everything that a run.yaml records was imported now, unchanged."""
    if names := missing_imports(record):
        raise UserError(f"{holder} was made with --import {names[0]}; give it again")
    now = {Path(code.name).name: code.sha256 for code in own_code()}
    for name, before in _imported(record).items():
        if (sha256 := now[Path(name).name]) != before:
            changed = f"its sha256 was {str(before)[:12]}, is {sha256[:12]}"
            raise UserError(
                f"{holder} was made with another {name}: {changed}. Give changed code another --out"
            )


def missing_imports(record: Mapping[str, Any]) -> list[str]:
    """Return what a run.yaml records and nobody imported now."""
    now = {Path(code.name).name for code in own_code()}
    return [name for name in _imported(record) if Path(name).name not in now]


def _imported(record: Mapping[str, Any]) -> Mapping[str, Any]:
    recorded = record.get(IMPORTS)
    return recorded if isinstance(recorded, dict) else {}


def check_unused(folder: Path, record: str, *others: str) -> None:
    """Raise UserError for a folder with other files than a run may have before its first answer: its record and what
    has the patterns of `others`."""
    mine = (".*", record, *others)
    paths = folder.iterdir() if folder.exists() else ()
    if not all(any(fnmatch(path.name, name) for name in mine) for path in paths):
        raise UserError(f"{str(folder)!r} holds other files, and no {record}; give another --out")


@dataclass(frozen=True)
class RunFolder(Generic[R]):
    """How a kind of run keeps its record."""

    kind: type[R]
    file: str
    """The record's file, such as `qa.yaml`."""
    what: str
    """Such as `run of questions`, for messages."""
    head: str
    """The comment above the record."""
    fixed: tuple[str, ...]
    """The fields of the record that a command must say again to go on with a run."""
    grows: tuple[str, ...] = ()
    """Those that hold the most that any command said."""
    files: tuple[str, ...] = ()
    """Patterns of other files and folders that a run may have before its first answer."""

    def begin(self, folder: Path, record: R, *, begun: bool) -> R:
        """Write the record of a new run, or check that a run goes on; the record as it stands then.

        A run that has not `begun`, for it holds no answer, counts as new. Its `versions` are those of the first
        command. Raises UserError for a folder with another run, and names the first difference, or with other files.
        """
        folder.mkdir(parents=True, exist_ok=True)
        new: dict[str, Any] = {"versions": dict(versions())}
        if begun and (folder / self.file).exists():
            before = self.read(folder)
            self.check(folder, before, record)
            grown = {name: max(getattr(before, name), getattr(record, name)) for name in self.grows}
            new = {"versions": getattr(before, "versions", {}), **grown}
        else:
            check_unused(folder, self.file, *self.files)
        record = record.model_copy(update=new)
        plain = yaml.safe_dump(self.plain(record), sort_keys=False, allow_unicode=True, width=120)
        write_atomically(folder / self.file, self.head + plain)
        return record

    def plain(self, record: R) -> dict[str, Any]:
        """Return a record as its file holds it."""
        return record.model_dump(mode="json")

    def check(self, folder: Path, before: R, now: R) -> None:
        """Raise UserError where a command asks something else than the run in its folder."""
        for name in self.fixed:
            old = getattr(before, name)
            new = getattr(now, name)
            if old != new:
                raise UserError(
                    f"{str(folder)!r} holds a run with another {name.replace('_', ' ')}: {difference(old, new)}; give "
                    "another --out"
                )

    def read(self, folder: Path) -> R:
        """Return the record of a folder. Raises UserError when it holds no such run."""
        path = folder / self.file
        if not path.exists():
            raise UserError(f"there is no {self.what} in {str(folder)!r}: it has no {self.file}")
        return self.parsed(path)

    def parsed(self, path: Path) -> R:
        """Return the record in a file. Raises UserError."""
        try:
            return self.kind.model_validate(loaded(from_file(path, "the run"), str(path)))
        except ValidationError as error:
            raise user_error(str(path), error) from None


def difference(old: Any, new: Any) -> str:
    """Return what a value was and what it is now: of mappings, for the first key that differs."""
    if isinstance(old, Frozen) and isinstance(new, Frozen):
        return difference(dict(old), dict(new))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        key = next(key for key in (*old, *new) if old.get(key) != new.get(key))
        return f"{key} {difference(old.get(key), new.get(key))}"
    return f"{shortened(_in_words(old))}, not {shortened(_in_words(new))}"


def _in_words(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else repr(value)
