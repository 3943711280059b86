"""A turn decided again: what was decided then and what is decided now, with the notes and the calls of both."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.record.game import Game, Turn
from experiments.tasks.fork.changed_since import since_then
from experiments.tasks.fork.edited_note import read_note
from experiments.tasks.fork.new_seat import Change, new_seat, to_ask
from experiments.tasks.fork.position import Position, position, whole
from graphs.ablate import at
from graphs.config import GraphConfig
from graphs.fixed_notes import Note, depending, edited, known, models_asked, recorded
from graphs.graph_seat import GraphSeat, Model
from graphs.recorded_notes import notes_of
from orchestrator.errors import ModelError, UserError
from orchestrator.journal import fingerprint
from orchestrator.journal.events import Event
from orchestrator.journal.recorded_answers import Replay
from orchestrator.models.layer import ModelLayer
from orchestrator.plugins import versions
from orchestrator.table.game_loop import decided_event
from orchestrator.table.seat import GameContext
from roles import Notes


@dataclass(frozen=True)
class Fork:
    """A turn that was decided again."""

    place: Position
    old: Turn
    """As it was recorded; without a decision where the game stopped before it."""
    new: tuple[Turn, ...]
    """As it is decided now, once for each sample."""
    seat: GraphSeat
    """Who decides now, with the notes that are held fixed."""
    kept: frozenset[str]
    """The nodes, by their names in their attempts, whose recorded notes are held fixed."""
    edited: frozenset[str]
    """Those whose notes were put in their place."""
    warnings: tuple[str, ...] = ()
    """What else differs between then and now, beside what was asked for."""
    same: str | None = None
    """Why all samples are the same, so that only one was decided."""
    stopped: str | None = None
    """Why not all samples were decided."""
    undecided: tuple[Turn, ...] = ()
    """The calls of those that were not, which were paid for, too."""

    @property
    def config(self) -> GraphConfig:
        """The graph that decides now, at the player count."""
        return at(self.seat.config, self.place.started.players)

    @property
    def edits(self) -> dict[str, list[dict[str, Any] | None]]:
        """The notes that were put in the place of nodes' own, as plain data; None for an absent one."""
        fixed = self.seat.fixed.get(self.place.view.turn, {})
        calls = {key: reply.calls[0].reply for key, reply in sorted(fixed.items()) if key[0] in self.edited}
        return {node: [reply for (name, _), reply in calls.items() if name == node] for node in sorted(self.edited)}

    @property
    def old_notes(self) -> Notes:
        return notes_of(self.place.config, self.old.events) if self.place.config else {}

    def new_notes(self, sample: int = 0) -> Notes:
        return notes_of(self.config, self.new[sample].events)

    @property
    def moves(self) -> dict[str, int]:
        """How many samples decided for each move, the most frequent first."""
        found: dict[str, int] = {}
        for turn in self.new:
            if turn.decided:
                found[str(turn.decided.move)] = found.get(str(turn.decided.move), 0) + 1
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def decide(
    game: Path | Game,
    turn: int,
    *,
    graph: GraphConfig | str | Path | None = None,
    model: "Model | None" = None,
    named: Mapping[str, Model] | None = None,
    settings: Sequence[str] = (),
    nodes: Mapping[str, Model] | None = None,
    without: Sequence[str] = (),
    edits: Mapping[str, Note | Path] | None = None,
    ask: Collection[str] | None = None,
    samples: int = 1,
    layer: ModelLayer | None = None,
) -> Fork:
    """Decide a turn of a recorded game again, from the same view and the seat's memory.

    `game`: a journal, or its story. `graph`, `model`, `named`, `settings`, `nodes`, `without`: what is to be different,
    see `Change`. `edits`: notes by node, or the files that hold them, in the place of the nodes' own. `ask`: the nodes
    to ask; what reads them is asked, too, and all other notes are held fixed as they were recorded. By default all
    nodes are asked; with `edits`, `nodes` or `without` only what they change. `samples`: how often to decide, each time
    with other seeds; the first has those of the game. `layer`: for the models, left open; one of its own if not given.

    Raises UserError for what cannot be asked, and TurnError when a role's program fails. What ends a model's answers
    ends the samples: see `Fork.stopped`.
    """
    change = Change(graph, model, named or {}, tuple(settings), nodes or {}, tuple(without))
    return asyncio.run(decide_async(game, turn, change, edits=edits, ask=ask, samples=samples, layer=layer))


async def decide_async(
    game: Path | Game,
    turn: int,
    change: Change = Change(),  # noqa: B008  # frozen
    *,
    edits: Mapping[str, Note | Path] | None = None,
    ask: Collection[str] | None = None,
    samples: int = 1,
    layer: ModelLayer | None = None,
) -> Fork:
    """`decide` inside an event loop."""
    used = layer or ModelLayer()
    fork = await prepared(game, turn, change, edits=edits, ask=ask, layer=used)
    try:
        if models_asked(fork.config, fork.seat.fixed.get(turn, {})):
            await used.check()
        return await decided(fork, samples)
    finally:
        await fork.seat.aclose()
        if layer is None:
            used.close()


