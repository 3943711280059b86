"""Lists of what each card of each hand may be, as players state them in replies."""

from collections.abc import Iterable, Mapping
from functools import singledispatch

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.hanabi.cards import Mask
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.roles.hanabi.card_words import meaning
from hanabi_orchestrator.roles.reply_types import Deduction, TrackedChoice

Slot = tuple[int, int]
"""A seat, and a slot of its hand."""

Lists = Mapping[Slot, Mask | None]
"""What a player says that cards may be; None where the words cannot be read. Slots that they leave out are missing."""


@singledispatch
def stated_lists(reply: BaseModel, seat: int) -> Lists | None:
    """The lists in the reply of a seat; None for a type of reply that holds none.

    Register a function for a reply type of your own: `@stated_lists.register`. A report that goes beyond the hints, as
    the history analyst's does by conventions, is none: the hints cannot say whether it is right.
    """
    return None


def lists(deductions: Iterable[Deduction]) -> Lists:
    """The lists of a tracker's reply."""
    return {
        (deduction.seat, slot): meaning(text)
        for deduction in deductions
        for slot, text in enumerate(deduction.slots)
    }


stated_lists.register(TrackedChoice, lambda reply, seat: lists(reply.deductions))


def by_hints(view: View) -> Hands:
    """What the hints leave of each card of all hands, by seat, as the engine has it."""
    hands = {hand.seat: hand.known for hand in view.hands} | {view.seat: view.own}
    return tuple(tuple(card.mask for card in hands[seat]) for seat in range(view.players))
