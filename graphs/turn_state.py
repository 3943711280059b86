"""The state of a turn's LangGraph graph: plain JSON data, so that any checkpointer, stream or server can hold it.

In go a view and a memory, out come a decision, the memory for the seat's next turn, and the notes by node. Plain
functions read and write the data as they are; `view` and `reply` give them as the types that roles use.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    NotRequired,  # before Python 3.12 no form can be made of typing's own
)

from pydantic import BaseModel
from typing_extensions import TypedDict

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.game.stored import read_view
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.orchestrator.table.seat import Decision
from hanabi_orchestrator.orchestrator.values import cached_by_identity
from hanabi_orchestrator.roles import Choice, Notes, Reply, Verdict
from hanabi_orchestrator.roles.reply_types import RatedChoice, variant


class _AsView:
    """Gives plain data the JSON schema of a view, for tools that make forms of a graph's input."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        return handler(get(DEFAULT).view.__pydantic_core_schema__)


def _last_written(old: Any, new: Any) -> Any:
    """Return the value that is written last; a graph inside another hands what it was given back to it."""
    return new


def plain_view(old: Any, new: Any) -> dict[str, Any]:
    """Return a view as plain data."""
    return new.model_dump(mode="json") if isinstance(new, BaseModel) else dict(new)


class Note(TypedDict):
    """What a node said."""

    role: str
    turn: int
    step: int
    """LangGraph's number of the step in which it was said."""
    replies: list[dict[str, Any]]
    """One per sample: the fields of a reply, or `absent` with the reason why there is none, its `cause` and its
    `padding`."""
    texts: NotRequired[list[str | None]]
    """What a model wrote, by sample."""


def merge(old: Mapping[str, Note], new: Mapping[str, Note]) -> dict[str, Note]:
    """Return all notes of the newest turn: a thread may hold a whole game."""
    turn = max((note.get("turn", 0) for note in new.values()), default=0)
    return {**{name: note for name, note in old.items() if note.get("turn", turn) >= turn}, **new}


class TurnInput(TypedDict):
    """The input of a graph: a `View` or its JSON data, and the memory of the seat's last turn."""

    view: Annotated[dict[str, Any], _AsView, plain_view]
    memory: NotRequired[Annotated[dict[str, Any], _last_written]]


class TurnOutput(TypedDict, total=False):
    """The output of a graph."""

    decision: Annotated[dict[str, Any], _last_written]
    """`move`, `reason`, `forced`, `refusals`, `node`, `ratings`, `votes`, `rank`."""
    memory: Annotated[dict[str, Any], _last_written]
    notes: Annotated[dict[str, Note], merge]
    """The notes by node; by `name-2` where the node was asked again."""


class TurnState(TurnInput):
    """The whole state, for a `StateGraph` of your own, which may extend it."""

    notes: NotRequired[Annotated[dict[str, Note], merge]]
    decision: NotRequired[Annotated[dict[str, Any], _last_written]]


VALIDATED = cached_by_identity(256)(read_view)
"""Views by their data, of the turns that are being played."""


def view(state: Mapping[str, Any]) -> Any:
    """Return the view of a state. Raises UserError for a state without a view."""
    data = state.get("view")
    if isinstance(data, BaseModel):
        return data
    if not data:
        raise UserError("the state has no view: give {'view': view}, and with Send({**state, ...})")
    return VALIDATED(data)


# Notes


def note(role: str, turn: int, step: int, replies: Iterable[BaseModel]) -> Note:
    """Return replies as plain data."""
    data = Note(role=role, turn=turn, step=step, replies=[])
    texts = []
    for reply in replies:
        texts.append(reply.text if isinstance(reply, Reply) else None)
        if isinstance(reply, Absent):
            padding = {"padding": reply.padding} if reply.padding else {}
            data["replies"].append({"absent": reply.reason, "cause": reply.cause, **padding})
        else:
            ordered = reply.as_data() if isinstance(reply, Reply) else {}
            data["replies"].append({**ordered, **reply.model_dump(mode="json")})
    return {**data, "texts": texts} if any(text is not None for text in texts) else data


