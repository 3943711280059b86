"""A recorded turn, read back from its journal: its notes, its replies with all that was before them, their marks.

Notes of a recorded turn may also be held fixed when it is decided again: those of nodes that are not asked, since what
they read is the same.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import islice

from pydantic import BaseModel

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.answerers import Fixed, FixedReply
from hanabi_orchestrator.graphs.attempts import SAFETY, attempts, role_node, safety_node
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, checked
from hanabi_orchestrator.graphs.control_notes import GivenNote, phase
from hanabi_orchestrator.graphs.controls import Controls
from hanabi_orchestrator.graphs.node import RoleNode, refused_moves
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    Memory,
    Moved,
    TurnStarted,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.values import cached_by_identity
from hanabi_orchestrator.roles import Notes, Sections, Verdict
from hanabi_orchestrator.roles.hanabi.truth import Truth, truths
from hanabi_orchestrator.roles.reply_types import Choice

Note = tuple[BaseModel, ...]
"""A reply for each sample of a node: of its role's type, or `Absent`."""


@cached_by_identity(64)
def unrolled(config: GraphConfig) -> Mapping[str, RoleNode]:
    """Return the nodes of all attempts by their names (`generate-2`), each after those that it depends on.

    `config` is the graph as it is at the player count (see `at`).
    """
    order = list(
        TopologicalSorter({name: node.reads for name, node in config.nodes.items()}).static_order()
    )
    nodes: dict[str, RoleNode] = {}
    for attempt in attempts(config):
        repeated = [name for name in order if attempt.number == 1 or name in attempt.path]
        nodes |= {attempt.name(name): role_node(config, name, attempt) for name in repeated}
        if SAFETY in attempt.judges:
            nodes[attempt.name(SAFETY)] = safety_node(config, attempt)
    return nodes


def node_name(config: GraphConfig, name: str) -> str:
    """Return the name of a node in an attempt. Raises UserError for one that the graph does not have."""
    if name not in (nodes := unrolled(config)):
        firsts = [node for node in nodes if "-" not in node and node != SAFETY]
        raise UserError(
            f"graph {config.title!r} has no node {name!r}; its nodes are: {', '.join(firsts)}"
        )
    return name


# Notes


def notes_of(config: GraphConfig, turn: Iterable[Event]) -> Notes:
    """Return the notes of a recorded turn, by node and sample."""
    replies: dict[str, dict[int, BaseModel]] = {}
    for event in turn:
        if isinstance(event, Call):
            replies.setdefault(event.node, {})[event.sample] = reply_of(config, event)
        if isinstance(event, VerdictGiven):
            reason = event.why if event.told is None else event.told
            replies[event.node] = {
                0: Verdict(move=event.move, accept=event.accepted, reason=reason)
            }
    return {
        node: tuple(by_sample[i] for i in sorted(by_sample)) for node, by_sample in replies.items()
    }


def reply_of(config: GraphConfig, call: Call) -> BaseModel:
    """Return the reply of a call, typed; absent where it was unusable, or where the graph has no such node."""
    node = unrolled(config).get(call.node)
    if call.reply is None or node is None or node.context is None:
        return Absent(reason=call.error or "", cause=call.cause, padding=call.padding)
    kind = node.context.reply(node.role) if call.text is not None else node.role.reply
    return kind.model_validate(call.reply).with_text(call.text)


def with_missing(
    config: GraphConfig,
    view: View,
    turn: Iterable[Event],
    notes: Notes,
    memory: Memory | None = None,
) -> Notes:
    """Return the notes of a turn with those of its programs, which a lean journal leaves out.

    As they are where the journal has these, and where the programs of this version would have led to another choice
    than the recorded one.
    """
    events = list(turn)
    if any(isinstance(event, Call) and event.model == PROGRAM for event in events):
        return notes
    complete: dict[str, Note] = dict(notes)
    for name, node in unrolled(config).items():
        attempt = int(node.name.partition("-")[2] or 1)
        reached = len(refused_moves(complete, node.refusals)) == attempt - 1
        if name not in complete and node.judges is None and reached:
            sections = node.sections(view, complete, memory)
            read = node.notes_read(complete)
            with suppress(
                Exception
            ):  # a role of this version may fail where that of the game did not
                reply = node.role.settle(sections, read)
                if reply is None and node.model == PROGRAM:
                    reply = node.program(sections, read)
                complete |= {name: (reply,) * node.samples} if reply is not None else {}
    for decided in (
        event for event in events if isinstance(event, Decided) and event.node is not None
    ):
        choices = [note for note in complete.get(str(decided.node), ()) if isinstance(note, Choice)]
        return complete if decided.move in [choice.action for choice in choices] else notes
    return complete


