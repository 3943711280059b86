"""The recipe of docs/formats.md, run against a module that only remembers what it was told."""

import csv
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest

from hanabi_orchestrator.experiments.record.rows import Row, write
from tests.support.folders import ROOT


class Remembers(ModuleType):
    """Stands for a module of another program, and for everything that its functions return."""

    def __init__(self, said: list[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> None:
        super().__init__("remembers")
        self.said = said
        self.summary: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def function(*given: Any, **named: Any) -> "Remembers":
            self.said.append((name, given, named))
            if name == "init":
                self.summary = {}
                self.said.append(("summary", (self.summary,), {}))
            return self

        return function

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


def row(arm: str, seed: int, score: int) -> Row:
    words = {
        "arm": arm,
        "graph": "house",
        "end": "perfect",
        "journal": f"games/{arm}/2p-s{seed}-r1.jsonl",
        "usd": None,
    }
    names = (
        "players",
        "repeat",
        "score_strict",
        "lives",
        "turns",
        "calls",
        "fallbacks",
        "forced",
        "tokens_in",
    )
    return Row(**words, **dict.fromkeys(names, 1), tokens_out=1, seed=seed, score_kept=score)  # type: ignore[arg-type]


ROWS = [row("full", 1, 20), row("full", 2, 22), row("none", 1, 10)]


def ran(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    page = (ROOT / "docs/formats.md").read_text("utf-8")
    (text,) = re.findall(rf"```py title=to_{name}.py\n(.*?)```", page, re.S)
    assert len([line for line in text.splitlines() if line]) <= 20
    (folder / "recipe.py").write_text(text, "utf-8")
    write(folder, ROWS)
    said: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
    monkeypatch.setitem(sys.modules, name, Remembers(said))
    monkeypatch.setattr(sys, "argv", ["recipe.py", str(folder)])
    runpy.run_path(str(folder / "recipe.py"))
    return said


def test_a_run_goes_to_weights_and_biases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ran("wandb", tmp_path, monkeypatch)
    assert [named["name"] for name, _, named in said if name == "init"] == ["full", "none"]
    assert [given[0] for name, given, _ in said if name == "summary"] == [
        {"score_kept": 21},
        {"score_kept": 10},
    ]
    tables = [named for name, _, named in said if name == "Table"]
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        assert [len(table["data"]) for table in tables] == [2, 1] and tables[0]["columns"] == next(
            csv.reader(file)
        )
