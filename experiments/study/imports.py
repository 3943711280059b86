"""Code of a user's own (`--import`) in a run: known in every process, recorded in run.yaml, the same when resumed."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import roles
from graphs import named
from orchestrator.errors import UserError
from orchestrator.plugins import OwnCode, import_own, own_code

KEY = "imports"
"""In run.yaml: what was imported, by name, with the SHA-256 of its content."""


def bring(names: Iterable[str]) -> None:
    """Import files and modules by name; their roles, sections and graphs are known from then on. Raises UserError."""
    roles.load()  # those of packages and our own come first, so that nobody else passes for their source
    for name in names:
        import_own(name)
    named.graphs.cache_clear()
    named.contexts.cache_clear()


def brought() -> tuple[OwnCode, ...]:
    """What was imported, as plain data for other processes."""
    return tuple(own_code())


def bring_again(codes: Iterable[OwnCode]) -> None:
    """The same in another process. Raises UserError where the code is not there, or is another."""
    roles.load()
    for code in codes:
        code.load()


def record() -> dict[str, Any]:
    """The entry of run.yaml; empty when nothing was imported."""
    hashes = {code.name: code.sha256 for code in brought()}
    return {KEY: hashes} if hashes else {}


def check(record: Mapping[str, Any], holder: str) -> None:
    """Raise UserError unless everything that a run.yaml records was imported now, unchanged."""
    if names := missing(record):
        raise UserError(f"{holder} was made with --import {names[0]}; give it again")
    now = {Path(code.name).name: code.sha256 for code in brought()}
    for name, before in _recorded(record).items():
        if (sha256 := now[Path(name).name]) != before:
            changed = f"its sha256 was {str(before)[:12]}, is {sha256[:12]}"
            raise UserError(f"{holder} was made with another {name}: {changed}. Give changed code another --out")


def missing(record: Mapping[str, Any]) -> list[str]:
    """Return what a run.yaml records and nobody imported now."""
    now = {Path(code.name).name for code in brought()}
    return [name for name in _recorded(record) if Path(name).name not in now]


def _recorded(record: Mapping[str, Any]) -> Mapping[str, Any]:
    recorded = record.get(KEY)
    return recorded if isinstance(recorded, dict) else {}
