"""The notes of other games that controls give to nodes: read from journals once, and kept in the
run's folder.

A bank is never written again, so that a run that was stopped goes on with the same notes. Each game
draws the one game of another deal that its notes come from, by its own deal; so arms with a placebo
and with shuffled notes draw the same.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.game import Game, NotBegun
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.study.arms import Arm, Deal
from hanabi_orchestrator.experiments.study.file_schema import BASELINE
from hanabi_orchestrator.graphs import recorded
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.orchestrator import journal, regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Memory

NOTES = "notes"
"""The folder of the banks in a run folder."""
MOST = 200
"""Games of another run that are read."""


@dataclass(frozen=True)
class NoteBank:
    """The notes of other games for an arm at a player count."""

    arm: str
    players: int
    roles: tuple[tuple[str, str], ...]
    """The nodes whose notes are replaced, with their roles."""
    source: str
    """The folder of another run, or `baseline`."""
    folder: Path
    """Of the run."""

    @property
    def path(self) -> Path:
        return path(self.folder, self.arm, self.players)

    @property
    def waits(self) -> bool:
        """Whether it is made of games of this run."""
        return self.source == BASELINE

    @property
    def head(self) -> dict[str, Any]:
        return {
            "arm": self.arm,
            "players": self.players,
            "roles": dict(self.roles),
            "source": self.source,
        }

    def exists(self) -> bool:
        """Tell whether the file exists. Raises UserError when it holds other notes."""
        if not self.path.exists():
            return False
        written = _loaded(self.path, self.path.stat().st_mtime_ns)
        check_head(self.path, written, self.head, "notes")
        return True

    def journals(self) -> list[Path]:
        """Return the finished games of another run at this player count. Raises UserError when
        there are none, and when all are games in which a seat saw its own cards: their notes are
        made of what nobody may know."""
        games = []
        for path in _journals(Path(self.source)):
            with suppress(NotBegun):
                game = Game.open(path)
                games += (
                    [game]
                    if game.result is not None and game.started.players == self.players
                    else []
                )
        if not games:
            raise UserError(
                f"arm {self.arm!r}: there is no finished game of {self.players} players in "
                f"{self.source!r}"
            )
        if not (honest := [game.path for game in games if not game.started.cheats]):
            raise UserError(
                f"arm {self.arm!r}: in the games of {self.source!r} a seat saw its own cards, "
                "which is cheating; take notes of other games"
            )
        return honest[:MOST]

    def write(self, journals: Iterable[Path]) -> None:
        """Raises UserError when the games hold no notes of a node."""
        games = []
        for path in journals:
            events = journal.read(path)
            started = events[0]
            assert isinstance(started, GameStarted)
            if given := recorded.given_notes(events, self.roles):
                game: dict[str, Any] = {
                    "name": f"{path.parent.name}/{path.stem}",
                    "seed": started.seed,
                }
                notes = [note.model_dump(mode="json") for note in given]
                games.append({**game, "deal": _hashed(started.deck), "notes": notes})
        for node, role in self.roles:
            notes_of_all = chain.from_iterable(game["notes"] for game in games)
            if not any(note["node"] == node for note in notes_of_all):
                where = f"no game of {self.source!r} at {self.players} players"
                raise UserError(
                    f"arm {self.arm!r}: {where} holds a note of role {role!r}; lean journals "
                    "keep none of programs"
                )
        write_atomically(
            self.path, json.dumps(self.head | {"games": games}, ensure_ascii=False) + "\n"
        )


def check_head(path: Path, written: Mapping[str, Any], head: Mapping[str, Any], what: str) -> None:
    """Raise UserError for a file that was written for something else, by what stands at its
    head."""
    if changed := [name for name, value in head.items() if written.get(name) != value]:
        raise UserError(
            f"{str(path)!r} holds other {what}: {', '.join(changed)} differ; give another --out"
        )


def path(folder: Path, arm: str, players: int) -> Path:
    """Where the bank of an arm at a player count is."""
    return folder / NOTES / arm / f"{players}p.json"


def banks(arm: Arm, folder: Path) -> Iterator[NoteBank]:
    """Of an arm that gives nodes the notes of other games; none for any other. Raises UserError."""
    config = arm.everybody.config
    if not arm.sources or config is None:
        return
    if len(sources := sorted(set(arm.sources.values()))) > 1:
        raise UserError(
            f"arm {arm.name!r}: its notes come from {' and '.join(sources)}; take all from one run"
        )
    for players in arm.players:
        nodes = []
        for name, node in config.nodes.items():
            if players in node.players and name in arm.sources:
                nodes.append(name)
        if nodes:
            named = tuple((name, config.nodes[name].role) for name in nodes)
            yield NoteBank(arm.name, players, named, sources[0], folder)


def memory(path: Path, deal: Deal, seat: int) -> Memory:
    """Return what a seat is given of another game, which the deal draws: notes of the seat's turns.
    Raises UserError."""
    if not path.exists():
        raise UserError(
            f"{str(path)!r} is gone: it held the notes of other games that this game was given"
        )
    cards = _hashed(deal.cards)
    # by the cards, too: a game from a deck of its own has no seed, and may still be this deal
    games = []
    for other in _loaded(path, path.stat().st_mtime_ns)["games"]:
        if other["seed"] != deal.seed and other.get("deal") != cards:
            games.append(other)
    if not games:
        raise UserError(
            f"{str(path)!r} holds notes of this deal alone; notes come from another deal"
        )
    game = Random(f"another game {deal.players} {deal.seed} {deal.repeat}").choice(games)
    notes = [other for other in game["notes"] if other["seat"] == seat] or game["notes"]
    return {GIVEN: {"from": game["name"], "notes": notes}}


def _complete(game: Mapping[str, Any]) -> bool:
    """Tell whether a game of a bank has its name, its seed, and notes with their seats."""
    return {"name", "seed"} <= set(game) and bool([note["seat"] for note in game["notes"]])


@lru_cache(maxsize=64)
def _loaded(path: Path, written_at: int) -> Mapping[str, Any]:
    try:
        bank = json.loads(regular_files.text(path))
        ok = all(map(_complete, bank["games"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        ok = False
    if not ok:
        raise UserError(f"{str(path)!r} holds no notes of other games; it stays as it is") from None
    return dict(bank)


@lru_cache(maxsize=1024)
def _hashed(deck: tuple[Card, ...]) -> str:
    return fingerprint.hashed(list(deck))


def _journals(source: Path) -> list[Path]:
    """Return the journals of one arm of a run. Raises UserError when it is not clear which arm is
    meant."""
    if not source.is_dir():
        raise UserError(f"there is no folder {str(source)!r} to take notes from")
    arms = (
        sorted(path for path in (source / GAMES).iterdir() if path.is_dir())
        if (source / GAMES).is_dir()
        else []
    )
    if len(arms) > 1:
        baseline = run_folder.run(source).get("baseline")
        arms = [path for path in arms if path.name == baseline]
        if not arms:
            raise UserError(
                f"{str(source)!r} has several arms; name the folder of one, e.g. "
                f"{source}/{GAMES}/full"
            )
    return regular_files.below(arms[0] if arms else source, "*.jsonl", deep=True)


def check_baseline(
    arm: Arm, arms: Iterable[Arm], baseline: str | None, seeds: Iterable[int]
) -> None:
    """Raise UserError where notes of the baseline's games are wanted, and there is one deal alone,
    or it cheats."""
    if BASELINE not in arm.sources.values():
        return
    if len(set(seeds)) < 2:
        raise UserError(
            f"arm {arm.name!r}: notes come from a game of another deal, so it takes two deals at "
            "least"
        )
    config = next(
        (candidate.everybody.config for candidate in arms if candidate.name == baseline), None
    )
    if config is not None and config.controls.own_hand:
        raise UserError(
            f"arm {arm.name!r}: its notes would come from {baseline}, whose seats see their own "
            "cards"
        )


def lineup_notes(arm: Arm, deal: Deal, folder: Path) -> dict[int, Path]:
    """Return the bank of each seat of a game whose nodes get notes of another game."""
    if not arm.sources:
        return {}
    bank = path(folder, arm.name, deal.players)
    lineup = arm.lineup(deal)
    notes = dict[int, Path]()
    for seat, spec in enumerate(lineup):
        if spec.config and spec.config.controls.replaced:
            notes[seat] = bank
    return notes
