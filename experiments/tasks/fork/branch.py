"""A game that is played on from a turn decided again: its seats, and its journal, which names its parent."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.record.files import write_atomically
from experiments.record.rows import GAMES, journal_name
from experiments.running import single_game
from experiments.study import seat_spec
from experiments.tasks.fork.decision import Fork
from experiments.tasks.fork.new_seat import recorded_seat
from orchestrator.errors import UserError
from orchestrator.journal import file, fingerprint
from orchestrator.journal.events import GameStarted, Parent, SeatInfo
from orchestrator.models.layer import ModelLayer
from orchestrator.plugins import versions
from orchestrator.table.seat import Seat, describe


@dataclass(frozen=True)
class Branch:
    """A forked game, begun or not."""

    seats: tuple[Seat, ...]
    started: GameStarted
    path: Path
    copied: int | None = None
    """The length in bytes of the turns before the fork, where they were copied just now."""

    def forget(self) -> None:
        """Remove the journal if nothing was played on from the fork."""
        if self.copied is not None and self.path.exists() and self.path.stat().st_size == self.copied:
            self.path.unlink()

    def game(self, layer: ModelLayer) -> single_game.SingleGame:
        """The game, to be played on. Raises UserError for a recording that does not hold it."""
        return single_game.SingleGame(self.seats, self.started, self.path, layer)


def branch(
    fork: Fork,
    journal: Path,
    out: Path,
    layer: ModelLayer,
    seats: Mapping[int, Seat] | None = None,
    *,
    force_new: bool = False,
) -> Branch:
    """The game from a fork on, in a journal in `out`: the one that was begun, or a new one with the turns before it.

    `seats`: who sits in other seats from then on; else whoever was recorded. Raises UserError.
    """
    turn, acting = fork.place.view.turn, fork.place.view.seat
    if acting in (seats or {}):
        raise UserError(f"--seat {acting}=...: P{acting} decides turn {turn} and is given by --graph and --model")
    old = fork.place.started
    cast = _cast(old, turn, {**(seats or {}), acting: fork.seat}, journal, layer)
    started = _started(fork, journal, tuple(map(describe, cast)))
    path = single_game.file(out, _name(fork, journal, out), started, new=force_new)
    if path.exists():
        return Branch(cast, started, path)
    write_atomically(path, "".join(_copied(journal, started, turn)))
    return Branch(cast, started, path, path.stat().st_size)


def _cast(old: GameStarted, turn: int, given: Mapping[int, Seat], journal: Path, layer: ModelLayer) -> tuple[Seat, ...]:
    made: list[tuple[SeatInfo, Seat]] = []

    def recorded(number: int) -> Seat:
        info = old.seat_at(number, turn)
        known = next((seat for one, seat in made if one == info), None)
        if known is None:
            known = _recorded(info, number, journal, layer)
            made.append((info, known))
        return known

    return tuple(given[n] if n in given else recorded(n) for n in range(old.players))


def _recorded(info: SeatInfo, number: int, journal: Path, layer: ModelLayer) -> Seat:
    if info.config is not None:
        return recorded_seat(info, journal, layer)
    if not info.graph.startswith(seat_spec.OTHERS):
        raise UserError(
            f"P{number} was {info.graph!r}, which cannot be made again from its name: give --seat {number}=SPEC"
        )
    return seat_spec.read_seat(info.graph)


def _started(fork: Fork, journal: Path, seats: tuple[SeatInfo, ...]) -> GameStarted:
    """The first event of the forked game."""
    old, turn = fork.place.started, fork.place.view.turn
    before = {n: old.seat_at(n, turn - 1) for n in range(old.players)} if turn > 1 else {}
    notes = {node: fork.edits[node] for node in sorted(fork.edited)}
    earlier = old.parent
    while earlier is not None and earlier.turn >= turn:
        earlier = earlier.parent
    parent = Parent(
        journal=_called(journal),
        config_hash=old.config_hash,
        turn=turn,
        seats={n: info for n, info in before.items() if info != seats[n]},
        edits=notes,
        parent=earlier,
    )
    plain = [seat.model_dump(mode="json") for seat in seats]
    told = parent.model_dump(mode="json")
    made = fingerprint.of_game(old.players, old.deck, old.repeat, plain, old.memories, told)
    return old.model_copy(update={"seats": seats, "parent": parent, "versions": dict(versions()), "config_hash": made})


def _called(journal: Path) -> str:
    """A journal's name; in a run with the folder of its arm."""
    folder = journal.resolve().parent
    return f"{folder.name}/{journal.name}" if folder.parent.name == GAMES else journal.name


def _name(fork: Fork, journal: Path, out: Path) -> str:
    """The name of the new journal: in the folder of a run's arm as games there are named."""
    old = fork.place.started
    if out.resolve().parent.name == GAMES:
        return Path(journal_name(old.players, old.seed, old.repeat)).stem
    config = fork.seat.config.name
    changed = [] if config == fork.place.info.graph else [config]
    models = fork.seat.info.model
    changed += [] if models == fork.place.info.model else [models]
    words = "-".join((*changed, *sorted(fork.edited)))
    return f"{journal.stem}-t{fork.place.view.turn}{f'-{_short(words)}' if words else ''}"


def _short(words: str) -> str:
    return "".join(c if c.isalnum() or c in "._+-" else "-" for c in words)[:100]


def _copied(journal: Path, started: GameStarted, turn: int) -> Iterator[str]:
    """The lines of the new journal: its first event, and the turns before the fork as they were recorded."""
    for line in file.lines(journal):
        data: dict[str, Any] = json.loads(line)
        if data["event"] == "game_started":
            told = started.model_dump(mode="json", exclude={"event"})
            yield _line({key: data[key] for key in ("v", "event", "t")} | told)
        elif data["event"] == "game_ended" or _turn(data) >= turn:
            return
        else:
            fixed = {"fixed": "recorded"} if data["event"] == "call" and data.get("prompt_hash") is not None else {}
            yield _line(data | fixed)


def _turn(data: Mapping[str, Any]) -> int:
    return int(data["past"]["turn"] if "past" in data else data["turn"])


def _line(data: Mapping[str, Any]) -> str:
    return f"{json.dumps(data, ensure_ascii=False)}\n"
