"""A run folder as reports read it: run.yaml, and the finished games from the journals or else from results.csv."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from experiments.record import rows
from experiments.record.game import Game
from experiments.record.rows import RESULTS, Row
from orchestrator.errors import UserError, complaint, nearby, shortened
from orchestrator.yaml_files import from_file, loaded

RUN = "run.yaml"


def read(path: Path) -> dict[str, Any]:
    """A run.yaml as plain data. Raises UserError when it is no YAML mapping."""
    data = loaded(from_file(path, "run"), str(path))
    if not isinstance(data, dict):
        raise UserError(f"{str(path)!r} is not a run.yaml: a YAML mapping with the keys name, arms, seats ...")
    check(data, str(path))
    return data


def check(record: Mapping[str, Any], where: str) -> None:
    """Raise UserError for a run.yaml in which something else stands where several things belong."""
    for key, kind in _KINDS.items():
        if key in record and not isinstance(record[key], kind):
            kind_name = "a list" if kind is list else "a mapping of keys to values"
            raise UserError(f"{where}: {key}: must be {kind_name}, not {shortened(repr(record[key]))}")


_KINDS = {"players": list, "seeds": list, **dict.fromkeys(("arms", "labels", "seats", "deals", "prompts"), dict)}
"""Keys of a run.yaml that hold several things."""


def run(folder: Path) -> dict[str, Any]:
    """The contents of run.yaml; empty when there is none. Raises UserError when it is no mapping."""
    path = folder / RUN
    if not path.exists():
        return {}
    return read(path)


def games(run: Mapping[str, Any]) -> int | None:
    """The number of games that run.yaml asks for, at most where it has a stop rule; None for ad-hoc teams, whose arms
    differ in deals."""
    if not run or "adhoc" in run.get("experiment", {}):
        return None
    counts = sum(len(arm.get("players", ())) for arm in run.get("arms", {}).values())
    return counts * len(run.get("seeds", ())) * int(run.get("repeats", 1))


def read_rows(folder: Path, known: Mapping[Path, Game] | None = None) -> list[Row]:
    """Return the finished games of a run folder; journals that are `known` to be finished are not read again.

    Raises UserError when there are none.
    """
    if not folder.is_dir():
        raise UserError(
            f"there is no folder {str(folder)!r}; name that of a run, e.g. runs/role-ablation{nearby(folder)}"
        )
    games = rows.finished(folder, rows.peek_all(folder, known)) or written(folder)
    if not games:
        raise UserError(
            f"there is no finished game in {str(folder)!r}, neither in games/ARM/*.jsonl nor in {RESULTS}, as a run's "
            "folder has them"
        )
    return games


_ROW = TypeAdapter(Row)


def written(folder: Path) -> list[Row]:
    """The rows of results.csv; none without that file. Raises UserError when it holds something else."""
    path = folder / RESULTS
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        lines = [{name: cell or None for name, cell in line.items()} for line in csv.DictReader(file)]
    try:
        return [_ROW.validate_python(line) for line in lines]
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise UserError(f"{str(path)!r} is not the {RESULTS} of a run: {complaint(error.errors()[0], where)}") from None
