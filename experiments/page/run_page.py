"""/api/run: the arms with their scores as in the report, the columns of the games' table, the figures."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from experiments.analysis import conclusions
from experiments.analysis.analysis import Analysis
from experiments.analysis.differences import Difference
from experiments.analysis.labels import labels
from experiments.analysis.summaries import Summary
from experiments.page import games_table
from experiments.page.games import Games, Shelf
from experiments.page.run_roles import run_roles
from experiments.page.spoken import Json
from experiments.record.rows import with_seeds
from experiments.report import run_report
from experiments.report.figures import all_figures
from experiments.report.figures.figure import Figure
from experiments.report.run_data import RunData, run_data
from experiments.study.metric import headline
from experiments.values.mark_store import MARKS
from experiments.values.rollout_store import FOLDER
from orchestrator.values import as_list

FIGURES = "figures"


class RunPage:
    """The page of a run, or of a folder; the statistics are computed again only when a game was finished."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self._lock = Lock()
        self._made: tuple[int, RunData | None] = (0, None)
        self._roles: tuple[object, Json | None] = (None, None)

    def data(self, shelf: Shelf) -> Json:
        """Raises UserError."""
        library = self.games.library
        run = library.run()
        found = self._analysed(shelf, run)
        return {
            "name": str(run.get("name") or library.name),
            "kind": library.kind,
            "labels": played_by(found.analysis.summaries) if found else [],
            "going": shelf.going,
            "version": shelf.version,
            "question": (run.get("experiment") or {}).get("question"),
            "metric": found.metric if found else headline(run).metric,
            "headline": found.headline.sentence if found else None,
            "baseline": found.analysis.baseline if found else None,
            "games": len(shelf.listed),
            "finished": len(shelf.rows),
            "arms": _arms(shelf, found, run),
            "conclusions": list(conclusions.sentences(found.analysis)) if found else [],
            "columns": games_table.columns(shelf, _chosen(run)),
            "figures": self._figures(found),
            "report": self._file(run_report.HTML),
            "roles": self._marked(found, shelf),
        }

    def _analysed(self, shelf: Shelf, run: Mapping[str, Any]) -> RunData | None:
        with self._lock:
            if self._made[0] != shelf.finished:
                rows = with_seeds(shelf.rows)
                made = run_data(self.games.library.root, rows, run) if rows else None
                self._made = shelf.finished, made
            return self._made[1]

    def _marked(self, found: RunData | None, shelf: Shelf) -> Json | None:
        """The table of roles; read again when a game was finished or marked."""
        if found is None or self.games.library.kind != "run":
            return None
        kept = self.games.library.root / FOLDER / MARKS
        now = shelf.finished, kept.stat().st_mtime_ns if kept.is_dir() else 0
        with self._lock:
            if self._roles[0] != now:
                self._roles = now, run_roles(found)
            return self._roles[1]

    def _figures(self, found: RunData | None) -> list[Json]:
        if found is None or self.games.library.kind != "run":
            return []
        folder = self.games.library.root / FIGURES
        there = {path.stem for path in folder.glob("*.svg")}
        return [
            {
                "title": one.title,
                "caption": one.caption,
                "file": f"/files/{FIGURES}/{one.name}.svg",
                "games": shown_in(one, folder / f"{one.name}.csv"),
            }
            for one in all_figures.all_figures(found)
            if one.name in there
        ]

    def _file(self, name: str) -> str | None:
        return f"/files/{name}" if (self.games.library.root / name).is_file() else None


def _chosen(run: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns that the run's file names; those that there are not, are left out."""
    named = (run.get("experiment") or {}).get("columns") or ()
    return tuple(name for name in as_list(named) if name in games_table.KEYS)


def shown_in(figure: Figure, table: Path) -> Json:
    """The games that a figure is about, as a filter of the table: some figures are of one arm, or one player count."""
    try:
        rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    except (OSError, ValueError):
        rows = []
    arms, counts = [figure.arm] if figure.arm else _named(rows, "arm"), _named(rows, "players")
    one_count = len(counts) == 1 and counts[0].isdigit()
    return (
        {"state": "finished"}
        | ({"arm": arms[0]} if len(arms) == 1 else {})
        | ({"players": int(counts[0])} if one_count else {})
    )


def _named(rows: Sequence[Mapping[str, str]], column: str) -> list[str]:
    """The different entries of a column of a figure's table."""
    return list(dict.fromkeys(value for row in rows if (value := row.get(column))))


def played_by(found: Sequence[Summary]) -> list[str]:
    """What played besides language models, in any of the arms."""
    answerers = [summary.provenance for summary in found]
    labels = dict.fromkeys(label for each in answerers for label in each.labels)
    order = {"simulated": "simulated", "fake server": "fake server", "program": "programs"}
    return [title for label, title in order.items() if label in labels]


def _arms(shelf: Shelf, found: RunData | None, run: Mapping[str, Any]) -> list[Json]:
    last = {one.arm: one for one in found.analysis.summaries} if found else {}  # the pooled one comes last
    begun = dict.fromkeys(one.row.arm if one.row else one.cells["arm"] for one in shelf.listed)
    names = dict.fromkeys((*(found.arms if found else ()), *begun, *(run.get("arms") or {})))
    marked = labels(found.analysis.summaries) if found else {}
    return [_arm(name, marked.get(name, name), last.get(name), found, shelf) for name in names]


def _arm(name: str, label: str, one: Summary | None, found: RunData | None, shelf: Shelf) -> Json:
    games = [row for row in shelf.rows if row.arm == name]
    data: Json = {
        "name": name,
        "label": label,
        "graph": ", ".join(dict.fromkeys(row.graph for row in games)) or None,
        "model": ", ".join(dict.fromkeys(row.model for row in games)) or None,
        "labels": played_by([one]) if one else [],
        "games": len(games),
        "begun": sum((it.row.arm if it.row else it.cells["arm"]) == name for it in shelf.listed),
    }
    if one is None or found is None:
        empty = dict.fromkeys(("mean", "se", "low", "high", "difference", "struck_out", "forced_share", "perfect"))
        return data | empty | {"players": []}
    score = one.of(found.metric)
    return data | {
        "players": list(one.counts),
        "mean": score.mean,
        "se": score.se,
        "low": score.low,
        "high": score.high,
        "difference": _difference(name, found.analysis),
        "struck_out": one.struck_out,
        "perfect": one.perfect,
        "forced_share": one.forced_share,
    }


def _difference(arm: str, analysis: Analysis) -> Json | None:
    """The difference from the baseline over the most player counts, as the report states it."""
    one = next((one for one in conclusions.widest(analysis.differences) if one.arm == arm), None)
    return None if one is None else _told(one, conclusions.is_testable(one, analysis.differences))


def _told(one: Difference, testable: bool) -> Json:
    says = conclusions.compared(one, testable)
    return {"mean": one.mean, "low": one.low, "high": one.high, "p": one.p_holm, "says": says}
