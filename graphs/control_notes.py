"""Control notes: what stands in the place of a role's note when an experiment asks whether its content matters.

A note that is taken away also shortens its readers' prompts. A placebo has the note's length and tells nothing; a
shuffled note is one that the same role gave elsewhere, so it has the content of such a note, but about another
position. Both are replies of the role's own type, so that models and programs read them as any other, and may be
misled. A padded note misleads nobody: it is absent, and models see a text of its length that says so.

Controls answer in a node's place with notes made from those of another game, which the seat finds in its memory under
`GIVEN`; `recorded.given_notes` reads them from journals. Which turn's note is taken is drawn by the place in the game,
so that the same game gets the same notes however often it is stopped. All controls of the same place make their notes
from the same turn's, so they are equally long.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from hanabi_orchestrator.graphs.answerers import Question
from hanabi_orchestrator.graphs.controls import NoteControl
from hanabi_orchestrator.orchestrator.errors import RoleError, UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import DECK_SIZE, HAND_SIZES
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, Move
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.models.request import Absent, estimated
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.hanabi.sections.fixed import Rules
from hanabi_orchestrator.roles.notes_text import as_read, fit
from hanabi_orchestrator.roles.reply_types import Form, Shortlist, slot_fields
from hanabi_orchestrator.roles.words import ENGLISH, Words

FACTS = ("type",)
"""Fields that say what an entry is about, not what it is worth."""
MOVE_TYPES = get_args(Move)
"""Play, discard and the two hints."""


# The placebo


def placebo(
    reply: Reply,
    view: View,
    words: Words = ENGLISH,
    *,
    raw: Form | None = None,
    brief: bool = False,
    seed: int = 0,
) -> Reply:
    """A note of the same type and length that tells nothing of the position.

    Its texts are the rules of the game, which every reader has, cut to the length of each text. Every entry of a list
    with one for each move, player or slot says the same; lists that pick some out are empty. A chance is one half, a
    rating the middle of its range, a word of a scale its middle. A note that must name moves (a choice, a shortlist)
    names as many, drawn at random by `seed`: no content can be more neutral than that. A judge accepts.

    The length is that of the note as its readers see it, by `estimated`: `raw` and `brief`, see
    `notes_text`. Raises UserError for a type of which none can be made.
    """
    text = Rules.of(view, {"scoring": "unsaid", "length": "full", "counts": "told"}).words(words)
    rules = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    data = _Neutral(rules, view, random.Random(f"placebo {seed}")).reply(reply)
    try:
        neutral = type(reply).model_validate(data)
    except ValidationError as error:
        raise UserError(
            f"no placebo can be made of a {type(reply).__name__}: {error.errors()[0]['msg']}"
        ) from None
    return _as_long(neutral, reply, rules, partial(as_read, words=words, raw=raw, brief=brief))


class _Neutral:
    """Replies as plain data without their content."""

    def __init__(self, text: str, view: View, dice: random.Random) -> None:
        self.text = text
        self.view = view
        self.dice = dice

    def reply(self, reply: BaseModel) -> dict[str, Any]:
        kind = type(reply)
        programmed = getattr(kind, "programmed", ())
        data = {
            name: self.field(
                field, name, getattr(reply, name), key=name == getattr(kind, "unique", None)
            )
            for name, field in kind.model_fields.items()
            if name not in programmed
        }
        if isinstance(reply, Shortlist):  # as many moves as are listed, drawn from the legal ones
            moves = self.dice.sample(self.view.legal, min(len(reply.entries), len(self.view.legal)))
            data["entries"] = [
                {"action": move, "rank": rank, "why": fit(self.text, estimated(entry.why))}
                for rank, (move, entry) in enumerate(zip(moves, reply.entries, strict=False), 1)
            ]
        return data

    def field(self, field: FieldInfo, name: str, value: Any, *, key: bool) -> Any:
        if value is None or key or name in FACTS:
            return value
        if isinstance(value, tuple):
            return self._list(value)
        if isinstance(value, BaseModel) and not isinstance(value, MOVE_TYPES):
            return self.reply(value)
        optional = type(None) in get_args(field.annotation)
        if isinstance(value, MOVE_TYPES):
            return None if optional else self.dice.choice(self.view.legal)
        if isinstance(value, str):
            return _middle(field.annotation) or fit(self.text, estimated(value))
        if isinstance(value, bool):
            return True if field.is_required() else field.default
        return None if optional and isinstance(value, int) else _centre(field, value)

    def _list(self, value: tuple[Any, ...]) -> list[Any]:
        """Texts by their length; entries with a key in the order of their keys; of anything else nothing."""
        if all(isinstance(entry, str) and type(entry) is str for entry in value):
            return [fit(self.text, estimated(entry)) for entry in value]
        legal = {move: number for number, move in enumerate(self.view.legal)}
        keys = [
            (getattr(entry, type(entry).unique), entry)
            for entry in value
            if getattr(type(entry), "unique", None)
        ]
        places = [
            (key if isinstance(key, int) else legal.get(key, len(legal)), entry)
            for key, entry in keys
        ]
        return [self.reply(entry) for _, entry in sorted(places, key=lambda item: item[0])]


def _middle(annotation: object) -> str | None:
    """The middle word of a scale; None for a text that is none."""
    for kind in (annotation, *get_args(annotation)):
        if get_origin(kind) is Literal:
            return str(get_args(kind)[len(get_args(kind)) // 2])
    return None


def _centre(field: FieldInfo, value: float) -> float:
    """The middle of a number's range; the number itself where it has none, as a rank."""
    bounds = [*field.metadata]
    for inner in get_args(field.annotation):
        bounds += [
            bound
            for meta in getattr(inner, "__metadata__", ())
            for bound in getattr(meta, "metadata", (meta,))
        ]
    low: float | None = next((bound.ge for bound in bounds if hasattr(bound, "ge")), None)
    high: float | None = next((bound.le for bound in bounds if hasattr(bound, "le")), None)
    if low is None or high is None:
        return value
    return (low + high) // 2 if isinstance(value, int) else (low + high) / 2


