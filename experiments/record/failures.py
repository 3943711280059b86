"""failed.csv: the games of a run that failed, each with the reason, until they are finished."""

import csv
from collections.abc import Collection, Mapping
from pathlib import Path

from experiments.record.files import write_csv

FAILED = "failed.csv"
COLUMNS = ("game", "why")
SHOWN = 5
"""Failed games that a sentence names."""


def read(folder: Path) -> dict[str, str]:
    """The reasons by game; none without that file, or when it holds something else."""
    path = folder / FAILED
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {line["game"]: line["why"] for line in csv.DictReader(file) if set(COLUMNS) <= set(line)}


def write(folder: Path, failed: Mapping[str, str], played: Collection[str]) -> None:
    """Write the games that failed now, and those that failed before and were not `played` since."""
    before = {game: why for game, why in read(folder).items() if game not in played}
    if not (both := {**before, **failed}):
        (folder / FAILED).unlink(missing_ok=True)
        return
    write_csv(folder / FAILED, COLUMNS, sorted(both.items()))


def sentence(failed: Mapping[str, str], whole: int | None) -> str:
    """`2 of 8 games failed: a/2p-s1-r1: ...`."""
    named = "; ".join(f"{game}: {why}" for game, why in list(failed.items())[:SHOWN])
    more = f"; and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
    games = f"{len(failed)} of {whole}" if whole else f"{len(failed)}"
    return f"{games} games failed: {named}{more}"
