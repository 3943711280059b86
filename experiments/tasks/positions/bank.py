"""A position bank: turns drawn from games, each as its acting seat knew it, with the notes that its
colleagues gave.

A bank is one file of JSON lines, compressed where its name ends with `.gz`: first the head, which
says where the positions are from and how they were drawn; then a line for each position; then,
apart from them, the lines of the truth: hidden cards and the journals' names, which give the deal
away. Whatever asks an agent reads a bank by `read`, which stops before the first of those; see
`truth.py`.
"""

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from hanabi_orchestrator.experiments.document.blocks import Column, Table, table
from hanabi_orchestrator.experiments.document.formats import INT
from hanabi_orchestrator.experiments.record.files import whole
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.graphs.control_notes import phase
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, user_error
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, SeatInfo, StoredEvent
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.words import many

Phase = Literal["early", "middle", "end"]
PHASES: Mapping[str, Phase] = {
    "first third": "early", "second third": "middle", "last third": "end", "no deck left": "end"
}  # fmt: skip


class AskedConvention(Frozen):
    """The convention that a probe asks about. Nothing of it is shown to whoever decides."""

    probe: str
    """`newest/chop/3p-1`."""
    name: str
    """With its pack: `newest/chop`."""
    answers: tuple[Grounded, ...]
    """The moves that keep it, by the acting seat's View alone."""


class Kind(Frozen):
    players: int
    phase: Phase
    """By the cards that are left to draw: more than two thirds of them, more than one third,
    fewer."""
    tokens: Literal["0", "1-3", "4-8"]
    lives: int
    best: Literal["play", "discard", "hint"]
    """The move with the highest one-step value, or the best by rollouts where the bank was drawn
    so."""
    convention: str | None = None
    """The one that a probe asks about: `newest/chop`; None in games."""

    def values(self) -> Iterator[tuple[str, str]]:
        """Yield each dimension that it has, with its value."""
        for name in type(self).model_fields:
            if (value := getattr(self, name)) is not None:
                yield name, str(value)


def kind_of(view: View, best: Move, convention: str | None = None) -> Kind:
    """Return the kind of a position whose best move is this one."""
    return Kind(
        players=view.players,
        phase=PHASES[phase(view)],
        tokens="0" if not view.tokens else "1-3" if view.tokens < 4 else "4-8",
        lives=view.lives,
        best="play"
        if isinstance(best, Play)
        else "discard"
        if isinstance(best, Discard)
        else "hint",
        convention=convention,
    )


SUFFIX = ".jsonl.gz"
TRUTH = '{"truth"'
GZIP = b"\x1f\x8b"
Label = Literal["program", "simulated", "model", "mixed", "none"]
"""Who made the recorded notes; `none` where there are none."""


class Source(Frozen):
    """A folder or a journal that positions were drawn from."""

    name: str
    games: int
    """Games with at least one turn."""
    digest: str
    """A hash of the games' own hashes: the same games have the same."""
    versions: dict[str, str] = {}
    """Versions of the program that played the first of them."""


class Drawn(Frozen):
    """How the positions were chosen."""

    wanted: int
    per_game: int
    seed: int
    rollouts: int = 0
    """Rollouts for the kind of the best move; 0 for exact one-step values."""
    looked_at: int
    """Turns whose kind was worked out, among which they were chosen."""


class Head(Frozen):
    """The first line of a bank."""

    bank: Literal[1] = 1
    name: str
    made_by: str = ""
    """The command."""
    sources: tuple[Source, ...]
    drawn: Drawn | None
    """None for a bank that was not drawn from games."""
    seats: tuple[SeatInfo, ...]
    """The seats at the tables; positions name them by their place here."""
    label: Label
    versions: dict[str, str]
    positions: int
    digest: str
    """A hash of the lines of the positions."""