def _as_long(note: Reply, like: Reply, text: str, text_of: Callable[[Reply], str]) -> Reply:
    """The reply with its last text, of those that are shown, cut or filled up so that the whole is as long."""
    concludes = [
        name for name in note.answer_fields() if name in note.conclusion or not note.conclusion
    ]
    scales = [
        name for name in concludes if _middle(type(note).model_fields[name].annotation) is not None
    ]
    texts = [name for name in concludes if type(getattr(note, name)) is str and name not in scales]
    if not texts:
        return note
    missing = estimated(text_of(like)) - estimated(text_of(note))
    tokens = estimated(getattr(note, texts[-1]))
    return note.model_copy(update={texts[-1]: fit(text, max(tokens + missing, 1))})


# The padded note


def padded(
    reply: Reply, words: Words = ENGLISH, *, raw: Form | None = None, brief: bool = False
) -> Absent:
    """An absent note, in whose place readers see a text as long as this one that says that it is empty."""
    return Absent(
        reason=EMPTY_NOTE, padding=max(estimated(as_read(reply, words, raw, brief=brief)), 1)
    )


EMPTY_NOTE = "a control leaves the note empty"


# The shuffled note


def shuffled(reply: Reply, origin: View, view: View) -> Reply | None:
    """A role's note from another position, put into this one: players by their distance from who speaks, turns by
    theirs from now. What would be impossible here is left out: moves that are not legal, slots and turns that are not
    there. None when nothing of the note can stand, and between different player counts.

    Texts keep what they say, with players and turns renamed.
    """
    if origin.players != view.players:
        return None
    data = _Moved(origin, view).reply(reply)
    try:
        return None if data is _GONE else type(reply).model_validate(data)
    except ValidationError:
        return None


_GONE = object()


class _Moved:
    """Replies as plain data, moved from one view to another."""

    def __init__(self, origin: View, view: View) -> None:
        self.step = view.seat - origin.seat
        self.turns = view.turn - origin.turn
        self.view = view

    def reply(self, reply: BaseModel) -> Any:
        slots = slot_fields(type(reply))
        names = type(reply).model_fields
        fields = {
            name: self.value(name, getattr(reply, name), slots=name in slots) for name in names
        }
        for name, value in fields.items():
            if value is _GONE and type(None) in get_args(type(reply).model_fields[name].annotation):
                fields[name] = None
        return _GONE if _GONE in fields.values() else fields

    def value(self, name: str, value: Any, *, slots: bool) -> Any:
        if isinstance(value, MOVE_TYPES):
            move = (
                value.model_copy(update={"to": self._seat(value.to)})
                if isinstance(value, Hint)
                else value
            )
            return move if move in self.view.legal else _GONE
        if isinstance(value, BaseModel):
            return self.reply(value)
        if isinstance(value, tuple):
            items = [self.value(name, inner, slots=slots) for inner in value]
            return [item for item in items if item is not _GONE]
        if type(value) is str:
            text = re.sub(r"\bP([0-4])\b", lambda match: f"P{self._seat(int(match[1]))}", value)
            return re.sub(
                r"\bturn (\d{1,9})\b",
                lambda match: f"turn {max(int(match[1]) + self.turns, 1)}",
                text,
            )
        if name == "seat":
            return self._seat(value)
        if name == "turn":
            return value + self.turns if 1 <= value + self.turns < self.view.turn else _GONE
        if slots and isinstance(value, int) and value >= len(self.view.own):
            return _GONE
        return value

    def _seat(self, seat: int) -> int:
        return (seat + self.step) % self.view.players


