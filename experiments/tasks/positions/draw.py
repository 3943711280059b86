"""Drawing positions from journals: one of a game unless asked for more, spread over the kinds of
position.

Games are taken in an order drawn by the seed, player counts in turn; where they have fewer than is
asked for, each gives its share. Of each game some turns are looked at, drawn from its beginning,
middle and end alike; the one is kept whose kind the bank has least of so far. Of a run of
convention probes the questions alone are drawn, for nobody decided the moves before them.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, zip_longest
from math import ceil
from pathlib import Path

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.saved import journals
from hanabi_orchestrator.experiments.tasks.fork.position import Position as Place
from hanabi_orchestrator.experiments.tasks.fork.position import position as fork_position
from hanabi_orchestrator.experiments.tasks.fork.position import whole
from hanabi_orchestrator.experiments.tasks.positions import bank
from hanabi_orchestrator.experiments.tasks.positions.truth import PositionTruth
from hanabi_orchestrator.experiments.tasks.probes.probe import BECAUSE
from hanabi_orchestrator.experiments.tasks.probes.probe_run import PROBES, path_of, probes_of
from hanabi_orchestrator.experiments.values.position import Position, true_hands
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.turn_values import values_at
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    SeatInfo,
    StoredEvent,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.versions import versions

LOOKS = 9
"""Turns of a game whose kind is worked out, for each position of it."""
DEPTH = 3
"""A probe's journal lies so deep in the folder of its run."""


def build(
    sources: Sequence[Path], out: Path, *, n: int, per_game: int, seed: int, rollouts: int = 0
) -> bank.Head:
    """Draw positions from journals, or folders of them, and write the bank. Raises UserError when
    there are none."""
    folders = {source: list(_games(source)) for source in sources}
    games = list(chain.from_iterable(folders.values()))
    names = ", ".join(map(str, sources))
    if not games:
        raise UserError(
            f"there is no game in {names} in which nobody saw their own cards; name run "
            "folders, or journals"
        )
    drawing = Drawing(seed, rollouts)
    for number, game in enumerate(_order(games, seed)):
        missing = n - len(drawing.positions)
        if missing <= 0:
            break
        drawing.take(game, min(per_game, ceil(missing / (len(games) - number))))
    if not drawing.positions:
        raise UserError(f"no game in {names} has a second turn, so there is no position to draw")
    command = (
        f"{' '.join(source.name for source in sources)} --n {n} --per-game {per_game} --seed {seed}"
    )
    lines = [bank.position_line(position) for position in drawing.positions]
    head = bank.Head(
        name=out.name.removesuffix(".gz").removesuffix(".jsonl"),
        made_by=f"orchestrator evaluate build {command}",
        sources=tuple(_source(path, inside) for path, inside in folders.items() if inside),
        drawn=bank.Drawn(
            wanted=n, per_game=per_game, seed=seed, rollouts=rollouts, looked_at=drawing.looked_at
        ),
        seats=tuple(drawing.seats),
        label=label_of(drawing.positions),
        versions=versions(),
        positions=len(lines),
        digest=bank.digest(lines),
    )
    truth = (bank.as_line("truth", row.model_dump(mode="json")) for row in drawing.truths)
    bank.save(out, [head.model_dump_json(exclude_defaults=False), *lines, *truth])
    return head


def _games(source: Path) -> Iterator[Game]:
    """Yield the games of a folder, or a journal, without those in which a seat saw its own
    cards."""
    games = iter([(source, Game.open(source))]) if source.is_file() else journals(source)
    for path, game in games:
        if game.started.cheats:
            log.warning("left out: a seat saw its own cards", game=str(path))
        else:
            if source.is_file():
                name = path.stem
            else:
                name = path.relative_to(source).with_suffix("").as_posix()
            yield replace(game, name=name)


def _source(path: Path, games: Sequence[Game]) -> bank.Source:
    hashes = bank.digest(sorted(game.started.config_hash for game in games))
    return bank.Source(
        name=path.name, games=len(games), digest=hashes, versions=games[0].started.versions
    )


def _order(games: Iterable[Game], seed: int) -> Iterator[Game]:
    """Return player counts in turn, the games of each in an order drawn by the seed."""
    by_count = defaultdict[int, list[Game]](list)
    for game in sorted(games, key=lambda game: (game.name, game.started.config_hash)):
        by_count[game.started.players].append(game)
    for count, inside in by_count.items():
        random.Random(f"games {seed} {count}").shuffle(inside)
    rounds = zip_longest(*(by_count[count] for count in sorted(by_count)))
    return (game for game in chain.from_iterable(rounds) if game is not None)