class BankPosition(Frozen):
    """A turn, as its acting seat knew it."""

    name: str
    """`p001`: its name in this bank."""
    deal: str
    """A one-way hash of the deal: positions that share it are not independent."""
    game: str
    """A one-way hash that seeds models, see `GameContext`."""
    view: View
    memory: dict[str, Any] = {}
    seat: int = Field(ge=0)
    """The place in `Head.seats`."""
    events: tuple[StoredEvent, ...] = ()
    """The notes and the decision of the recorded turn; prompts are left out, for they can be made
    again."""
    kind: Kind
    asked: AskedConvention | None = None
    """The question of a probe; None for a turn of a game."""

    @property
    def calls(self) -> list[Call]:
        return [event for event in self.events if isinstance(event, Call)]


@dataclass(frozen=True)
class Bank:
    """A bank without its truth."""

    path: Path
    head: Head
    positions: tuple[BankPosition, ...]

    def config(self, position: BankPosition) -> GraphConfig | None:
        """Return the graph that gave the recorded notes; None where no graph sat, or one that is
        not known here."""
        info = self.head.seats[position.seat]
        try:
            if info.config:
                return checked(dict(info.config), f"the bank's graph {info.graph!r}")
            return None
        except UserError:
            return None


def bank_data(bank: Bank) -> dict[str, Any]:
    """Return what a bank holds, as plain data, without its positions' views."""
    head = bank.head
    counts = dict[str, dict[str, int]]()
    values = Counter(chain.from_iterable(position.kind.values() for position in bank.positions))
    for (name, value), number in sorted(values.items()):
        counts.setdefault(name, {})[value] = number
    nodes = set()
    for position in bank.positions:
        for call in position.calls:
            nodes.add(call.node)
    return {
        **head.model_dump(mode="json", exclude={"seats"}),
        "graphs": sorted({info.graph for info in head.seats}),
        "models": sorted({info.model for info in head.seats}),
        "deals": len({position.deal for position in bank.positions}),
        "kinds": counts,
        "nodes": sorted(nodes),
    }


def bank_tables(bank: Bank) -> tuple[Table, Table]:
    """Return where a bank is from, and how many positions of each kind it holds."""
    data = bank_data(bank)
    head = bank.head
    facts = [
        (
            "bank",
            f"{head.name}: {many(head.positions, 'position')} of {many(data['deals'], 'deal')}",
        ),
        ("made by", head.made_by or "hand"),
        (
            "from",
            "; ".join(
                f"{source.name}, {many(source.games, 'game')}, {source.digest}"
                for source in head.sources
            ),
        ),
        ("notes of", f"{head.label}: {', '.join(data['graphs'])} on {', '.join(data['models'])}"),
        ("nodes", ", ".join(data["nodes"])),
        ("versions", ", ".join(f"{name} {version}" for name, version in head.versions.items())),
        ("digest", head.digest),
    ]
    kinds = []
    for name, counts in data["kinds"].items():
        for value, number in counts.items():
            kinds.append((name, value, number))
    columns = (Column("by", "by"), Column("is", "is"), Column("positions", "positions", INT))
    return table("bank", (Column("fact", ""), Column("is", "")), facts), table(
        "kinds", columns, kinds
    )


# Files


PACKAGED = files(__package__) / "banks"


def packaged() -> list[str]:
    """Return the names of the packaged banks."""
    return sorted(
        file.name.removesuffix(SUFFIX) for file in PACKAGED.iterdir() if file.name.endswith(SUFFIX)
    )


def rows() -> list[dict[str, Any]]:
    """Return what `list positions` shows: a row for each packaged bank."""
    heads = [read(name).head for name in packaged()]
    return [
        {"bank": h.name, "positions": h.positions, "notes of": h.label, "digest": h.digest}
        for h in heads
    ]


def path_of(name: str | Path) -> Path:
    """Return the file of a bank: a path, or the name of a packaged one. Raises UserError when there
    is none."""
    path = Path(name)
    if path.is_file():
        return path
    if str(name) in packaged():
        return Path(str(PACKAGED / f"{name}{SUFFIX}"))
    hint = did_you_mean(str(name), packaged(), "the packaged banks are")
    raise UserError(f"there is no bank {str(name)!r}: neither a file nor a packaged bank; {hint}")


