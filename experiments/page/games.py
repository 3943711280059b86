"""The games of an opened path, each read only when it changed: 10,000 finished games are not read again."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from experiments.page.activity import Activity, version
from experiments.page.game_page import Standing
from experiments.page.library import SUFFIX, Found, Library, NotThereError, OutsideError
from experiments.record import failures, rows, run_folder
from experiments.record.game import Game, NotBegun
from experiments.record.rows import GAMES, RESULTS, Row
from orchestrator.errors import UserError
from orchestrator.hanabi.cards import MAX_LIVES
from orchestrator.journal import file
from orchestrator.journal.events import Decided, GameEnded, GameStarted, GameSuspended, Moved, Result, VerdictGiven
from orchestrator.models.settings import PERSON

KEPT = 24
"""Games whose lines are kept in memory."""


_REPEAT = re.compile(rb'"repeat": (\d+)')
"""The first is that of the game: what comes before it are numbers."""


@dataclass(frozen=True)
class Listed:
    """A game as it was last read."""

    found: Found
    row: Row | None
    """None for a game that is not finished."""
    cells: Mapping[str, Any] = field(default_factory=dict)
    """Of a game that is not finished: what is known so far."""
    stopped: str | None = None
    """Why it was suspended, if the journal ends with that."""


@dataclass(frozen=True)
class Shelf:
    """All games, as they were at one moment."""

    listed: tuple[Listed, ...]
    version: str
    going: bool
    failed: Mapping[str, str]
    """Why games failed, by id."""
    activity: Activity
    run_plays: bool

    def standing(self, one: Listed) -> Standing:
        if one.row:
            return Standing("finished")
        if why := self.failed.get(one.found.id):
            return Standing("failed", why)
        if self.plays(one):
            return Standing("going")
        turn = one.cells.get("turns", 0)
        return Standing("suspended", one.stopped or f"the game was interrupted after turn {turn}; it can be continued")

    def plays(self, one: Listed) -> bool:
        return one.row is None and not (one.stopped and not self.run_plays) and self.activity.plays(one.found)

    @cached_property
    def rows(self) -> list[Row]:
        """The finished games."""
        return [one.row for one in self.listed if one.row]

    @property
    def finished(self) -> int:
        return hash(tuple(one.found.id for one in self.listed if one.row))


class Games:
    """Reads the games of a library, and keeps what it read."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._lock = RLock()
        self._listed: dict[str, Listed] = {}
        self._open: OrderedDict[str, Game] = OrderedDict()

    def shelf(self) -> Shelf:
        """The games as they are now; files that cannot be read as games are left out."""
        with self._lock:
            if not self._listed and self.library.kind == "run":
                self._listed = self._from_table()
            listed = self._read(self.library.journals())
            failed = failures.read(self.library.root) if self.library.kind == "run" else {}
            activity = Activity.look()
            run_plays = activity.plays_run(self.library)
            shelf = Shelf(tuple(listed), "", run_plays, failed, activity, run_plays)
            going = run_plays or any(shelf.plays(one) for one in listed)
            mark = version(self.library, (one.found for one in listed), going=going)
            return replace(shelf, version=mark, going=going)

    def game(self, id: str) -> Game:
        """A game with its newest lines. Raises UserError, and what Library.find raises."""
        path = self.library.find(id)
        with self._lock:
            if id not in self._open:
                self._open[id] = _opened(id, path)
            self._open.move_to_end(id)
            while len(self._open) > KEPT:
                self._open.popitem(last=False)
            found = self._open[id]
        found.refresh()
        if hidden(found.started, over=found.result is not None):
            raise OutsideError(f"a person is still playing {id!r}; it can be looked at when it has ended")
        return found

    def standing(self, id: str) -> Standing:
        shelf = self.shelf()
        beside = Standing("finished" if self.game(id).result else "suspended")  # a game of a person beside a run
        return next((shelf.standing(one) for one in shelf.listed if one.found.id == id), beside)

    def _read(self, journals: Sequence[Found]) -> list[Listed]:
        found = []
        for one in journals:
            before = self._listed.get(one.id)
            if before and (before.found.size, before.found.mtime) == (one.size, one.mtime):
                found.append(before)
            elif (made := self._listing(one)) is not None:
                found.append(made)
        self._listed = {one.found.id: one for one in found}
        return found

    def _listing(self, found: Found) -> Listed | None:
        """None for another program's file, and for one that is gone since."""
        try:
            first, last = file.ends(found.path)
            if not first or file.tag(first) != "game_started":
                return None
            if not (last and b'"game_ended"' in last[-1]):
                return _unfinished(found, self.game(found.id), self.arm)
            result = GameEnded.model_validate(file.data(last[-1])).result
            repeat = _REPEAT.search(first)
            return Listed(found, self._row(found, int(repeat[1]) if repeat else 1, result))
        except (ValueError, KeyError, UserError, OSError, NotThereError, OutsideError):
            return None

    def _row(self, found: Found, repeat: int, result: Result) -> Row:
        folder = f"{GAMES}/" if self.library.kind == "run" else ""
        made = rows.row(found.arm, repeat, f"{folder}{found.id}{SUFFIX}", result)
        return replace(made, arm=self.arm(found, made.graph, made.model))

    def arm(self, found: Found, graph: str, model: str) -> str:
        """The arm of a game: of a run, that of its folder; else who played."""
        if self.library.kind == "run" and found.arm:
            return found.arm
        return rows.who_played(graph, model)

    def _from_table(self) -> dict[str, Listed]:
        """The finished games by results.csv, so that their journals need not be read; those written since are."""
        table = self.library.root / RESULTS
        try:
            written, since = run_folder.written(self.library.root), table.stat().st_mtime_ns
        except (UserError, OSError):
            return {}
        by_journal = {row.journal: row for row in written}
        fitting = ((one, by_journal.get(f"{GAMES}/{one.id}{SUFFIX}")) for one in self.library.journals())
        return {one.id: Listed(one, row) for one, row in fitting if row and one.mtime <= since}


def hidden(started: GameStarted, *, over: bool) -> bool:
    """Whether nobody may look at a game yet, because a person plays it and must not see the others' reasons."""
    return not over and any(seat.graph == PERSON for seat in started.seats)


def _opened(id: str, path: Path) -> Game:
    try:
        return Game.open(path, id)
    except NotBegun:
        raise UserError(f"the game {id!r} has not begun yet") from None


def _unfinished(found: Found, game: Game, arm: Callable[[Found, str, str], str]) -> Listed:
    started, lines = game.started, game.lines
    moved, last = [*lines.of_kind(Moved)], game.last
    cells = {
        "arm": arm(found, started.graph, started.model),
        "players": started.players,
        "seed": started.seed,
        "repeat": started.repeat,
        "graph": started.graph,
        "model": started.model,
        "lives": moved[-1].past.lives if moved else MAX_LIVES,
        "turns": len(moved),
        "forced": sum(decided.forced for decided in lines.of_kind(Decided)),
        "refused": sum(not verdict.accepted for verdict in lines.of_kind(VerdictGiven)),
        "fallbacks": sum(call.outcome == "fallback" for call in game.briefs),
    }
    return Listed(found, None, cells, last.why if isinstance(last, GameSuspended) else None)