# Controls that answer in a node's place


GIVEN = "notes_of_another_game"
"""The key of the memory under which a seat is given them."""

Phase = Literal["first third", "second third", "last third", "no deck left"]
PHASES: tuple[Phase, ...] = ("first third", "second third", "last third", "no deck left")
"""By how much of the deck is dealt."""


def phase(view: View) -> Phase:
    """Return the phase of the game at a view."""
    if not view.deck_size:
        return PHASES[-1]
    cards = DECK_SIZE - view.players * HAND_SIZES[view.players]
    return PHASES[min(3 * (cards - view.deck_size) // cards, 2)]


class GivenNote(Frozen):
    """A node's note of a turn of another game."""

    node: str
    turn: int
    seat: int
    phase: Phase
    replies: tuple[dict[str, Any], ...]
    """Of each sample that was usable."""


@dataclass(frozen=True)
class OtherGame:
    """The notes of another game, as a seat is given them."""

    name: str = ""
    """Its arm and file: `full/3p-s2-r1`."""
    notes: Mapping[str, Sequence[GivenNote]] = field(default_factory=dict)
    """By node."""

    @classmethod
    def read(cls, memory: Memory) -> "OtherGame":
        """Read a memory. Raises UserError where it holds something else under that key."""
        if not (data := memory.get(GIVEN)):
            return cls()
        try:
            notes = [GivenNote.model_validate(note) for note in data["notes"]]
        except (ValidationError, TypeError, KeyError):
            raise UserError(f"the memory holds no notes of another game under {GIVEN!r}") from None
        nodes = dict.fromkeys(note.node for note in notes)
        return cls(
            str(data["from"]),
            {node: [note for note in notes if note.node == node] for node in nodes},
        )


NOTHING_GIVEN = OtherGame()


@dataclass(frozen=True)
class OtherNote:
    """Answers with a note made from one of the same phase of another game; of another phase where there is none."""

    kind: NoteControl
    game: OtherGame

    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the note, absent where none can stand here.

        Raises RoleError when the seat was given no notes of that node.
        """
        node = question.node
        view = question.view
        if not (notes := self.game.notes.get(node.base)):
            raise RoleError(
                f"turn {view.turn}: node {node.base!r} gets notes of another game, and the seat was given none; "
                "play it as an arm of an experiment"
            )
        for note in _by_phase(notes, question):
            if reply := self._reply(note, question):
                return self._recorded(
                    reply, f"{self.game.name}, turn {note.turn}, P{note.seat}", question
                )
        return self._recorded(
            Absent(reason="no note of the other game can stand here"), self.game.name, question
        )

    def _recorded(self, reply: Reply | Absent, origin: str, question: Question) -> Reply | Absent:
        """Journal the note, and return it."""
        stored = {"model": question.node.model, "fixed": self.kind, "origin": origin}
        if not isinstance(reply, Absent):
            question.journal(reply=reply.model_dump(mode="json"), **stored)
        elif reply.padding:
            question.journal(outcome="unasked", error=reply.reason, padding=reply.padding, **stored)
        else:
            question.journal(outcome="fallback", error=reply.reason, **stored)
        return reply

    def _reply(self, note: GivenNote, question: Question) -> Reply | Absent | None:
        node = question.node
        view = question.view
        context = question.node.context
        reply: Reply | None = None
        for kind in (*((context.reply(node.role),) if context else ()), node.role.reply):
            with suppress(ValidationError):
                reply = reply or kind.model_validate(
                    note.replies[question.sample % len(note.replies)]
                )
        if reply is None:
            raise RoleError(f"a note of another game is no {node.role.reply.__name__}")
        brief = context is not None and context.reports == "brief"
        raw = context.answer_format if context is not None and context.reports == "raw" else None
        if self.kind == "padded":
            return padded(reply, node.words, raw=raw, brief=brief)
        if self.kind == "placebo":
            return placebo(reply, view, node.words, raw=raw, brief=brief, seed=note.turn)
        return shuffled(reply, view.model_copy(update={"seat": note.seat, "turn": note.turn}), view)


def _by_phase(notes: Sequence[GivenNote], question: Question) -> Iterator[GivenNote]:
    """Yield all notes, those of this phase first, then those of the phases nearest to it; drawn within each."""
    place = question.place
    node = question.node.base
    chance = random.Random(
        f"{place.game} {place.repeat} {place.turn} {place.seat} {node} {question.sample}"
    )
    present = PHASES.index(phase(question.view))
    order = chance.sample(list(notes), len(notes))
    yield from sorted(order, key=lambda note: abs(PHASES.index(note.phase) - present))
