"""Drawing positions from journals: one of a game unless asked for more, spread over the kinds of position.

Games are taken in an order drawn by the seed, player counts in turn; where they have fewer than is wanted, each gives
its share. Of each game some turns are looked at, drawn from its beginning, middle and end alike; the one is kept whose
kind the bank has least of so far.
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil
from pathlib import Path

from experiments.record.saved import journals
from experiments.record.story import Story, StoryTurn
from experiments.tasks.fork.position import Position as Place
from experiments.tasks.fork.position import position as fork_position
from experiments.tasks.fork.position import whole
from experiments.tasks.positions.bank import (
    BankPosition,
    Drawn,
    Head,
    Label,
    Source,
    as_line,
    digest,
    position_line,
    save,
)
from experiments.tasks.positions.from_probes import AskedProbes, is_told
from experiments.tasks.positions.kinds import AskedConvention, Kind, best_move, kind_of
from experiments.tasks.positions.truth import PositionTruth
from experiments.values.position import Position, true_hands
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal import fingerprint
from orchestrator.journal.events import Call, Decided, Event, GameStarted, SeatInfo, VerdictGiven
from orchestrator.logs import log
from orchestrator.plugins import versions

LOOKS = 9
"""Turns of a game whose kind is worked out, for each position wanted of it."""


@dataclass(frozen=True)
class Game:
    path: Path
    name: str
    """With the folder of its arm."""
    players: int
    hash: str


def build(sources: Sequence[Path], out: Path, *, wanted: int, per_game: int, seed: int, rollouts: int = 0) -> Head:
    """Draw positions from journals, or folders of them, and write the bank. Raises UserError when there are none."""
    found = [(source, list(_games(source))) for source in sources]
    games = [game for _, inside in found for game in inside]
    if not games:
        where = ", ".join(map(str, sources))
        raise UserError(
            f"there is no game in {where} in which nobody saw their own cards; name run folders, or journals"
        )
    drawing = _Drawing(seed, rollouts)
    for number, game in enumerate(_order(games, seed)):
        left = wanted - len(drawing.positions)
        if left <= 0:
            break
        drawing.take(game, min(per_game, ceil(left / (len(games) - number))))
    if not drawing.positions:
        raise UserError(f"no game in {', '.join(map(str, sources))} has a second turn, so there is no position to draw")
    made_by = f"--from {' '.join(source.name for source in sources)} --n {wanted} --per-game {per_game} --seed {seed}"
    lines = [position_line(one) for one in drawing.positions]
    head = Head(
        name=out.name.removesuffix(".gz").removesuffix(".jsonl"),
        made_by=f"orchestrator experiment positions build {made_by}",
        sources=tuple(_source(path, inside) for path, inside in found if inside),
        drawn=Drawn(wanted=wanted, per_game=per_game, seed=seed, rollouts=rollouts, looked_at=drawing.looked_at),
        seats=tuple(drawing.seats),
        label=labelled(drawing.positions),
        versions=versions(),
        positions=len(lines),
        digest=digest(lines),
    )
    truth = (as_line("truth", one.model_dump(mode="json")) for one in drawing.truths)
    save(out, [head.model_dump_json(exclude_defaults=False), *lines, *truth])
    return head


def _games(source: Path) -> Iterator[Game]:
    """Those of a folder, or a journal. Games in which a seat saw its own cards are left out: its moves tell them."""
    for path, name, started in _begun(source):
        if started.cheats:
            log.warning("left out: a seat saw its own cards", game=str(path))
        else:
            yield Game(path, name, started.players, started.config_hash)


def _begun(source: Path) -> Iterator[tuple[Path, str, GameStarted]]:
    if source.is_file():
        yield source, source.stem, Story.read(journal.read(source)).started
        return
    for path, peeked in journals(source):
        if peeked.started is not None:
            yield path, path.relative_to(source).with_suffix("").as_posix(), peeked.started


def _source(path: Path, games: Sequence[Game]) -> Source:
    first = journal.read(games[0].path)[0]
    played_by = first.versions if isinstance(first, journal.GameStarted) else {}
    return Source(name=path.name, games=len(games), digest=digest(sorted(g.hash for g in games)), versions=played_by)


def _order(games: Iterable[Game], seed: int) -> Iterator[Game]:
    """Player counts in turn, the games of each in an order drawn by the seed."""
    by_count = defaultdict[int, list[Game]](list)
    for game in sorted(games, key=lambda game: (game.name, game.hash)):
        by_count[game.players].append(game)
    for count, inside in by_count.items():
        random.Random(f"games {seed} {count}").shuffle(inside)
    rounds = zip_longest(*(by_count[count] for count in sorted(by_count)))
    return (game for one in rounds for game in one if game is not None)


class _Drawing:
    """The positions drawn so far."""

    def __init__(self, seed: int, rollouts: int) -> None:
        self.seed, self.rollouts = seed, rollouts
        self.positions: list[BankPosition] = []
        self.truths: list[PositionTruth] = []
        self.seats: list[SeatInfo] = []
        self.looked_at = 0
        self._probes = AskedProbes()
        self._have = Counter[tuple[str, str]]()

    def take(self, game: Game, many: int) -> None:
        """Draw positions of a game."""
        story = Story.read(journal.read(game.path))
        asked = self._probes.of(game.path)
        kinds = {turn: self.kind(story, turn, asked) for turn in self._looks(story, game, asked, many)}
        self.looked_at += len(kinds)
        for _ in range(min(many, len(kinds))):
            turn = min(kinds, key=lambda turn: self._crowded(kinds[turn]))
            place = fork_position(story, turn)
            try:
                noted = asyncio.run(whole(place))
            except UserError as error:  # of a graph that is not known here
                raise UserError(f"{str(game.path)!r}: {error}; bring its code by --import, or leave it out") from None
            self.add(story, place, noted, kinds.pop(turn), game, asked)

    def _looks(self, story: Story, game: Game, asked: AskedConvention | None, many: int) -> list[int]:
        """Turns to look at: as many of each third of a game, without its first turn, on which nothing is known; of a
        probe the question alone."""
        chance = random.Random(f"turns {self.seed} {game.hash}")
        turns = [turn.started.turn for turn in story.turns if turn.decided and not is_told(turn)]
        if asked is not None:
            return turns
        turns = [turn for turn in turns if turn > 1]
        thirds = [turns[i * len(turns) // 3 : (i + 1) * len(turns) // 3] for i in range(3)]
        each = LOOKS * many // 3
        return [turn for third in thirds for turn in chance.sample(third, min(each, len(third)))]

    def kind(self, story: Story, turn: int, asked: AskedConvention | None = None) -> Kind:
        position = Position.of(story, turn)
        return kind_of(position.view, best_move(position, self.rollouts), asked.name if asked else None)

    def _crowded(self, kind: Kind) -> int:
        """How many positions the bank has of the values of a kind, over all dimensions."""
        return sum(self._have[one] for one in kind.values())

    def add(
        self,
        story: Story,
        place: Place,
        turn: StoryTurn,
        kind: Kind,
        game: Game,
        asked: AskedConvention | None = None,
    ) -> None:
        """Take a position: `turn` has the notes of all its programs."""
        info = place.info
        if info not in self.seats:
            self.seats.append(info)
        self._have.update(kind.values())
        name, started = f"p{len(self.positions) + 1:03}", story.started
        self.positions.append(
            BankPosition(
                name=name,
                deal=fingerprint.hashed([started.players, list(started.deck)]),
                game=fingerprint.hashed([started.game, place.view.turn]),
                view=place.view,
                memory=dict(place.memory),
                seat=self.seats.index(info),
                events=tuple(_kept(event) for event in turn.events if isinstance(event, Call | VerdictGiven | Decided)),
                kind=kind,
                asked=asked,
            )
        )
        number = place.view.turn
        own = true_hands(story)[number - 1][place.view.seat]
        deck = started.deck[len(started.deck) - place.view.deck_size :] if place.view.deck_size else ()
        self.truths.append(PositionTruth(name=name, journal=game.name, turn=number, own=own, deck=deck))


def _kept(event: Event) -> Event:
    """An event without the prompt, which can be made again, and without the memory that it leaves."""
    if isinstance(event, Call):
        return event.model_copy(update={"messages": (), "attempts": (), "reasoning": None})
    return event.model_copy(update={"memory": {}}) if isinstance(event, Decided) else event


def labelled(positions: Iterable[BankPosition]) -> Label:
    """Who made the recorded notes."""
    calls = [call for position in positions for call in position.calls]
    who: set[Label] = {"program" if not call.asked else "simulated" if call.simulated else "model" for call in calls}
    who = who - {"program"} or who
    return "none" if not who else who.pop() if len(who) == 1 else "mixed"
