"""/api/run: the arms with their scores as in the report, the columns of the games' table, the
figures, the roles."""

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from hanabi_orchestrator.experiments.page.games import Games, Shelf
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.record.parquet import GAMES as TYPES
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.record.rows import with_seeds
from hanabi_orchestrator.experiments.report import run_report, verdict
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.figures.figure import Figure
from hanabi_orchestrator.experiments.report.marked_run import Unmarked, ready
from hanabi_orchestrator.experiments.report.run_data import RunData, run_data
from hanabi_orchestrator.experiments.study.metric import headline
from hanabi_orchestrator.experiments.values.marking import MARKS
from hanabi_orchestrator.experiments.values.rollout_store import FOLDER
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.values import as_list, whole_number

FIRST = (
    "id",
    "arm",
    "players",
    "seed",
    "repeat",
    "graph",
    "model",
    "state",
    "score_strict",
    "score_kept",
    "lives",
    "turns",
    "end",
    "forced",
    "refused",
    "fallbacks",
    "swing",
)
KEYS = (*FIRST, *(name for name in rows.COLUMNS if name not in FIRST))

KINDS = {"string": "text", "bool": "flag"} | dict.fromkeys(("id", "state"), "text")
"""How the page writes a column, by its type or its key; other columns are numbers."""

TITLES: Mapping[str, str] = {
    "id": "game",
    "score_strict": "score",
    "score_kept": "kept score",
    "swing": "biggest swing",
    "fallbacks": "no usable answer",
    "usd": "US $",
    "hints_wasted": "wasted hints",
    "reasked": "asked again",
    "own": "own moves",
    "fake": "fake server",
    "moves_digest": "hash of the moves",
}

SHOWN = (
    "id",
    "players",
    "seed",
    "state",
    "score_strict",
    "lives",
    "turns",
    "end",
    "forced",
    "refused",
    "swing",
)
"""The columns that a run which names none shows, besides those that differ between its games."""


def table(shelf: Shelf, swing: Callable[[str], float | None]) -> Json:
    """Return the rows of all games; `swing`: the biggest swing of a game's expected score, where it
    is computed."""
    cells = list[Mapping[str, Any]]()
    for entry in shelf.entries:
        id = entry.journal.id
        state = shelf.standing(entry).state
        unscored = rows.constructed(str(entry.cells.get("graph")))
        scores = {"score_strict": None, "score_kept": None} if unscored else {}
        cells.append({**entry.cells, **scores, "id": id, "state": state, "swing": swing(id)})
    return {
        "version": shelf.version,
        "keys": list(KEYS),
        "rows": [[row.get(key) for key in KEYS] for row in cells],
    }


def columns(shelf: Shelf, chosen: tuple[str, ...]) -> list[Json]:
    """Return all columns; those `chosen` by the run's file are shown, in its order first, else
    those of SHOWN and those that tell the games apart."""
    every = [entry.cells for entry in shelf.entries]
    differing = []
    for name in ("arm", "repeat", "graph", "model"):
        if len({cells.get(name) for cells in every}) > 1:
            differing.append(name)
    if all(f"{cells.get('arm')} on ".startswith(f"{cells.get('graph')} on ") for cells in every):
        differing = [name for name in differing if name != "graph"]  # the arm's name says it too
    differing += ["score_kept"] * any(row.score_strict != row.score_kept for row in shelf.rows)
    differing += ["fallbacks"] * any(cells.get("fallbacks") for cells in every)
    visible = chosen or (*SHOWN, *differing)
    if chosen:
        order = (*chosen, *(key for key in KEYS if key not in chosen))
    else:
        order = KEYS
    return [
        {
            "key": key,
            "title": TITLES.get(key, key.replace("_", " ")),
            "kind": KINDS.get(key) or KINDS.get(TYPES.get(key, ""), "number"),
            "shown": key in visible,
        }
        for key in order
    ]


FIGURES = "figures"
MOST = 500
"""Games whose marks are read for the table of roles; of more it would take long."""