def replies(note: Note) -> tuple[BaseModel, ...]:
    """Return the replies of a note, of their types."""
    typed_replies: list[BaseModel] = []
    for data, text in zip(
        note["replies"], note.get("texts") or [None] * len(note["replies"]), strict=True
    ):
        if "absent" in data:
            padding = data.get("padding", 0)
            typed_replies.append(
                Absent(reason=data["absent"], cause=data.get("cause"), padding=padding)
            )
        else:
            reply = _kind(note["role"], tuple(data)).model_validate(data)
            typed_replies.append(reply if text is None else reply.with_text(text))
    return tuple(typed_replies)


@lru_cache(maxsize=256)
def _kind(role: str, fields: tuple[str, ...]) -> type[Reply]:
    """Return the type of a role's reply with these fields: a verdict with its move, else the role's reply type, with
    the ratings and the order of fields that a context asks for."""
    kind = roles.get(role).reply
    if {"move", "accept"} <= {*fields}:
        return Verdict
    rated = kind is Choice and "ratings" in fields
    reason_first = (
        issubclass(kind, Choice) and (len(kind.model_fields) > 2 or rated) and fields[0] == "reason"
    )
    base = RatedChoice if rated else kind
    return (
        variant(base, reason_first=True)
        if reason_first and base.answer_fields()[0] != "reason"
        else base
    )


def typed(notes: Mapping[str, Note], names: Iterable[str]) -> Notes:
    """Return the notes of the named nodes, as far as there are any, with replies of their types."""
    return {name: replies(notes[name]) for name in names if name in notes}


def visits(state: Mapping[str, Any], node: str) -> dict[int, Note]:
    """Return the notes of a node in this turn by the number of its visit, 1 for the first."""
    turn = view(state).turn
    numbered = re.compile(rf"{re.escape(node)}(?:-(\d+))?")
    matches = {name: numbered.fullmatch(name) for name in state.get("notes", ())}
    every = {int(match[1] or 1): state["notes"][name] for name, match in matches.items() if match}
    return {
        number: note for number, note in sorted(every.items()) if note.get("turn", turn) == turn
    }


def newest(state: Mapping[str, Any], node: str) -> list[Note]:
    """Return what a node said last in this turn: several notes where `Send` asked it several times at once."""
    notes = visits(state, node)
    return [note for note in notes.values() if note["step"] == notes[max(notes)]["step"]]


def reply(state: Mapping[str, Any], node: str) -> BaseModel:
    """Return a node's last reply in this turn, of its role's type; `Absent` without a usable reply.

    Raises UserError for a node without a reply.
    """
    if not (notes := newest(state, node)):
        names = sorted({name.partition("-")[0] for name in state.get("notes", ())})
        raise UserError(
            f"node {node!r} has said nothing in this turn; {did_you_mean(node, names, 'those that have:')}"
        )
    return replies(notes[-1])[0]


# Decisions


def decision_data(decision: Decision, notes: Notes) -> dict[str, Any]:
    """Return a decision as plain data, without its memory, with the choices that were refused before it."""
    verdicts = [
        (name, verdict)
        for name, replies in notes.items()
        for verdict in replies
        if isinstance(verdict, Verdict)
    ]
    return {
        "move": str(decision.move),
        "reason": decision.why,
        "forced": decision.forced,
        "refusals": [
            {"node": name, "move": str(verdict.move), "reason": verdict.reason}
            for name, verdict in verdicts
            if not verdict.accept
        ],
        "node": decision.node,
        "ratings": None if decision.ratings is None else dict(decision.ratings),
        "votes": {name: dict(moves) for name, moves in decision.votes.items()},
        "rank": decision.rank,
    }


def decision(state: Mapping[str, Any], memory: Memory) -> Decision:
    """Return the decision that a state holds. Raises UserError for a move that is not legal."""
    data = state["decision"]
    legal = {str(move): move for move in view(state).legal}
    if (text := str(data.get("move"))) not in legal:
        raise UserError(
            f"the graph's move {text!r} is not legal; {did_you_mean(text, legal, 'legal are')}"
        )
    return Decision(
        legal[text],
        str(data.get("reason", "")),
        data.get("ratings"),
        forced=bool(data.get("forced")),
        node=data.get("node"),
        votes=data.get("votes") or {},
        rank=data.get("rank"),
        memory=memory,
    )