async def prepared(
    game: Path | Game,
    turn: int,
    change: Change,
    *,
    edits: Mapping[str, Note | Path] | None = None,
    ask: Collection[str] | None = None,
    layer: ModelLayer,
) -> Fork:
    """The fork before anybody is asked. Raises UserError."""
    path, story = (game, Game.open(game)) if isinstance(game, Path) else (None, game)
    place = position(story, turn)
    fork = Fork(place, await whole(place), (), new_seat(place, change, path, layer), frozenset(), frozenset())
    if edits or change.nodes or change.without or ask is not None:
        fork = _held(fork, change, edits or {}, ask)
    return replace(fork, warnings=tuple(_warnings(fork)))


def _held(fork: Fork, change: Change, edits: Mapping[str, Note | Path], ask: Collection[str] | None) -> Fork:
    """The fork with the notes of all nodes held fixed that are neither asked nor read somebody who is."""
    place, config = fork.place, fork.config
    changed = {known(config, name) for name in ask} if ask is not None else to_ask(place.config, config, change)
    there = {known(config, name) for name in edits}
    asked = {*changed, *depending(config, {*changed, *there})} - there
    fixed = recorded(config, fork.old.events, {*asked, *there})
    before = notes_of(config, fork.old.events)
    notes = {
        name: read_note(place, config, before, name, one) if isinstance(one, Path) else one
        for name, one in edits.items()
    }
    kept = frozenset(name for name, _ in fixed)
    fixed |= edited(config, place.view, fork.old.events, notes)
    seat = replace(fork.seat, fixed={place.view.turn: fixed})
    return replace(fork, seat=seat, kept=kept, edited=frozenset(there))


def _warnings(fork: Fork) -> Iterator[str]:
    """What differs between then and now although nobody asked for it."""
    place, now = fork.place, versions()
    for name, old in place.started.versions.items():
        if now.get(name) != old:
            yield f"the game was played with {name} {old}, and this is {now.get(name, 'another')}"
    if not place.same_view:
        yield "this version shows seats another view of the position; the recorded one is used"
    yield from since_then(place, fork.old)


async def decided(fork: Fork, samples: int) -> Fork:
    """The fork with its samples; those that come after the budget's end are left out. Raises TurnError."""
    if samples < 1:
        raise UserError(f"--samples is {samples}; decide at least once")
    same = _same(fork) if samples > 1 else None
    made = await asyncio.gather(*(_sample(fork, n) for n in range(1 if same else samples)), return_exceptions=True)
    turns = list[tuple[Turn, str | None]]()
    for one in made:
        if isinstance(one, BaseException):
            raise one
        turns.append(one)
    fork = replace(
        fork,
        new=tuple(turn for turn, why in turns if why is None),
        same=same,
        stopped=next((why for _, why in turns if why is not None), None),
        undecided=tuple(turn for turn, why in turns if why is not None),
    )
    return replace(fork, warnings=(*fork.warnings, *_unexpected(fork)))


def _same(fork: Fork) -> str | None:
    """Why every sample would be the same."""
    models = models_asked(fork.config, fork.seat.fixed.get(fork.place.view.turn, {}))
    if not models:
        return "only programs decide, and they decide the same each time"
    if all(isinstance(fork.seat.brains[model], Replay) for model in models):
        return "a recording answers the same each time"
    return None


async def _sample(fork: Fork, number: int) -> tuple[Turn, str | None]:
    """One decision, or why there is none; the first has the seeds of the recorded one, so its responses in a cache."""
    place, events = fork.place, list[Event]()
    started, view = place.started, place.view
    game = fingerprint.hashed([started.game, number]) if number else started.game
    seat = replace(fork.seat, game=GameContext(events.append, game, started.repeat + number))
    try:
        decision = await seat(view, place.memory)
    except ModelError as error:
        return Turn.of(place.turn.view, tuple(events)), str(error)
    events.append(decided_event(view.turn, view.seat, decision, started.memories.get(view.seat, {})))
    return Turn.of(place.turn.view, tuple(events)), None


def _unexpected(fork: Fork) -> Iterator[str]:
    """A warning where nothing was changed, programs decided, and the decision is another."""
    old = fork.old.decided
    if old is None or not fork.new or fork.edited or fork.kept or fork.seat.info.config != fork.place.info.config:
        return
    (new,) = [turn.decided for turn in fork.new[:1]]
    if new and new.move != old.move and not fork.seat.brains:
        yield "nothing was changed, and still the programs decide otherwise: they are not those that played the game"
