"""The seats of an experiment in one process, and how the games of its jobs begin."""

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.study import note_banks
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Memory
from hanabi_orchestrator.orchestrator.journal.game_so_far import differences
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.table.game_loop import start
from hanabi_orchestrator.orchestrator.table.seat import BEFORE, Seat


class Seats:
    """The seats of an experiment, each built once per process."""

    def __init__(self, specs: Mapping[str, PlayerSpec], layer: ModelLayer | None = None) -> None:
        """With models of a layer, or to be looked at. Raises UserError when a seat cannot be
        built."""
        self.by_key: Mapping[str, Seat] = {key: spec.seat(layer) for key, spec in specs.items()}

    def lineup(self, job: Job) -> list[Seat]:
        """Return who plays a job's game, by seat."""
        return [self.by_key[key] for key in job.lineup]

    def start(self, job: Job) -> GameStarted:
        """Return the first event of a job's game. Raises UserError."""
        deal = job.deal
        begin = partial(
            start,
            self.lineup(job),
            players=deal.players,
            repeat=deal.repeat,
            memories=memories(job),
        )
        if deal.deck is None:
            return begin(seed=deal.seed)
        return begin(deck=deal.deck.cards, label=deal.deck.name).model_copy(
            update={"seed": deal.seed}
        )


def memories(job: Job) -> dict[int, Memory]:
    """Return, by seat, what it is given before the game: public records of past games, and notes of
    another game."""
    by_seat: dict[int, Memory] = {}
    for seat, records in job.records:
        by_seat[seat] = {BEFORE: [_records(records.path)[n] for n in records.games]}
    for seat, bank in job.notes:
        by_seat[seat] = {**by_seat.get(seat, {}), **note_banks.memory(bank, job.deal, seat)}
    return by_seat


@lru_cache(maxsize=64)
def _records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file as plain data."""
    return list(json.loads(path.read_text("utf-8"))["games"])


def begun(plan: Plan, games: Mapping[Path, Game]) -> dict[Path, Game]:
    """Return the journals of a folder that belong to the arms of the plan, of its deals or of
    others. Raises UserError when one was played by other seats than its arm has now, with the
    difference."""
    seats = Seats(plan.specs)
    arms = {plan.folder / GAMES / arm.name: arm for arm in plan.arms}
    ours = {path: peeked for path, peeked in games.items() if path.parent in arms}
    for path, peeked in ours.items():
        started = peeked.started
        arm = arms[path.parent]
        if started is None or started.seed is None or started.players not in arm.players:
            continue
        job = plan.job(arm, plan.deal(started.seed, started.players, started.repeat))
        if changed := differences(started, seats.start(job)):
            raise UserError(
                f"{path.relative_to(plan.folder).as_posix()} in {str(plan.folder)!r} is another "
                f"game: {'; '.join(changed)}. Give a changed experiment another --out, or its arm "
                "another name"
            )
    return ours


def open_jobs(plan: Plan, games: Mapping[Path, Game]) -> list[Job]:
    """Return the games of the plan that are not finished. Raises UserError as `begun` does."""
    over = {path for path, peeked in begun(plan, games).items() if peeked.result is not None}
    return [job for job in plan.jobs if job.journal not in over]
