"""A turn decided again: what was decided then and what is decided now, with the notes and the calls
of both; and notes in files, put in the place of recorded ones."""

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.tasks.fork.new_seat import Change, new_seat
from hanabi_orchestrator.experiments.tasks.fork.position import Position, position, whole
from hanabi_orchestrator.graphs import prompt_files
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.graphs.graph_seat import GraphSeat, Model
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.graphs.recorded import (
    Note,
    depending,
    edited,
    given_notes,
    models_asked,
    node_name,
    notes_of,
    recorded,
    unrolled,
)
from hanabi_orchestrator.orchestrator import event_loop, yaml_files
from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Memory
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Replay, first_difference
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, messages, prompt_hash
from hanabi_orchestrator.orchestrator.replies import reader
from hanabi_orchestrator.orchestrator.replies.reply import Form, Options, Reply, Unreadable
from hanabi_orchestrator.orchestrator.table.game_loop import decided_event
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.orchestrator.versions import changed
from hanabi_orchestrator.roles import Notes
from hanabi_orchestrator.roles.legal_moves import LegalMoves


@dataclass(frozen=True)
class Fork:
    """A turn that was decided again."""

    place: Position
    old: Turn
    """The turn as it was recorded; without a decision where the game stopped before it."""
    new: tuple[Turn, ...]
    """The turn as it is decided now, once for each sample."""
    seat: GraphSeat
    """Who decides now, with the notes that are held fixed."""
    kept: frozenset[str]
    """The nodes, by their names in their attempts, whose recorded notes are held fixed."""
    edited: frozenset[str]
    """The nodes whose notes were replaced."""
    warnings: tuple[str, ...] = ()
    """Further differences between then and now."""
    same: str | None = None
    """Why all samples are the same, so that only one was decided."""
    stopped: str | None = None
    """Why not all samples were decided."""
    undecided: tuple[Turn, ...] = ()
    """The calls of samples that were not decided; they were paid for, too."""

    @property
    def config(self) -> GraphConfig:
        """The graph that decides now, at the player count."""
        return at(self.seat.config, self.place.started.players)

    @property
    def models(self) -> set[str]:
        """The models that are asked now."""
        return models_asked(self.config, self.seat.fixed.get(self.place.view.turn, {}))

    @property
    def edits(self) -> dict[str, list[dict[str, Any] | None]]:
        """The notes that replace nodes' own, as plain data; None for an absent note."""
        fixed = sorted(self.seat.fixed.get(self.place.view.turn, {}).items())
        edits = {}
        for node in sorted(self.edited):
            edits[node] = [reply.calls[0].reply for (name, _), reply in fixed if name == node]
        return edits

    @property
    def old_notes(self) -> Notes:
        if self.place.config:
            return notes_of(self.place.config, self.old.events)
        return {}

    @property
    def moves(self) -> dict[str, int]:
        """How many samples decided for each move, the most frequent first."""
        return dict(
            Counter(str(turn.decided.move) for turn in self.new if turn.decided).most_common()
        )