class RunPage:
    """The page of a run, or of a folder; the statistics are computed again only when a game was
    finished."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self._lock = Lock()
        self._data: tuple[int, RunData | None] = (0, None)
        self._roles: tuple[object, Json | None] = (None, None)

    def data(self, shelf: Shelf) -> Json:
        """Return the page's data. Raises UserError."""
        library = self.games.library
        run = library.run()
        study = run.get("experiment") or {}
        with self._lock:
            if self._data[0] != shelf.finished:
                rows = with_seeds(shelf.rows)
                self._data = shelf.finished, run_data(library.root, rows, run) if rows else None
            data = self._data[1]
        report = library.root / run_report.HTML
        return {
            "name": str(run.get("name") or library.name),
            "kind": library.kind,
            "labels": played_by(summary.provenance for summary in data.analysis.summaries)
            if data
            else [],
            "going": shelf.going,
            "version": shelf.version,
            "question": study.get("question"),
            "metric": data.metric if data else headline(run).metric,
            "headline": data.headline.sentence if data else None,
            "baseline": data.analysis.baseline if data else None,
            "games": len(shelf.entries),
            "finished": len(shelf.rows),
            "arms": _arms(shelf, data, run),
            "conclusions": list(verdict.concluded(data)) if data else [],
            "columns": columns(
                shelf, tuple(name for name in as_list(study.get("columns") or ()) if name in KEYS)
            ),
            "figures": self._figures(data),
            "report": f"/files/{run_report.HTML}" if report.is_file() else None,
            "roles": self._marks(data, shelf),
        }

    def _marks(self, data: RunData | None, shelf: Shelf) -> Json | None:
        """Return the table of roles; read again when a game was finished or marked."""
        if data is None or self.games.library.kind != "run":
            return None
        store = self.games.library.root / FOLDER / MARKS
        version = shelf.finished, store.stat().st_mtime_ns if store.is_dir() else 0
        with self._lock:
            if self._roles[0] != version:
                self._roles = version, roles(data)
            return self._roles[1]

    def _figures(self, data: RunData | None) -> list[Json]:
        folder = self.games.library.root / FIGURES
        if data is None or self.games.library.kind != "run":
            return []
        figures = list[Json]()
        for figure in drawing.all_figures(data):
            if (folder / f"{figure.name}.svg").is_file():
                figures.append(
                    {
                        "title": figure.title,
                        "caption": figure.caption,
                        "file": f"/files/{FIGURES}/{figure.name}.svg",
                        "games": games_of(figure, folder / f"{figure.name}.csv"),
                    }
                )
        return figures


def games_of(figure: Figure, table: Path) -> Json:
    """Return the games that a figure is about, as a filter of the table: some figures are of one
    arm, or one player count."""
    try:
        rows = list(csv.DictReader(regular_files.text(table).splitlines()))
    except (OSError, ValueError):
        rows = []
    arms = {figure.arm} if figure.arm else {row.get("arm") for row in rows} - {None, ""}
    counts = {row.get("players") for row in rows} - {None, ""}
    players = whole_number("".join(filter(None, counts))) if len(counts) == 1 else None
    games: Json = {"state": "finished"}
    if len(arms) == 1:
        games |= {"arm": next(iter(arms))}
    if players is not None:
        games |= {"players": players}
    return games


def played_by(arms: Iterable[Provenance]) -> list[str]:
    """Return what played besides language models, in any of the arms."""
    labels = set()
    for provenance in arms:
        labels |= set(provenance.labels)
    titles = {"simulated": "simulated", "fake server": "fake server", "program": "programs"}
    return [title for label, title in titles.items() if label in labels]


def _arms(shelf: Shelf, data: RunData | None, run: Mapping[str, Any]) -> list[Json]:
    # the pooled one comes last
    last = {summary.arm: summary for summary in data.analysis.summaries} if data else {}
    started = [entry.cells["arm"] for entry in shelf.entries]
    planned = data.arms if data else ()
    names = dict.fromkeys([*planned, *started, *(run.get("arms") or {})])
    titles = data.labels if data else {}
    verdicts = verdict.plain(data, None)["verdict_arms"] if data else []
    arms = []
    for name in names:
        rows = [row for row in shelf.rows if row.arm == name]
        summary = last.get(name)
        arm: Json = {
            "name": name,
            "label": titles.get(name, name),
            "graph": ", ".join(dict.fromkeys(row.graph for row in rows)) or None,
            "model": ", ".join(dict.fromkeys(row.model for row in rows)) or None,
            "labels": played_by([summary.provenance]) if summary else [],
            "games": len(rows),
            "begun": started.count(name),
        }
        if summary and data:
            score = summary.of(data.metric)
            arm["players"] = list(summary.counts)
            arm |= {key: getattr(score, key) for key in ("mean", "se", "low", "high")}
            arm["verdict"] = [arm_verdict for arm_verdict in verdicts if arm_verdict["arm"] == name]
            arm |= {key: getattr(summary, key) for key in ("struck_out", "perfect", "forced_share")}
        else:
            arm |= NO_SCORES
        arms.append(arm)
    return arms


NO_SCORES: Json = {
    **dict.fromkeys(("mean", "se", "low", "high", "struck_out", "forced_share", "perfect")),
    **{"players": [], "verdict": []},
}


def roles(data: RunData) -> Json:
    """Return the marks of roles by arm, or why there are none; none are computed here."""
    marked = ready(data) if len(data.rows) <= MOST else None
    if marked is None or isinstance(marked, Unmarked):
        if marked:
            reason = marked.why
        else:
            reason = f"The run has more than {MOST} games: its report has their marks."
        return {"why": reason, "arms": []}
    marks: dict[str, list[Json]] = {arm: [] for arm in data.arms}
    for mark in marked.summaries:
        marks[mark.arm].append(
            {
                **{"role": mark.key.role, "name": mark.key.title},
                **{key: getattr(mark.key.info, key, None) for key in ("says", "best")},
                **{key: getattr(mark, key) for key in ("mean", "low", "high")},
                "baselines": {name: baseline.mean for name, baseline in mark.baselines.items()},
                **{"replies": mark.replies, "models": list(mark.models)},
            }
        )
    return {
        "why": None,
        "arms": [{"arm": arm, "label": data.labels[arm], "marks": marks[arm]} for arm in data.arms],
    }
