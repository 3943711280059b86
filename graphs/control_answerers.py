"""Controls that answer in a node's place: with notes made from those of another game, which the seat was given.

The seat finds them in its memory under `GIVEN`; `recorded.given_notes` reads them from journals. Which turn's note is
taken is drawn by the place in the game, so that the same game gets the same notes however often it is stopped. A
placebo and a shuffled note of the same place come from the same turn, so they are equally long.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from graphs.answerers import Question
from graphs.control_notes import placebo, shuffled
from orchestrator.errors import RoleError, UserError
from orchestrator.hanabi.cards import DECK_SIZE, HAND_SIZES
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.models.request import Absent
from orchestrator.replies.reply import Reply
from orchestrator.values import Frozen

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
        return cls(str(data["from"]), {node: [note for note in notes if note.node == node] for node in nodes})


NOTHING_GIVEN = OtherGame()


@dataclass(frozen=True)
class OtherNote:
    """Answers with a note made from one of the same phase of another game; of another phase where there is none."""

    kind: str
    """`placebo` or `shuffled`."""
    game: OtherGame

    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the note, absent where none can stand here.

        Raises RoleError when the seat was given no notes of that node.
        """
        node, view = question.node, question.view
        if not (notes := self.game.notes.get(node.base)):
            raise RoleError(
                f"turn {view.turn}: node {node.base!r} gets notes of another game, and the seat was given none; "
                "play it as an arm of an experiment"
            )
        for note in _by_phase(notes, question):
            if reply := self._reply(note, question):
                origin = f"{self.game.name}, turn {note.turn}, P{note.seat}"
                question.journal(reply=reply.model_dump(mode="json"), model=node.model, fixed=self.kind, origin=origin)
                return reply
        absent = Absent(reason="no note of the other game can stand here")
        stored = {"model": node.model, "fixed": self.kind, "origin": self.game.name}
        question.journal(outcome="fallback", error=absent.reason, **stored)
        return absent

    def _reply(self, note: GivenNote, question: Question) -> Reply | None:
        node, view, context = question.node, question.view, question.node.context
        types = (*((context.reply(node.role),) if context else ()), node.role.reply)
        reply = _typed(note.replies[question.sample % len(note.replies)], types)
        if self.kind == "placebo":
            brief = context is not None and context.reports == "brief"
            return placebo(reply, view, node.words, brief=brief, seed=note.turn)
        return shuffled(reply, view.model_copy(update={"seat": note.seat, "turn": note.turn}), view)


def _typed(data: Mapping[str, Any], types: Sequence[type[Reply]]) -> Reply:
    """Return a reply of the first type that it can be. Raises RoleError where it is none of these."""
    for kind in types:
        try:
            return kind.model_validate(data)
        except ValidationError:
            continue
    raise RoleError(f"a note of another game is no {types[-1].__name__}")


def _by_phase(notes: Sequence[GivenNote], question: Question) -> Iterator[GivenNote]:
    """Yield all notes, those of this phase first, then those of the phases nearest to it; drawn within each."""
    place, node = question.place, question.node.base
    chance = random.Random(f"{place.game} {place.repeat} {place.turn} {place.seat} {node} {question.sample}")
    present = PHASES.index(phase(question.view))
    order = chance.sample(list(notes), len(notes))
    yield from sorted(order, key=lambda note: abs(PHASES.index(note.phase) - present))