class Drawing:
    """The positions drawn so far."""

    def __init__(self, seed: int, rollouts: int) -> None:
        self.seed = seed
        self.rollouts = rollouts
        self.positions: list[bank.BankPosition] = []
        self.truths: list[PositionTruth] = []
        self.seats: list[SeatInfo] = []
        self.looked_at = 0
        self._have = Counter[tuple[str, str]]()
        self._probes = cache(
            lambda folder: {path_of(folder, probe): probe for probe in probes_of(folder)}
        )

    def take(self, game: Game, many: int) -> None:
        """Draw positions of a game: of those looked at, the ones of whose kinds the bank has
        fewest."""
        probe = self._convention(game.path)
        kinds = {turn: self.kind(game, turn, probe) for turn in self._looks(game, probe, many)}
        self.looked_at += len(kinds)
        for _ in range(min(many, len(kinds))):
            turn = min(
                kinds, key=lambda turn: sum(self._have[value] for value in kinds[turn].values())
            )
            place = fork_position(game, turn)
            try:
                events = event_loop.run_anywhere(whole(place))
            except UserError as error:  # of a graph that is not known here
                raise UserError(
                    f"{str(game.path)!r}: {error}; bring its code by --import, or leave it out"
                ) from None
            self.add(game, place, events, kinds.pop(turn), probe)

    def _convention(self, path: Path) -> bank.AskedConvention | None:
        """Return what a journal's last turn was asked; None for a game. Raises UserError for an
        unreadable run."""
        above = path.resolve().parents
        if len(above) < DEPTH or not (above[DEPTH - 1] / PROBES).exists():
            return None
        probe = self._probes(above[DEPTH - 1]).get(path.resolve())
        if probe is None:
            return None
        return bank.AskedConvention(
            probe=probe.name, name=f"{probe.pack}/{probe.convention}", answers=probe.answers
        )

    def _looks(self, game: Game, probe: bank.AskedConvention | None, many: int) -> list[int]:
        """Return the turns to look at: as many of each third of a game, without its first turn, on
        which nothing is known; of a probe the question alone."""
        decided = [turn for turn in game.turns if turn.decided and turn.decided.why != BECAUSE]
        if probe is not None:
            return [turn.number for turn in decided]
        chance = random.Random(f"turns {self.seed} {game.started.config_hash}")
        turns = [turn.number for turn in decided if turn.number > 1]
        thirds = [turns[i * len(turns) // 3 : (i + 1) * len(turns) // 3] for i in range(3)]
        each = LOOKS * many // 3
        return list(
            chain.from_iterable(chance.sample(third, min(each, len(third))) for third in thirds)
        )

    def kind(self, game: Game, turn: int, probe: bank.AskedConvention | None = None) -> bank.Kind:
        """Return the kind of a turn's position."""
        position = Position.of(game, turn)
        values = values_at(position, None, self.rollouts, "strict", RolloutStore(), every=False)
        return bank.kind_of(position.view, values.best, probe.name if probe else None)

    def add(
        self,
        game: Game,
        place: Place,
        turn: Turn,
        kind: bank.Kind,
        probe: bank.AskedConvention | None = None,
    ) -> None:
        """Take a position: `turn` has the notes of all its programs."""
        if place.info not in self.seats:
            self.seats.append(place.info)
        self._have.update(kind.values())
        # without prompts, which can be made again, and the memories that they leave
        stored = list[StoredEvent]()
        for event in turn.events:
            if isinstance(event, Call):
                stored.append(
                    event.model_copy(update={"messages": (), "attempts": (), "reasoning": None})
                )
            elif isinstance(event, Decided):
                stored.append(event.model_copy(update={"memory": {}}))
            elif isinstance(event, VerdictGiven):
                stored.append(event)
        name = f"p{len(self.positions) + 1:03}"
        started = game.started
        view = place.view
        self.positions.append(
            bank.BankPosition(
                name=name,
                deal=fingerprint.hashed([started.players, list(started.deck)]),
                game=fingerprint.hashed([started.game, view.turn]),
                view=view,
                memory=dict(place.memory),
                seat=self.seats.index(place.info),
                events=tuple(stored),
                kind=kind,
                asked=probe,
            )
        )
        hand = true_hands(game)[view.turn - 1][view.seat]
        deck = started.deck[len(started.deck) - view.deck_size :] if view.deck_size else ()
        self.truths.append(
            PositionTruth(name=name, journal=game.name, turn=view.turn, own=hand, deck=deck)
        )


def label_of(positions: Iterable[bank.BankPosition]) -> bank.Label:
    """Return who gave the recorded notes."""
    calls = list(chain.from_iterable(position.calls for position in positions))
    labels: set[bank.Label] = set()
    for call in calls:
        labels.add("program" if not call.of_model else "simulated" if call.simulated else "model")
    labels = labels - {"program"} or labels
    if not labels:
        return "none"
    if len(labels) == 1:
        return labels.pop()
    return "mixed"
