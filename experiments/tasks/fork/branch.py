"""A game that is played on from a turn decided again: its seats, and its journal, which names its
parent."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.files import short_name, write_atomically
from hanabi_orchestrator.experiments.record.rows import GAMES, journal_name
from hanabi_orchestrator.experiments.study import seat_spec
from hanabi_orchestrator.experiments.tasks.fork.decision import Fork
from hanabi_orchestrator.experiments.tasks.fork.new_seat import recorded_seat
from hanabi_orchestrator.experiments.tasks.games import single_game
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import file, fingerprint
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Parent, SeatInfo
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.table.seat import Seat, describe
from hanabi_orchestrator.orchestrator.versions import versions


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
        if (
            self.copied is not None
            and self.path.exists()
            and self.path.stat().st_size == self.copied
        ):
            self.path.unlink()


def branch(
    fork: Fork,
    journal: Path,
    out: Path,
    layer: ModelLayer,
    seats: Mapping[int, Seat] | None = None,
    *,
    force_new: bool = False,
) -> Branch:
    """Return the game from a fork on, in a journal in `out`: the one that was begun, or a new one
    with the turns before the fork.

    `seats`: who sits in other seats from then on; else whoever was recorded. Raises UserError.
    """
    turn = fork.place.view.turn
    acting = fork.place.view.seat
    if acting in (seats or {}):
        raise UserError(
            f"--seat {acting}=...: P{acting} decides turn {turn} and is given by --graph and "
            "--model"
        )
    cast = _cast(fork, {**(seats or {}), acting: fork.seat}, journal, layer)
    started = _started(fork, journal, tuple(map(describe, cast)))
    path = single_game.file(out, _name(fork, journal, out), started, new=force_new)
    if path.exists():
        return Branch(cast, started, path)
    write_atomically(path, "".join(_copied_lines(journal, started, turn)))
    return Branch(cast, started, path, path.stat().st_size)


def _cast(
    fork: Fork, seats: Mapping[int, Seat], journal: Path, layer: ModelLayer
) -> tuple[Seat, ...]:
    """Return all seats from the fork on; recorded seats that were the same are one."""
    started = fork.place.started
    cast = dict(seats)
    infos = dict[int, SeatInfo]()
    for number in range(started.players):
        if number in seats:
            continue
        info = infos[number] = started.seat_at(number, fork.place.view.turn)
        same = next(
            (cast[other] for other, before in infos.items() if before == info and other < number),
            None,
        )
        if same is not None:
            cast[number] = same
        elif info.config is not None:
            cast[number] = recorded_seat(info, journal, layer)
        elif info.graph.startswith(seat_spec.OTHERS):
            cast[number] = seat_spec.read_seat(info.graph)
        else:
            raise UserError(
                f"P{number} was {info.graph!r}, which cannot be made again from its name: "
                f"give --seat {number}=SPEC"
            )
    return tuple(cast[number] for number in range(started.players))


def _started(fork: Fork, journal: Path, seats: tuple[SeatInfo, ...]) -> GameStarted:
    """Return the first event of the forked game."""
    old = fork.place.started
    turn = fork.place.view.turn
    before = {n: old.seat_at(n, turn - 1) for n in range(old.players)} if turn > 1 else {}
    earlier = old.parent
    while earlier is not None and earlier.turn >= turn:
        earlier = earlier.parent
    folder = journal.resolve().parent
    parent = Parent(
        journal=f"{folder.name}/{journal.name}" if folder.parent.name == GAMES else journal.name,
        config_hash=old.config_hash,
        turn=turn,
        seats={n: info for n, info in before.items() if info != seats[n]},
        edits=fork.edits,
        parent=earlier,
    )
    plain = [seat.model_dump(mode="json") for seat in seats]
    hash_ = fingerprint.of_game(
        old.players, old.deck, old.repeat, plain, old.memories, parent.model_dump(mode="json")
    )
    return old.model_copy(
        update={
            "seats": seats,
            "parent": parent,
            "versions": dict(versions()),
            "config_hash": hash_,
        }
    )


def _name(fork: Fork, journal: Path, out: Path) -> str:
    """Return the name of the new journal: in the folder of a run's arm as games there are named."""
    old = fork.place.started
    info = fork.place.info
    new = fork.seat.info
    if out.resolve().parent.name == GAMES:
        return Path(journal_name(old.players, old.seed, old.repeat)).stem
    graph = fork.seat.config.name
    words = [
        *([graph] if graph != info.graph else []),
        *([new.model] if new.model != info.model else []),
    ]
    text = "-".join((*words, *sorted(fork.edited)))
    short = short_name("".join(c if c.isalnum() or c in "._+-" else "-" for c in text))
    return f"{short_name(journal.stem)}-t{fork.place.view.turn}{f'-{short}' if short else ''}"


def _copied_lines(journal: Path, started: GameStarted, turn: int) -> Iterator[str]:
    """Yield the lines of the new journal: its first event, and the turns before the fork as they
    were recorded."""
    for line in file.lines(journal):
        data: dict[str, Any] = json.loads(line)
        if data["event"] == "game_started":
            first = {key: data[key] for key in ("v", "event", "t")}
            data = first | started.model_dump(mode="json", exclude={"event"})
        elif data["event"] == "game_ended" or int(data.get("past", data)["turn"]) >= turn:
            return
        elif data["event"] == "call" and data.get("prompt_hash") is not None:
            data = data | {"fixed": "recorded"}
        yield f"{json.dumps(data, ensure_ascii=False)}\n"
