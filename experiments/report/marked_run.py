"""Games with their marks: those of a run, of a folder of journals, or of one journal."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import role_marks
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.role_marks import (
    MarkDifference,
    MarkedGame,
    MarkSummary,
)
from hanabi_orchestrator.experiments.record import rows, run_folder, saved
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.experiments.report import run_data
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.values import marking
from hanabi_orchestrator.experiments.values.game_marks import GameMarks
from hanabi_orchestrator.experiments.values.move_values import Kind
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, nearby
from hanabi_orchestrator.roles import registry
from hanabi_orchestrator.roles.words import many

SMALL = 20
"""Games that a report marks unasked where their marks are not kept already; it takes seconds a
game."""


@dataclass(frozen=True)
class MarkedRun:
    """Finished games with their marks, arm by arm."""

    data: RunData
    games: tuple[MarkedGame, ...]
    only: str | None = None
    """The role to which the games are narrowed."""

    @cached_property
    def summaries(self) -> tuple[MarkSummary, ...]:
        return role_marks.summaries(self.games, self.data.arms)

    @cached_property
    def differences(self) -> tuple[MarkDifference, ...]:
        analysis = self.data.analysis
        return role_marks.compared(self.games, self.data.arms, analysis.baseline, analysis.stopped)

    @cached_property
    def faults(self) -> list[tuple[Kind, Difference]]:
        """How many more moves of a game have each fault in each arm than in the baseline."""
        analysis = self.data.analysis
        return role_marks.fault_differences(
            self.games, self.data.arms, analysis.baseline, analysis.stopped
        )

    def of(self, arm: str) -> list[MarkedGame]:
        return [game for game in self.games if game.row.arm == arm]

    def role(self, role: str) -> "MarkedRun":
        """Return the marks of one role alone. Raises UserError for a role that no game has."""
        roles = []
        for game in self.games:
            for node in game.nodes:
                roles.append(node.role)
        names = list(dict.fromkeys(roles))
        if role not in names:
            raise UserError(
                f"--role is {role!r}; {did_you_mean(role, names, 'the roles of these games are')}"
            )
        games = []
        for game in self.games:
            games.append(
                replace(
                    game,
                    tallies={key: tally for key, tally in game.tallies.items() if key.role == role},
                    nodes=tuple(node for node in game.nodes if node.role == role),
                )
            )
        return replace(self, games=tuple(games), only=role)


def read(path: Path, arm: str | None = None) -> RunData:
    """Return the finished games that a path names. Raises UserError where there are none, or none
    of this arm."""
    if not path.exists():
        raise UserError(
            f"there is nothing at {str(path)!r}; name a game, a folder of games or a "
            f"run{nearby(path)}"
        )
    if (path / RUN).is_file():
        games: Sequence[Row] = run_folder.read_rows(path)
    else:
        base = path if path.is_dir() else path.parent
        finished = []
        for journal, game in saved.journals(path) if path.is_dir() else [(path, Game.open(path))]:
            if game.result:
                finished.append(
                    replace(
                        rows.row(
                            "",
                            game.started.repeat,
                            journal.relative_to(base).as_posix(),
                            game.result,
                        ),
                        arm=rows.who_played(game.result.graph, game.result.model),
                    )
                )
        if not finished:
            raise UserError(
                f"there is no finished game in {str(path)!r}; marks need the end of a game"
            )
        games = rows.with_seeds(finished)
    run = run_folder.run(path) if path.is_dir() else {}
    arms = list(dict.fromkeys(row.arm for row in games))
    if arm is not None and arm not in arms:
        raise UserError(
            f"--arm is {arm!r}; {did_you_mean(arm, arms, 'the arms of these games are')}"
        )
    return run_data.run_data(path, [row for row in games if arm in (None, row.arm)], run)


def marked(
    data: RunData,
    workers: int = 1,
    done: marking.Done | None = None,
    rollouts: int = 0,
    each: Callable[[Row, GameMarks], None] = lambda row, marks: None,
) -> MarkedRun:
    """Return the games with their marks, computed where they are not kept; `each` is told all marks
    of each game.

    Raises UserError without their journals, and without the code of their roles.
    """
    if why := unloaded(data.run):
        raise UserError(why)
    paths = list(map(data.path, data.rows))
    if missing := [path for path in paths if not path.exists()]:
        raise UserError(f"{str(missing[0])!r} is not there; marks are computed from the journals")
    games = []
    for row, marks in zip(data.rows, marking.marked(paths, workers, done, rollouts), strict=True):
        each(row, marks)
        games.append(MarkedGame.of(row, marks))
    return MarkedRun(data, tuple(games))


def prepare(folder: Path, games: Sequence[Row], *, compute: bool | None = None) -> str | None:
    """Compute the marks of a run's games and keep them, where that is wanted; returns why that
    failed, if it did.

    `compute`: True computes what is missing, False nothing, None what is missing where that is
    quick: for at most `SMALL` games, in which a model was asked.
    """
    paths = [folder / row.journal for row in games]
    if compute is False or not all(path.exists() for path in paths):
        return None
    if why := unloaded(run_folder.run(folder)):
        return why
    missing = marking.missing(paths)
    if compute or (
        len(missing) <= SMALL and not all(row.provenance.only_programs for row in games)
    ):
        try:
            deque(marking.marked(missing), maxlen=0)
        except UserError as error:
            return str(error)
    return None


def ready(data: RunData) -> "MarkedRun | Unmarked":
    """Return the marks for a report, as far as they are kept. Marks of a part of the games are not
    shown."""
    if why := unloaded(data.run):
        return Unmarked(why)
    paths = list(map(data.path, data.rows))
    if not all(path.exists() for path in paths):
        return Unmarked("The journals are not in this folder, and marks are computed from them.")
    if not (missing := len(marking.missing(paths))):
        return marked(data)
    programs = all(row.provenance.only_programs for row in data.rows)
    if programs:
        why = "no model was asked, and programs are the standard for other answers"
    else:
        why = "it takes seconds each"
    how = "`orchestrator report RUN --marks` computes them, once"
    games = f"{missing} of {many(len(paths), 'game')}"
    return Unmarked(f"The marks of {games} are not computed: {why}. {how}.")


def unloaded(run: Mapping[str, Any]) -> str | None:
    """Return why a run's games have no marks where the code of a user's own roles is not imported,
    or not installed."""
    configs = [seat["config"] for seat in (run.get("seats") or {}).values() if seat.get("config")]
    named = set()
    for config in configs:
        for node in config["nodes"].values():
            named.add(node["role"])
    unknown = [role for role in sorted(named) if not registry.is_known(role)]
    files = run_folder.missing_imports(run) or (["FILE"] if unknown else [])
    if not files:
        return None
    if unknown:
        of = f"the code of {', '.join(unknown)}"
    else:
        of = "a user's own code"
    how = " ".join(f"--import {name}" for name in files)
    return (
        f"The run was made with {of}, which is not loaded, so no marks can be computed: give "
        f"`{how}` again."
    )


@dataclass(frozen=True)
class Unmarked:
    """Why a report has no marks."""

    why: str
