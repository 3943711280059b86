"""Notes that a control gives a node in place of its own: made from those of another game, which the seat was given.

The seat finds them in its memory under `GIVEN`; `note_bank` reads them from journals. Which turn's note is taken is
drawn by the place in the game, so that the same game gets the same notes however often it is stopped. A placebo and a
shuffled note of the same place come from the same turn, so they are equally long.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from graphs.control_notes import placebo, shuffled
from orchestrator.errors import RoleError, UserError
from orchestrator.hanabi.cards import DECK_SIZE, HAND_SIZES
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.models.request import Place
from orchestrator.replies.reply import Reply
from orchestrator.values import Frozen
from roles.words import ENGLISH, Words

GIVEN = "notes_of_another_game"
"""The key of the memory under which a seat is given them."""

Phase = Literal["first third", "second third", "last third", "no deck left"]
PHASES: tuple[Phase, ...] = ("first third", "second third", "last third", "no deck left")
"""By how much of the deck is dealt."""

Kind = Literal["placebo", "shuffled"]


def phase(view: View) -> Phase:
    """The phase of the game at a view."""
    if not view.deck_size:
        return PHASES[-1]
    whole = DECK_SIZE - view.players * HAND_SIZES[view.players]
    return PHASES[min(3 * (whole - view.deck_size) // whole, 2)]


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
    def of(cls, memory: Memory) -> "OtherGame":
        """Raises UserError where the memory holds something else under that key."""
        if not (data := memory.get(GIVEN)):
            return cls()
        try:
            found = [GivenNote.model_validate(one) for one in data["notes"]]
        except (ValidationError, TypeError, KeyError):
            raise UserError(f"the memory holds no notes of another game under {GIVEN!r}") from None
        nodes = dict.fromkeys(one.node for one in found)
        return cls(str(data["from"]), {node: [one for one in found if one.node == node] for node in nodes})


NOTHING_GIVEN = OtherGame()


@dataclass(frozen=True)
class Made:
    """A note for a node, and where it is from."""

    reply: Reply | None
    """None where no note of the other game can stand here."""
    origin: str | None


def made(
    kind: Kind,
    game: OtherGame,
    node: str,
    replies: Sequence[type[Reply]],
    view: View,
    place: Place,
    sample: int,
    shown: "Shown",
) -> Made:
    """The note of a node at a place, made from one of the same phase; of another phase where there is none.

    `replies`: the types that the node's replies may have, the likeliest first.

    Raises RoleError when the seat was given no notes of that node.
    """
    if not (there := game.notes.get(node)):
        raise RoleError(
            f"turn {view.turn}: node {node!r} gets notes of another game, and the seat was given none; play it as an "
            "arm of an experiment"
        )
    for note in _in_drawn_order(there, node, view, place, sample):
        drawn = _typed(note.replies[sample % len(note.replies)], replies)
        found = _made(kind, drawn, note, view, shown)
        if found is not None:
            return Made(found, f"{game.name}, turn {note.turn}, P{note.seat}")
    return Made(None, game.name)


@dataclass(frozen=True)
class Shown:
    """How readers are shown notes: what a placebo's length is measured by."""

    words: Words = ENGLISH
    brief: bool = False


def _made(kind: Kind, drawn: Reply, note: GivenNote, view: View, shown: Shown) -> Reply | None:
    if kind == "placebo":
        return placebo(drawn, view, shown.words, brief=shown.brief, seed=note.turn)
    return shuffled(drawn, view.model_copy(update={"seat": note.seat, "turn": note.turn}), view)


def _typed(data: Mapping[str, Any], kinds: Sequence[type[Reply]]) -> Reply:
    """Raises RoleError for a reply that is none of these."""
    for kind in kinds:
        try:
            return kind.model_validate(data)
        except ValidationError:
            continue
    raise RoleError(f"a note of another game is no {kinds[-1].__name__}")


def _in_drawn_order(
    notes: Sequence[GivenNote], node: str, view: View, place: Place, sample: int
) -> Iterator[GivenNote]:
    """All notes, those of this phase first, then those of the phases nearest to it; drawn within each."""
    chance = random.Random(f"{place.game} {place.repeat} {place.turn} {place.seat} {node} {sample}")
    here = PHASES.index(phase(view))
    order = chance.sample(list(notes), len(notes))
    yield from sorted(order, key=lambda note: abs(PHASES.index(note.phase) - here))