def decide(
    game: Path | str | Game,
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

    `game`: a journal, or its game. `graph`, `model`, `named`, `settings`, `nodes`, `without`: the
    changes, see `Change`. `edits`: notes by node, or the files that hold them, in the place of the
    nodes' own. `ask`: the nodes to ask; what reads them is asked, too, and all other notes are held
    fixed as they were recorded. By default all nodes are asked; with `edits`, `nodes`, `without` or
    a new node only what they change. `samples`: how often to decide, each time with other seeds;
    the first has those of the game. `layer`: for the models, left open; one of its own if not
    given.

    Raises UserError for what cannot be asked, and TurnError when a role's program fails. A model
    that stops answering ends the samples: see `Fork.stopped`.
    """
    change = Change(
        graph, model, named or {}, tuple(settings), nodes or {}, tuple(without), edits or {}, ask
    )
    decisions = decide_async(game, turn, change, samples=samples, layer=layer)
    return event_loop.run_anywhere(decisions)


async def decide_async(
    game: Path | str | Game,
    turn: int,
    change: Change = Change(),  # noqa: B008  # frozen
    *,
    samples: int = 1,
    layer: ModelLayer | None = None,
) -> Fork:
    """Do as `decide` inside an event loop."""
    used = layer or ModelLayer()
    fork = await prepare(game, turn, change, layer=used)
    try:
        if fork.models:
            await used.check()
        return await _decide(fork, samples)
    finally:
        await fork.seat.aclose()
        if layer is None:
            used.close()


async def prepare(game: Path | str | Game, turn: int, change: Change, *, layer: ModelLayer) -> Fork:
    """Return the fork before anybody is asked. Raises UserError."""
    path, source = (None, game) if isinstance(game, Game) else (Path(game), Game.open(game))
    place = position(source, turn)
    old = await whole(place)
    seat = new_seat(place, change, path, layer)
    fork = Fork(place, old, (), seat, frozenset(), frozenset(), tuple(warnings(place, old)))
    if change.holds_notes:
        return _with_fixed_notes(fork, change)
    return fork


def _with_fixed_notes(fork: Fork, change: Change) -> Fork:
    """Return the fork with the notes of all nodes held fixed that are neither asked nor read
    somebody who is."""
    place = fork.place
    config = fork.config
    events = fork.old.events
    if change.ask is not None:
        changed = frozenset(node_name(config, node) for node in change.ask)
    else:
        changed = change.nodes_to_ask(place.config, config)
    edited_nodes = frozenset(node_name(config, name) for name in change.edits)
    asks = {*changed, *depending(config, {*changed, *edited_nodes})} - edited_nodes
    fixed = recorded(config, events, {*asks, *edited_nodes})
    before = notes_of(config, events)
    notes = {}
    for name, note in change.edits.items():
        notes[name] = (
            read_note(place, config, before, name, note) if isinstance(note, Path) else note
        )
    turn = {place.view.turn: fixed | edited(config, place.view, events, notes)}
    held = frozenset(name for name, _ in fixed)
    return replace(fork, seat=replace(fork.seat, fixed=turn), kept=held, edited=edited_nodes)


async def _decide(fork: Fork, samples: int) -> Fork:
    """Return the fork with its samples; those that come after the budget's end are left out. Raises
    TurnError."""
    if samples < 1:
        raise UserError(f"--samples is {samples}; decide at least once")
    same = None
    if samples > 1 and not fork.models:
        same = "only programs decide, and they decide the same each time"
    elif samples > 1 and all(isinstance(fork.seat.brains[model], Replay) for model in fork.models):
        same = "a recording answers the same each time"
    rows = await asyncio.gather(
        *(_sample(fork, n) for n in range(1 if same else samples)), return_exceptions=True
    )
    new = list[Turn]()
    undecided = list[Turn]()
    stops = list[str]()
    for row in rows:
        if isinstance(row, BaseException):
            raise row
        turn, why = row
        (new if why is None else undecided).append(turn)
        stops += [why] if why is not None else []
    more = fork.warnings
    unchanged = not (fork.edited or fork.kept) and fork.seat.info.config == fork.place.info.config
    then = fork.old.decided
    now = new[0].decided if new else None
    if unchanged and then and now and now.move != then.move and not fork.seat.brains:
        text = (
            "nothing was changed, and still the programs decide otherwise: they are not those "
            "that played the game"
        )
        more = (*more, text)
    stopped = stops[0] if stops else None
    return replace(
        fork, new=tuple(new), same=same, stopped=stopped, undecided=tuple(undecided), warnings=more
    )


async def _sample(fork: Fork, number: int) -> tuple[Turn, str | None]:
    """Decide once; the second value is why there is no decision.

    The first decision has the seeds of the recorded one, so its responses in a cache.
    """
    started = fork.place.started
    view = fork.place.view
    events = list[Event]()
    if number:
        game = fingerprint.hashed([started.game, number])
    else:
        game = started.game
    seat = replace(fork.seat, game=GameContext(events.append, game, started.repeat + number))
    try:
        decision = await seat(view, _memory(fork))
    except ModelError as error:
        return Turn.of(view, events), str(error)
    events.append(
        decided_event(view.turn, view.seat, decision, started.memories.get(view.seat, {}))
    )
    return Turn.of(view, events), None


def _memory(fork: Fork) -> Memory:
    """Return what the seat remembers, and for controls that are as long as a node's note its
    recorded one."""
    controls = fork.config.controls
    if not (nodes := (*controls.placebo, *controls.padded)):
        return fork.place.memory
    events: list[Event] = [fork.place.started, fork.old.started, *fork.old.calls]
    notes = given_notes(events, [(node, fork.config.nodes[node].role) for node in nodes])
    own_notes = [note.model_dump(mode="json") for note in notes]
    return {**fork.place.memory, GIVEN: {"from": "this game", "notes": own_notes}}


NAMES = 4
"""How many nodes or texts are named; the rest are counted."""


def warnings(place: Position, turn: Turn) -> Iterator[str]:
    """Yield a sentence for each way in which this version decides otherwise than the recorded
    one."""
    for name, before, after in changed(place.started.versions):
        yield f"the game was played with {name} {before}, and this is {after}"
    if not place.same_view:
        yield "this version shows seats another view of the position; the recorded one is used"
    graph = place.config
    if graph is None or all(node.model == PROGRAM for node in graph.nodes.values()):
        return
    calls = []
    for c in turn.calls:
        if c.of_model and c.messages and c.outcome != "failed" and not c.fixed:
            calls.append(c)
    if calls:
        yield from _call_warnings(place, graph, turn, calls)
        return
    then = place.info.prompts
    now = prompt_files.hashes(graph)
    if then and (names := [name for name in {**then, **now} if then.get(name) != now.get(name)]):
        yield f"since the game was played these prompt texts changed: {_listing(names)}"


def _call_warnings(
    place: Position, graph: GraphConfig, turn: Turn, calls: list[Call]
) -> Iterator[str]:
    """Yield where a model would not be asked, or not be read, as it was in this turn."""
    now = requests(graph, place.view, notes_of(graph, turn.events), place.memory)
    changes = dict[str, str]()
    for call in calls:
        if call.ask == 0 and call.node in now:
            prompt = messages(now[call.node].parts)
            if prompt_hash(prompt) != call.prompt_hash:
                changes[call.node] = first_difference(call, prompt)
    if changes:
        how = next(iter(changes.values()))
        yield (
            "since the game was played the prompts of these nodes changed: "
            f"{_listing(changes)}; {how}"
        )
    readings = dict.fromkeys(
        c.node for c in calls if c.node in now and not _read_alike(c, now[c.node])
    )
    if readings:
        yield (
            "this version reads the recorded answers of these nodes otherwise: "
            f"{_listing(readings)}"
        )


def _read_alike(call: Call, request: ModelRequest) -> bool:
    """Return True if an answer that could be read then is read as the same reply now."""
    if call.reply is None:
        return True
    form = call.form or request.form
    cut_off = call.finish == "length"
    try:
        reply = reader.read(
            call.text or "", request.reply, request.moves, form, cut_off=cut_off
        ).reply
    except Unreadable:
        return False
    return reply.model_dump(mode="json") == call.reply


def _listing(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:NAMES]) + (
        f" and {len(every) - NAMES} more" if len(every) > NAMES else ""
    )


# Notes in files, in the place of a node's own: JSON, YAML or text, read as the answer of a model
# would be


def read_note(place: Position, config: GraphConfig, notes: Notes, name: str, path: Path) -> Note:
    """Return the note of a file for a node; a node with several samples has a list of as many.

    `notes`: of the recorded turn. Raises UserError for a node that gave no note then, and for a
    file that is none.
    """
    where = f"--edit {name}={path}"
    if name not in notes:
        missing = (
            f"node {name!r} gave no note in turn {place.view.turn}, so there is none to replace"
        )
        raise UserError(f"{where}: {missing}; there are: {', '.join(notes) or 'none'}")
    node = unrolled(config)[name]
    text = yaml_files.from_file(path, f"the new note of {name},")
    data: Any = None
    if path.suffix in (".yaml", ".yml"):
        data = yaml_files.loaded(text, str(path))
    else:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None  # a text
    if node.samples > 1 and isinstance(data, list):
        entries = data
    else:
        entries = [data if data is not None else text]
    if len(entries) != node.samples:
        raise UserError(
            f"{where}: node {name!r} answers {node.samples} times: write a list of {node.samples} "
            "notes"
        )
    legal = node.sections(place.view, notes, place.memory).get(LegalMoves) or LegalMoves.of(
        place.view, {"labels": "numbers", "first": "discards", "words": "told"}
    )
    return tuple(_reply(node, entry, legal.by_label, where) for entry in entries)


def _reply(node: RoleNode, entry: Any, moves: Options, where: str) -> Reply:
    """Return one reply. What only programs write is read, too, where a program's note is
    replaced."""
    if node.model == PROGRAM or node.context is None:
        kind = node.role.reply
    else:
        kind = node.context.reply(node.role)
    form: Form = (
        node.context.answer_format if node.context and isinstance(entry, str) else "json_schema"
    )
    if isinstance(entry, str):
        text = entry
    else:
        text = json.dumps(entry, ensure_ascii=False)
    try:
        reply = reader.read(text, kind, moves, form).reply
    except Unreadable as problem:
        raise UserError(f"{where}: this is no note of role {node.role.name!r}: {problem}") from None
    if node.model != PROGRAM:
        return reply.with_text(text)
    more = (
        {key: entry[key] for key in kind.programmed if key in entry}
        if isinstance(entry, dict)
        else {}
    )
    if more:
        return kind.model_validate({**reply.model_dump(mode="json"), **more})
    return reply


def as_data(place: Position, notes: Notes, name: str) -> Any:
    """Return a recorded note as plain data, to be changed and read again; a list where a node
    answers several times.

    Raises UserError for a node that gave no note.
    """
    replies = []
    for reply in notes.get(name, ()):
        if isinstance(reply, Reply):
            replies.append(reply.model_dump(mode="json"))
    if not replies:
        raise UserError(
            f"node {name!r} gave no note in turn {place.view.turn}; there are: "
            f"{', '.join(notes) or 'none'}"
        )
    if len(replies) > 1:
        return replies
    return replies[0]
