"""Reports on made-up games, and what stands in them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.figures.figure import Figure
from hanabi_orchestrator.experiments.report.run_data import RunData, run_data


def game(
    arm: str, seed: int, kept: int, *, players: int = 2, repeat: int = 1, lost: bool = False
) -> Row:
    """A game of a program; `lost`: its third life."""
    strict, lives, end = (
        (0, 0, "lives_lost") if lost else (kept, 2, "perfect" if kept == 25 else "deck_exhausted")
    )
    journal = f"games/{arm}/{players}p-s{seed}-r{repeat}.jsonl"
    row = Row(
        arm,
        "g",
        players,
        seed,
        repeat,
        strict,
        kept,
        lives,
        50,
        end,
        9,
        0,
        0,
        5,
        5,
        None,
        journal,
        model="m",
    )
    return replace(row, moves_digest=journal, model_moves=50, own=50)


def games(arm: str, kept: Sequence[int], **more: Any) -> list[Row]:
    return [game(arm, seed, score, **more) for seed, score in enumerate(kept, 1)]


def report(
    folder: Path, found: Sequence[Row], run: dict[str, Any] | None = None, **more: Any
) -> run_report.Report:
    folder.mkdir(exist_ok=True)
    rows.write(folder, sorted(found))
    (folder / "run.yaml").write_text(yaml.safe_dump(run or {}), "utf-8")
    return run_report.write(folder, png=False, **more)


def data(folder: Path, found: Sequence[Row], run: dict[str, Any]) -> RunData:
    return run_data(folder, found, run)


def svg(figure: Figure, made: RunData) -> str:
    return drawing._picture(figure, figure.data(made), made, png=False)


def text(made: run_report.Report) -> str:
    return (made.folder / "report.md").read_text("utf-8")


def lines(made: run_report.Report, arm: str) -> list[list[str]]:
    """The cells of the rows of an arm, in all tables below the verdict."""
    below = text(made).split("## Tables")[-1].splitlines()
    found = [line.strip("| ").split(" | ") for line in below if line.startswith(f"| {arm} |")]
    return [[cell.strip(" |") for cell in cells] for cells in found]


BASE = [10, 12, 9, 11, 10, 8, 12, 10]
BETTER = [14, 15, 13, 16, 15, 12, 17, 14]
WORSE = [3, 12, 4, 9, 1, 8, 7, 5]
WEAK = [*games("base", BASE, lost=True), *games("better", BETTER, lost=True)]
"""Weak models lose the third life in every game, and yet differ."""
KEPT: dict[str, Any] = {
    "name": "weak",
    "baseline": "base",
    "metric": "kept",
    "experiment": {"protocol": "sparks-10"},
}
KEPT |= {"players": [2], "seeds": [1, 2, 3, 4, 5, 6, 7, 8]}