def given_notes(events: Sequence[Event], roles: Collection[tuple[str, str]]) -> list[GivenNote]:
    """Return what some nodes replied in the turns of a whole journal, first attempts alone, for controls in another
    game; `roles`: nodes with their roles.

    Unusable replies, notes that were themselves given by a control, and those of a seat that saw its own cards are
    left out.
    """
    started = events[0]
    assert isinstance(started, GameStarted)
    configs = dict[int, GraphConfig]()
    notes = {node: list[GivenNote]() for node, _ in roles}
    turns = list[tuple[TurnStarted, list[Call]]]()
    for event in events:
        if isinstance(event, TurnStarted):
            turns.append((event, []))
        elif isinstance(event, Call) and turns:
            turns[-1][1].append(event)
    for event, calls in turns:
        info = started.seat_at(event.seat, event.turn)
        if info.config is None or info.own_hand:
            continue
        if id(info) not in configs:
            configs[id(info)] = at(
                checked(dict(info.config), "the journal's graph"), started.players
            )
        for node, role in roles:
            if note := given_note(configs[id(info)], event.view, calls, node, role):
                notes[node].append(note)
    return [note for node, _ in roles for note in notes[node]]


def given_note(
    config: GraphConfig, view: View, calls: Iterable[Call], node: str, role: str
) -> GivenNote | None:
    """Return what a node replied in a turn, for a control elsewhere; None where it gave no usable reply of its own.

    `config` is the graph that was asked, as it is at the player count (see `at`).
    """
    replies = [
        reply_of(config, call)
        for call in calls
        if (call.node, call.role) == (node, role)
        and call.reply is not None
        and not call.fixed
        and call.outcome not in ("reasked", "failed")
    ]
    plain = tuple(reply.model_dump(mode="json") for reply in replies if isinstance(reply, Reply))
    if not plain:
        return None
    return GivenNote(node=node, turn=view.turn, seat=view.seat, phase=phase(view), replies=plain)


# Notes held fixed


def depending(config: GraphConfig, changed: Collection[str]) -> frozenset[str]:
    """Return the nodes, by their names in their attempts, whose notes may change with those of `changed`, themselves
    left out: they read a changed note, judge a changed choice, or decide again after a verdict that may change."""
    dependants = set[str]()
    for name, node in unrolled(config).items():
        needs = {*(key for _, key in node.reads), *node.refusals, node.judges}
        if needs & {*changed, *dependants}:
            dependants.add(name)
    return frozenset(dependants - set(changed))


def recorded(
    config: GraphConfig, turn: Iterable[Event], ask: Collection[str]
) -> dict[tuple[str, int], FixedReply]:
    """Return the replies of a recorded turn, without those of the nodes that are to be asked.

    The calls are marked as those of another game. A node whose role is another one now has no reply.
    """
    nodes = unrolled(config)
    calls: dict[tuple[str, int], list[Call]] = {}
    for event in turn:
        same_role = (
            isinstance(event, Call)
            and event.node in nodes
            and nodes[event.node].role.name == event.role
        )
        if isinstance(event, Call) and same_role and event.outcome != "failed":
            calls.setdefault((event.node, event.sample), []).append(event)
    return {
        (name, sample): FixedReply(
            reply_of(config, tries[-1]),
            tuple(call.model_copy(update={"fixed": "recorded"}) for call in tries),
        )
        for (name, sample), tries in calls.items()
        if name not in ask and tries[-1].outcome != "reasked"
    }


def edited(
    config: GraphConfig, view: View, turn: Iterable[Event], notes: Mapping[str, Note]
) -> dict[tuple[str, int], FixedReply]:
    """Return notes in the place of a node's own, as replies with a call each; `turn` has the calls that they stand for.

    Raises UserError for a node that the graph does not have, and for a reply of another type or number.
    """
    nodes = unrolled(config)
    calls = [event for event in turn if isinstance(event, Call)]
    replies = {}
    for name, note in notes.items():
        node = nodes[node_name(config, name)]
        if len(note) != node.samples:
            times = "once" if node.samples == 1 else f"{node.samples} times"
            raise UserError(
                f"node {name!r} answers {times}, so its note has as many replies, not {len(note)}"
            )
        for sample, reply in enumerate(note):
            if not isinstance(reply, node.role.reply | Absent):
                kind = node.role.reply.__name__
                raise UserError(
                    f"a note of node {node.name!r} is a {kind}, not a {type(reply).__name__}"
                )
            old = next((call for call in calls if (call.node, call.sample) == (name, sample)), None)
            replies[name, sample] = FixedReply(
                reply, (_edited_call(node, view, sample, reply, old),)
            )
    return replies


def _edited_call(
    node: RoleNode, view: View, sample: int, reply: BaseModel, old: Call | None
) -> Call:
    """Return the call of an edited note: that of its node, as if a model had said this."""
    call = Call(
        turn=view.turn,
        seat=view.seat,
        node=node.name,
        role=node.role.name,
        sample=sample,
        model=node.model,
        reply=None if isinstance(reply, Absent) else reply.model_dump(mode="json"),
        fixed="edited",
    )
    if old is not None and old.of_model:
        form = node.context.answer_format if node.context else "json_schema"
        text = ""
        if isinstance(reply, Reply):
            text = reply.text if reply.text is not None else writer.text_of(reply, form)
        call = call.model_copy(
            update={"prompt_hash": old.prompt_hash, "messages": old.messages, "text": text}
        )
    if isinstance(reply, Absent):
        call = call.model_copy(
            update={"outcome": "fallback", "error": reply.reason, "cause": reply.cause}
        )
    return call


