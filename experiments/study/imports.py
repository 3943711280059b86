"""Code of a user's own (`--import`) in a run: recorded in run.yaml, the same when resumed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.errors import UserError
from orchestrator.plugins import own_code

KEY = "imports"
"""In run.yaml: what was imported, by name, with the SHA-256 of its content."""


def record() -> dict[str, Any]:
    """The entry of run.yaml; empty when nothing was imported."""
    hashes = {code.name: code.sha256 for code in own_code()}
    return {KEY: hashes} if hashes else {}


def check(record: Mapping[str, Any], holder: str) -> None:
    """Raise UserError unless everything that a run.yaml records was imported now, unchanged."""
    if names := missing(record):
        raise UserError(f"{holder} was made with --import {names[0]}; give it again")
    now = {Path(code.name).name: code.sha256 for code in own_code()}
    for name, before in _recorded(record).items():
        if (sha256 := now[Path(name).name]) != before:
            changed = f"its sha256 was {str(before)[:12]}, is {sha256[:12]}"
            raise UserError(f"{holder} was made with another {name}: {changed}. Give changed code another --out")


def missing(record: Mapping[str, Any]) -> list[str]:
    """Return what a run.yaml records and nobody imported now."""
    now = {Path(code.name).name for code in own_code()}
    return [name for name in _recorded(record) if Path(name).name not in now]


def _recorded(record: Mapping[str, Any]) -> Mapping[str, Any]:
    recorded = record.get(KEY)
    return recorded if isinstance(recorded, dict) else {}
