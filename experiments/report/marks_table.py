"""`marks`: the marks of each role as tables, as plain data, and as CSV with a row for every reply's mark."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.analysis.caveats import caveats
from experiments.analysis.role_marks import MarkSummary, all_baselines, baselines_of
from experiments.document.terminal import plain_table
from experiments.record.rows import Row
from experiments.report.marked_run import MarkedRun
from experiments.report.missing_marks import missing
from experiments.report.tables import number
from experiments.values.game_marks import GameMarks
from experiments.values.move_values import TITLES, Kind
from experiments.values.role_mark import RoleMark
from orchestrator.errors import UserError
from orchestrator.models.settings import PROGRAM
from roles.words import many


def columns(found: Sequence[MarkSummary]) -> tuple[str, ...]:
    """Those of a table of these marks, with the baselines that any of them has."""
    return ("role", "mark", "mean", "95 %", *map(words, baselines_of(found)), "best", "replies", "turns")


def words(name: str) -> str:
    """A baseline's name as the head of a column, which breaks between words."""
    return name.replace("_", " ")


def columns_of_a_mark() -> tuple[str, ...]:
    """What CSV and Parquet hold of each mark: its place, its value, and every baseline that there is."""
    place = ("arm", "game", "players", "seed", "repeat")
    reply = ("turn", "seat", "node", "role", "model", "sample", "mark", "other")
    return (*place, *reply, "value", *all_baselines())


def show(run: MarkedRun, console: Console) -> None:
    """A table for each arm, what is missing, and the faults of moves."""
    for sentence in caveats(run.data.analysis):
        console.print(Text(sentence, style="magenta"), soft_wrap=True)
    for arm in run.data.arms:
        found = [one for one in run.summaries if one.arm == arm]
        console.print(Text(f"\n{run.labels[arm]}, {many(len(run.of(arm)), 'game')}", style="bold"))
        console.print(table(found) if found else Text("no reply has a mark"))
        for sentence in missing(run.of(arm)):
            console.print(Text(sentence, style="dim"), soft_wrap=True)
    alone = f"{LEGEND} {ONE_DEAL}" if run.summaries and all(one.units == 1 for one in run.summaries) else LEGEND
    console.print(Text(f"\n{alone}", style="dim"), soft_wrap=True)
    console.print(Text(f"\n{FAULTS}"), soft_wrap=True)
    console.print(quality(run))


LEGEND = (
    "mean and 95 %: over deals, of each game's mean over its replies. program, uniform, previous: what the role's "
    "exact program, a uniform guess, and a guess by what the partner did before would have had on the same replies; "
    "nothing excluded: what a list of cards that rules nothing out would have had; best: a perfect answer's; n/turns: "
    "how many replies had the mark, in how many turns. `orchestrator roles show ROLE` says what each mark measures, "
    "and in which unit."
)
ONE_DEAL = "One deal gives no 95 % interval."
NONE = "–"
"""A cell of what there is not."""


def table(found: Sequence[MarkSummary]) -> Table:
    """The marks of an arm, below the name of their role; without the columns that none of them has."""
    beside = baselines_of(found)
    lines = [cells(one, beside) for one in found]
    heads = ("mark", *columns(found)[2:-2], "n/turns")
    kept = [place for place in range(len(heads) - 1) if any(line[place] != NONE for line in lines)]
    made = plain_table(*(heads[place] for place in kept), heads[-1], words=("mark",), fixed=heads)
    before = ""
    for one, line in zip(found, lines, strict=True):
        who = one.key.role if one.models != (PROGRAM,) else f"{one.key.role} (program)"
        if who != before:
            made.add_row(Text(who, style="bold"))
            before = who
        title, *numbers = (line[place] for place in kept)
        made.add_row(f"  {title}", *numbers, "/".join(line[-2:]))
    return made