def models_asked(config: GraphConfig, fixed: Fixed) -> set[str]:
    """Return the models of the nodes that are asked, programs left out."""
    answered = {name for name, _ in fixed}
    return {node.model for name, node in unrolled(config).items() if name not in answered} - {
        PROGRAM
    }


def differing(old: GraphConfig, new: GraphConfig) -> frozenset[str]:
    """Return the nodes of the new graph that are asked something else than in the old one, or whose answer a control
    gives in only one of them; whatever their models, and in whatever order the parts of their prompts stand.

    Both are as at the player count (see `at`).
    """
    return frozenset(
        n for n in new.nodes if n not in old.nodes or _question(old, n) != _question(new, n)
    )


def _question(config: GraphConfig, name: str) -> RoleNode:
    """Return a node as far as it decides what is asked there."""
    node = role_node(config, name, attempts(config)[0])
    labels = {label for label, _ in node.reads}
    controls = Controls(
        permuted=node.controls.permuted and len(labels) > 1,
        advise=tuple(label for label in node.controls.advise if label in labels),
        gate=tuple(label for label in node.controls.gate if label in labels),
        own_hand=node.controls.own_hand,
    )
    return replace(node, model="", graph="", layout=(), controls=controls)


# Replies and their marks, now that the hidden cards are known


@dataclass(frozen=True)
class RecordedReply:
    """What a node replied in a recorded turn, with all that it had before it."""

    node: RoleNode
    sample: int
    reply: BaseModel
    sections: Sections
    notes: Notes
    """Those it read."""


def replies(
    config: GraphConfig, turn: Iterable[Event], memory: Memory | None = None
) -> Iterator[RecordedReply]:
    """Yield all replies of a turn's events, by attempt and sample; see `marks` for the arguments. Those of programs
    that a lean journal leaves out are computed again."""
    events = list(turn)
    view = next(event.view for event in events if isinstance(event, TurnStarted))
    notes = with_missing(config, view, events, notes_of(config, events), memory)
    nodes = unrolled(config)
    for attempt in attempts(config):
        for name in config.nodes if attempt.number == 1 else attempt.path:
            node = nodes[attempt.name(name)]
            if node.name in notes:
                sections = node.sections(view, notes, memory)
                read = node.notes_read(notes)
                for sample, reply in enumerate(notes[node.name]):
                    yield RecordedReply(node, sample, reply, sections, read)


Marked = Mapping[str, tuple[Mapping[str, float] | None, ...]]
"""By the node's name in its attempt: the marks of each of its samples."""


def marks_at(events: Sequence[Event], number: int) -> Marked:
    """Return the marks of a turn of a whole journal, which holds the deal, the moves and the seats' graphs.

    Raises UserError when the journal has no such turn; empty for a seat that is no graph.
    """
    started = events[0]
    turn = [event for event in events if getattr(event, "turn", None) == number]
    if not isinstance(started, GameStarted) or not turn:
        raise UserError(f"this journal has no turn {number}")
    seat = next(event.seat for event in turn if isinstance(event, TurnStarted))
    if (resolved := started.seat_at(seat, number).config) is None:
        return {}
    moves = [event.past.move for event in events if isinstance(event, Moved)]
    decided = [event for event in events if isinstance(event, Decided) and event.turn < number]
    memories = [event.memory for event in decided if event.seat == seat]
    config = at(checked(dict(resolved), f"the graph of seat {seat}"), started.players)
    memory = memories[-1] if memories else None
    by_turn = [*[{}] * (number - 1), memory or {}]
    truth = next(islice(truths(started.players, started.deck, moves, by_turn), number - 1, None))
    return marks(config, turn, truth, memory)


def marks(
    config: GraphConfig, turn: Iterable[Event], truth: Truth, memory: Memory | None = None
) -> Marked:
    """Return the marks of a turn's events, the `turn_started` among them; nodes whose role has no mark are left out.

    `config` is the graph as it is at the game's player count (see `at`); `memory` is what the seat remembered.
    """
    marked: dict[str, tuple[Mapping[str, float] | None, ...]] = {}
    for reply in replies(config, turn, memory):
        if reply.node.role.mark is not None:
            scores = roles.mark(reply.node.role, reply.reply, reply.sections, truth)
            marked[reply.node.name] = (*marked.get(reply.node.name, ()), scores)
    return marked


def program_marks(recorded: RecordedReply, truth: Truth) -> Mapping[str, float]:
    """Return the marks that the role's program would have had with the same sections and notes; empty where it has
    none, or cannot answer."""
    reply = program_reply(recorded)
    return (
        {}
        if reply is None
        else roles.mark(recorded.node.role, reply, recorded.sections, truth) or {}
    )


def program_reply(recorded: RecordedReply) -> BaseModel | None:
    """Return what the role's program would have replied with the same sections and notes; None where it has none, or
    cannot answer."""
    if recorded.node.role.solve is None:
        return None
    try:
        return recorded.node.role.solve(recorded.sections, recorded.notes)
    except (KeyError, ValueError):
        return None
