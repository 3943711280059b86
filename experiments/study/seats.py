"""The seats of an experiment in one process, and how the games of its jobs begin."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from experiments.study import note_banks
from experiments.study.job import Job
from experiments.study.player_spec import PlayerSpec
from orchestrator.journal.events import GameStarted, Memory
from orchestrator.models.layer import ModelLayer
from orchestrator.table.game_loop import start
from orchestrator.table.seat import BEFORE, Seat


class Seats:
    """The seats of an experiment, each built once per process."""

    def __init__(self, specs: Mapping[str, PlayerSpec], layer: ModelLayer) -> None:
        """Raises UserError when a seat cannot be built."""
        self.layer = layer
        self.by_key: Mapping[str, Seat] = {key: spec.seat(layer) for key, spec in specs.items()}

    def lineup(self, job: Job) -> list[Seat]:
        """Return who plays a job's game, by seat."""
        return [self.by_key[key] for key in job.lineup]

    def start(self, job: Job) -> GameStarted:
        """Return the first event of a job's game. Raises UserError."""
        deal = job.deal
        return start(self.lineup(job), players=deal.players, seed=deal.seed, repeat=deal.repeat, memories=memories(job))


def memories(job: Job) -> dict[int, Memory]:
    """Return, by seat, what it is given before the game: public records of past games, and notes of another game."""
    by_seat: dict[int, Memory] = {
        seat: {BEFORE: [_records(records.path)[n] for n in records.games]} for seat, records in job.records
    }
    for seat, notes in job.notes:
        by_seat[seat] = {**by_seat.get(seat, {}), **note_banks.memory(notes, seat)}
    return by_seat


@lru_cache(maxsize=64)
def _records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file as plain data."""
    return list(json.loads(path.read_text("utf-8"))["games"])
