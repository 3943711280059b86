"""/api/games: a row for every game, column by column."""

from collections.abc import Callable, Mapping
from typing import Any

from experiments.page.games import Listed, Shelf
from experiments.page.spoken import Json
from experiments.record import rows

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

TEXT = frozenset(("id", "arm", "graph", "model", "state", "end", "journal", "moves_digest", "control"))
FLAGS = frozenset(("simulated", "fake"))

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

SHOWN = ("id", "players", "seed", "state", "score_strict", "lives", "turns", "end", "forced", "refused", "swing")
"""The columns that a run which names none shows, besides those that differ between its games."""


def table(shelf: Shelf, swing: Callable[[str], float | None]) -> Json:
    """`swing`: the biggest swing of a game's expected score, where it has been computed."""
    return {
        "version": shelf.version,
        "keys": list(KEYS),
        "rows": [[cells.get(key) for key in KEYS] for cells in (_cells(shelf, one, swing) for one in shelf.listed)],
    }


def _cells(shelf: Shelf, one: Listed, swing: Callable[[str], float | None]) -> Mapping[str, Any]:
    known = vars(one.row) if one.row else one.cells
    unscored = {"score_strict": None, "score_kept": None} if rows.constructed(str(known.get("graph"))) else {}
    return {**known, **unscored, "id": one.found.id, "state": shelf.standing(one).state, "swing": swing(one.found.id)}


def columns(shelf: Shelf, chosen: tuple[str, ...]) -> list[Json]:
    """All columns; those `chosen` by the run's file are shown, in its order first."""
    shown = chosen or (*SHOWN, *_differing(shelf))
    order = (*chosen, *(key for key in KEYS if key not in chosen)) if chosen else KEYS
    return [{"key": key, "title": title(key), "kind": _kind(key), "shown": key in shown} for key in order]


def _differing(shelf: Shelf) -> list[str]:
    def values(name: str) -> set[Any]:
        return {getattr(one.row, name) if one.row else one.cells.get(name) for one in shelf.listed}

    found = [name for name in ("arm", "repeat", "graph", "model") if len(values(name)) > 1]
    if all(_told_by_arm(vars(one.row) if one.row else one.cells) for one in shelf.listed):
        found = [name for name in found if name != "graph"]
    struck_out = any(row.score_strict != row.score_kept for row in shelf.rows)
    return [*found, *(["score_kept"] if struck_out else []), *(["fallbacks"] if any(values("fallbacks")) else [])]


def _told_by_arm(cells: Mapping[str, Any]) -> bool:
    """Whether the name of a game's arm says its graph, too."""
    arm, graph = str(cells.get("arm")), str(cells.get("graph"))
    return arm == graph or arm.startswith(f"{graph} on ")


def title(key: str) -> str:
    return TITLES.get(key, key.replace("_", " "))


def _kind(key: str) -> str:
    return "text" if key in TEXT else "flag" if key in FLAGS else "number"