def cells(one: MarkSummary, beside: Sequence[str]) -> tuple[str, ...]:
    """A line of the table without its role; `beside`: the baselines that the table shows."""
    best = one.key.info.best if one.key.info else None
    bounds = NONE if one.low is None or one.high is None else f"{number(one.low)} to {number(one.high)}"
    others = (number(one.baselines[name].mean) if name in one.baselines else NONE for name in beside)
    counts = f"{one.replies:,}", f"{one.turns:,}"
    return one.key.title, number(one.mean), bounds, *others, NONE if best is None else f"{best:.2g}", *counts


def quality(run: MarkedRun) -> Table:
    """Mean numbers per game of moves with each known fault."""
    kinds = list(run.games[0].quality)
    swings = any(game.swing is not None for game in run.games)
    made = plain_table("arm", *(SHORT[kind] for kind in kinds), *(("swing",) if swings else ()), words=("arm",))
    for arm in run.data.arms:
        games = run.of(arm)
        means = [sum(game.quality[kind] for game in games) / len(games) for kind in kinds]
        swing = sum(game.swing or 0.0 for game in games) / len(games)
        made.add_row(run.labels[arm], *(number(mean) for mean in means), *((number(swing, 2, "+"),) if swings else ()))
    return made


SHORT: dict[Kind, str] = {
    "risky_misplay": "misplay",
    "critical_discard": "critical",
    "missed_play": "missed",
    "empty_hint": "empty",
    "wasted_token": "wasted",
    "final_round": "final",
}
"""Names of columns; `FAULTS` says them in words."""
FAULTS = (
    "moves with a known fault, per game: a risky misplay, a critical card discarded, a certain play missed, an empty "
    "hint, a token wasted on dead cards, an error in the final round"
)


def data(run: MarkedRun) -> dict[str, Any]:
    """The tables as plain data."""
    return {
        "path": str(run.data.folder),
        "said": list(caveats(run.data.analysis)),
        "baseline": run.data.analysis.baseline,
        "arms": [_arm(run, arm) for arm in run.data.arms],
        "differences": [{**one.key._asdict(), **asdict(one.found)} for one in run.differences],
    }


def _arm(run: MarkedRun, arm: str) -> dict[str, Any]:
    games = run.of(arm)
    return {
        "arm": arm,
        "label": run.labels[arm],
        "games": len(games),
        "marks": [plain(one) for one in run.summaries if one.arm == arm],
        "missing": list(missing(games)),
        "faults": {
            kind: {"title": TITLES[kind], "moves": sum(game.quality[kind] for game in games)}
            for kind in games[0].quality
        },
    }


def plain(one: MarkSummary) -> dict[str, Any]:
    """A mark as plain data."""
    info = one.key.info
    found = asdict(one)
    del found["key"], found["arm"]
    words = {"says": info.says, "unit": info.unit, "best": info.best, "higher": info.higher} if info else {}
    return {"role": one.key.role, "mark": one.key.name, "other": one.key.other, **found, **words}


class CsvFile:
    """A CSV file with a row for every mark of every reply, whole or not there: until it ends it has another name."""

    def __init__(self, path: Path, role: str | None = None) -> None:
        """`role`: only its marks. Raises UserError for a file that cannot be written."""
        self.path, self.written, self._role = path, 0, role
        self._part = path.with_name(f".{path.name}.part")
        if path.is_dir():
            raise UserError(f"--csv is {str(path)!r}, which is a folder; name a file")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise UserError(f"--csv: {str(path)!r} cannot be written: {error.strerror}") from None
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(columns_of_a_mark())

    def add(self, row: Row, marks: GameMarks) -> None:
        """The marks of a game."""
        for one in marks.marks:
            if self._role in (None, one.role):
                self._writer.writerow(["" if cell is None else cell for cell in cells_of(row, one)])
                self.written += 1

    def end(self) -> None:
        self._file.close()
        self._part.replace(self.path)


def cells_of(row: Row, one: RoleMark) -> tuple[Any, ...]:
    """A mark in the order of `columns_of_a_mark`."""
    place = row.arm, row.name, row.players, row.seed, row.repeat
    reply = one.turn, one.seat, one.node, one.role, one.model, one.sample, one.name, one.other
    return *place, *reply, one.value, *(one.baselines.get(name) for name in all_baselines())
