"""The marks of each role: as tables, as plain data, and as CSV with a row for every reply's
mark."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.analysis.caveats import caveats
from hanabi_orchestrator.experiments.analysis.role_marks import MarkSummary, baselines_of
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Heading,
    Note,
    Table,
    grouped,
    listing,
    notes,
    table,
)
from hanabi_orchestrator.experiments.document.formats import (
    COUNT,
    INT,
    INTERVAL,
    NUMBER,
    RIGHT,
    SIGNED,
    Format,
)
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun
from hanabi_orchestrator.experiments.report.role_sentences import missing
from hanabi_orchestrator.experiments.values.game_marks import GameMarks, all_baselines
from hanabi_orchestrator.experiments.values.move_values import TITLES, Kind
from hanabi_orchestrator.experiments.values.role_mark import RoleMark
from hanabi_orchestrator.orchestrator.cells import defused
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.words import many


def marks_table(
    key: str, summaries: Sequence[MarkSummary], labels: Mapping[str, str], **options: Any
) -> Table:
    """Return a row for each mark: its mean, what baselines would have had, and of how many replies
    it is."""

    def best(mark: MarkSummary) -> str | None:
        if mark.key.info is None or mark.key.info.best is None:
            return None
        return f"{mark.key.info.best:.2g}"

    columns = (
        Column("arm", "arm", constant=True, of=lambda mark: labels[mark.arm]),
        Column("role", "role", constant=True, unbroken=True, of=answerer),
        Column("mark", "mark", constant=True, unbroken=True, of=lambda mark: mark.key.title),
        Column("mean", "mean", NUMBER),
        Column("bounds", "95 %", INTERVAL),
        *(baseline(name, name.replace("_", " "), NUMBER) for name in baselines_of(summaries)),
        Column("best", "best", RIGHT, of=best),
        Column("replies", "replies", COUNT),
        Column("turns", "turns", COUNT),
    )
    return listing(key, columns, summaries, **options)


def baseline(
    name: str, title: str, format: Format, mark: Callable[[Any], MarkSummary] = lambda mark: mark
) -> Column:
    """Return the column of a baseline's mean; `mark`: reads the mark from a row."""

    def mean(row: Any) -> float | None:
        baselines = mark(row).baselines
        return baselines[name].mean if name in baselines else None

    return Column(name, title, format, of=mean)


def answerer(mark: MarkSummary) -> str:
    """Return the role, marked where its program answered."""
    if mark.models == (PROGRAM,):
        return f"{mark.key.role} (program)"
    return mark.key.role


def faults(run: MarkedRun, titles: Mapping[Kind, str]) -> Table:
    """Return the mean numbers per game of moves with each known fault."""
    kinds = run.games[0].quality
    columns = (
        Column("arm", "arm", constant=True),
        Column("games", "games", INT, constant=True),
        *(Column(kind, titles[kind], NUMBER) for kind in kinds),
        Column("swing", "swing", SIGNED),
    )
    rows = []
    for arm in run.data.arms:
        games = run.of(arm)
        means = []
        for kind in kinds:
            means.append(sum(game.quality[kind] for game in games) / len(games))
        swings = [game.swing for game in games if game.swing is not None]
        rows.append((run.data.labels[arm], len(games), *means, fmean(swings) if swings else None))
    return table("faults", columns, rows)


def narrow_table(summaries: Sequence[MarkSummary], labels: Mapping[str, str]) -> Table:
    """Return the marks of an arm, narrow enough for a terminal: below the name of their role,
    counts in one column."""
    part = marks_table("marks", summaries, labels)
    counts = Format(
        lambda numbers: "/".join(f"{number:,}" for number in numbers), parts=("replies", "turns")
    )
    columns = (*part.columns[2:-2], Column("counts", "n/turns", counts))
    return grouped(
        "marks",
        columns,
        ((str(role), (*cells, (replies, turns))) for _, role, *cells, replies, turns in part.rows),
    )