def read(name: str | Path) -> Bank:
    """Return a bank without its truth. Raises UserError for a file that is none, or that was
    changed."""
    path = path_of(name)
    at = path.stat()
    return _read(path, (at.st_mtime_ns, at.st_size))


@lru_cache(maxsize=4)
def _read(path: Path, version: tuple[int, int]) -> Bank:
    """Read a bank, once as long as its file stays as it is."""
    text = takewhile(lambda line: not line.startswith(TRUTH), plain_lines(path))
    first = next(text, "")
    try:
        data = json.loads(first)
        if not isinstance(data, dict) or "bank" not in data:
            raise ValueError
        head = Head.model_validate(data)
    except ValidationError as error:
        raise user_error(str(path), error) from None
    except (ValueError, RecursionError):
        raise UserError(
            f"{str(path)!r} is no position bank; `orchestrator evaluate build` makes one"
        ) from None
    lines = [line for line in text if line.startswith('{"position"')]
    if digest(lines) != head.digest or len(lines) != head.positions:
        raise UserError(
            f"{str(path)!r} is not whole: its positions are not those that its first line describes"
        )
    try:
        positions = tuple(
            BankPosition.model_validate(json.loads(line)["position"]) for line in lines
        )
    except ValidationError as error:
        raise user_error(str(path), error) from None
    except (ValueError, RecursionError):
        raise UserError(f"{str(path)!r} is no position bank: a line is no JSON") from None
    for position in positions:
        if position.seat >= len(head.seats):
            raise UserError(
                f"{str(path)!r}: position {position.name} has seat {position.seat} of "
                f"{len(head.seats)}"
            )
    return Bank(path, head, positions)


def plain_lines(path: Path) -> Iterator[str]:
    """Yield all lines of a file, which may be compressed. Raises UserError."""
    try:
        data = regular_files.content(path)
        text = (gzip.decompress(data) if data[:2] == GZIP else data).decode("utf-8")
    except OSError as error:
        raise UserError(
            f"cannot read the bank {str(path)!r}: {error.strerror or 'it is no whole gzip file'}"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"cannot read the bank {str(path)!r}: {regular_files.not_text(error)}"
        ) from None
    except (EOFError, zlib.error):
        raise UserError(f"cannot read the bank {str(path)!r}: it is no whole gzip file") from None
    # not splitlines: what models write may hold other line breaks
    yield from text.removesuffix("\n").split("\n")


def digest(lines: Iterable[str]) -> str:
    """Return a hash of lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def as_line(key: str, data: dict[str, Any]) -> str:
    return json.dumps({key: data}, ensure_ascii=False, separators=(",", ":"))


def position_line(position: BankPosition) -> str:
    """Return a position as its line; what has its default value is left out, but for the tags of
    events."""
    data = position.model_dump(mode="json", exclude_defaults=True)
    events = []
    for e in position.events:
        events.append(e.model_dump(mode="json", exclude_defaults=True) | {"event": e.event})
    return as_line("position", data | ({"events": events} if events else {}))


def save(path: Path, lines: Iterable[str]) -> None:
    """Write a bank, whole or not at all; the same lines give the same file. Raises UserError."""
    text = "".join(f"{line}\n" for line in lines).encode()
    _write(path, gzip.compress(text, 9, mtime=0) if path.name.endswith(".gz") else text)


def copy(bank: Path, to: Path) -> None:
    """Copy a bank with its truth, compressed. Raises UserError."""
    data = regular_files.content(bank)
    _write(to, data) if data[:2] == GZIP else save(to, plain_lines(bank))


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as part:
            part.write_bytes(data)
    except OSError as error:
        raise UserError(f"cannot write the bank {str(path)!r}: {error.strerror}") from None
