"""/api/games: a row for every game, column by column."""

from collections.abc import Callable, Mapping
from typing import Any

from experiments.page.games import Shelf
from experiments.page.spoken import Json
from experiments.record import rows
from experiments.record.parquet import GAMES as TYPES

FIRST = (
    *("id", "arm", "players", "seed", "repeat", "graph", "model", "state", "score_strict", "score_kept", "lives"),
    *("turns", "end", "forced", "refused", "fallbacks", "swing"),
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

SHOWN = ("id", "players", "seed", "state", "score_strict", "lives", "turns", "end", "forced", "refused", "swing")
"""The columns that a run which names none shows, besides those that differ between its games."""


def table(shelf: Shelf, swing: Callable[[str], float | None]) -> Json:
    """Return the rows of all games; `swing`: the biggest swing of a game's expected score, where it is computed."""
    cells = list[Mapping[str, Any]]()
    for entry in shelf.entries:
        id, state = entry.journal.id, shelf.standing(entry).state
        unscored = rows.constructed(str(entry.cells.get("graph")))
        scores = {"score_strict": None, "score_kept": None} if unscored else {}
        cells.append({**entry.cells, **scores, "id": id, "state": state, "swing": swing(id)})
    return {"version": shelf.version, "keys": list(KEYS), "rows": [[row.get(key) for key in KEYS] for row in cells]}


def columns(shelf: Shelf, chosen: tuple[str, ...]) -> list[Json]:
    """Return all columns; those `chosen` by the run's file are shown, in its order first."""
    visible = chosen or (*SHOWN, *_differing(shelf))
    order = (*chosen, *(key for key in KEYS if key not in chosen)) if chosen else KEYS
    return [
        {
            "key": key,
            "title": TITLES.get(key, key.replace("_", " ")),
            "kind": KINDS.get(key) or KINDS.get(TYPES.get(key, ""), "number"),
            "shown": key in visible,
        }
        for key in order
    ]


def _differing(shelf: Shelf) -> list[str]:
    """Return the columns that tell the games of a shelf apart; a graph that the arm's name says too is not shown."""
    every = [entry.cells for entry in shelf.entries]
    names = [name for name in ("arm", "repeat", "graph", "model") if len({cells.get(name) for cells in every}) > 1]
    if all(f"{cells.get('arm')} on ".startswith(f"{cells.get('graph')} on ") for cells in every):
        names = [name for name in names if name != "graph"]
    struck_out = any(row.score_strict != row.score_kept for row in shelf.rows)
    fallbacks = any(cells.get("fallbacks") for cells in every)
    return [*names, *["score_kept"] * struck_out, *["fallbacks"] * fallbacks]