SHORT: dict[Kind, str] = {
    "risky_misplay": "misplay",
    "critical_discard": "critical",
    "missed_play": "missed",
    "empty_hint": "empty",
    "wasted_token": "wasted",
    "final_round": "final",
}
"""Names of columns on a terminal; `FAULTS` says them in words."""
FAULTS = (
    "moves with a known fault, per game: a risky misplay, a critical card discarded, a known "
    "playable card not played, an empty hint, a token wasted on dead cards, an error in the "
    "final round"
)
LEGEND = (
    "mean and 95 %: over deals, of each game's mean over its replies. program, uniform, "
    "previous: what the role's exact program, a uniform guess, and a guess by what the partner "
    "did before would have had on the same replies; nothing excluded: what a list of cards that "
    "rules nothing out would have had; best: a perfect answer's; n/turns: how many replies had "
    "the mark, in how many turns. `orchestrator roles show ROLE` says what each mark measures, "
    "and in which unit."
)


def blocks(run: MarkedRun) -> Iterator[Block]:
    """Return a table for each arm, what is missing, and the faults of moves."""
    yield from notes(caveats(run.data.analysis), "no model")
    for arm in run.data.arms:
        summaries = [mark for mark in run.summaries if mark.arm == arm]
        yield Heading(f"{run.data.labels[arm]}, {many(len(run.of(arm)), 'game')}")
        if summaries:
            yield narrow_table(summaries, run.data.labels)
        else:
            yield Note("no reply has a mark")
        yield from notes(missing(run.of(arm), run.only), "aside")
    yield Note(LEGEND, "aside")
    if run.summaries and all(mark.units == 1 for mark in run.summaries):
        yield Note("One deal gives no 95 % interval.", "aside")
    short = ["arm", *SHORT, "swing"]
    yield faults(run, SHORT).select(short, title=FAULTS)


def data(run: MarkedRun) -> dict[str, Any]:
    """Return the tables as plain data."""
    arms = []
    for arm in run.data.arms:
        games = run.of(arm)
        faults = {}
        for kind in games[0].quality:
            moves = sum(game.quality[kind] for game in games)
            faults[kind] = {"title": TITLES[kind], "moves": moves}
        arms.append(
            {
                "arm": arm,
                "label": run.data.labels[arm],
                "games": len(games),
                "marks": [plain(mark) for mark in run.summaries if mark.arm == arm],
                "missing": list(missing(games, run.only)),
                "faults": faults,
            }
        )
    return {
        "path": str(run.data.folder),
        "said": list(caveats(run.data.analysis)),
        "baseline": run.data.analysis.baseline,
        "arms": arms,
        "differences": [{**mark.key._asdict(), **asdict(mark.found)} for mark in run.differences],
    }


def plain(mark: MarkSummary) -> dict[str, Any]:
    """Return a mark as plain data."""
    info = mark.key.info
    fields = asdict(mark)
    del fields["key"], fields["arm"]
    words = (
        {"says": info.says, "unit": info.unit, "best": info.best, "higher": info.higher}
        if info
        else {}
    )
    return {
        "role": mark.key.role,
        "mark": mark.key.name,
        "other": mark.key.other,
        **fields,
        **words,
    }


class CsvFile:
    """A CSV file with a row for every mark of every reply, whole or not there: until it ends it has
    another name."""

    def __init__(self, path: Path, role: str | None = None) -> None:
        """Open the file; `role`: only its marks. Raises UserError for a file that cannot be
        written."""
        self.path = path
        self.written = 0
        self._role = role
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
        """Write the marks of a game."""
        for mark in marks.marks:
            if self._role in (None, mark.role):
                self._writer.writerow(map(defused, cells_of(row, mark)))
                self.written += 1

    def end(self) -> None:
        self._file.close()
        self._part.replace(self.path)


def columns_of_a_mark() -> tuple[str, ...]:
    """Return what CSV and Parquet hold of each mark: its place, its value, and every baseline that
    there is."""
    place = ("arm", "game", "players", "seed", "repeat")
    reply = ("turn", "seat", "node", "role", "model", "sample", "mark", "other")
    return (*place, *reply, "value", *all_baselines())


def cells_of(row: Row, mark: RoleMark) -> tuple[Any, ...]:
    """Return a mark in the order of `columns_of_a_mark`."""
    place = row.arm, row.name, row.players, row.seed, row.repeat
    reply = (
        mark.turn,
        mark.seat,
        mark.node,
        mark.role,
        mark.model,
        mark.sample,
        mark.name,
        mark.other,
    )
    return *place, *reply, mark.value, *(mark.baselines.get(name) for name in all_baselines())
