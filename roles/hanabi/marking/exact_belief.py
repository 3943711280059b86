"""What a seat could have known of its own hand at best, whatever sections its graph gave the role."""

from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.view import View
from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.sections.fixed import Conventions
from roles.hanabi.truth import Truth
from roles.role_options import defaults
from roles.sections import Sections, cut

EXACT_PACK = "newest"
"""The convention pack of which there is an exact reading."""


def told_conventions(sections: Sections) -> bool:
    """Whether the role was told the convention pack that can be read exactly."""
    conventions = sections.get(Conventions)
    return conventions is not None and conventions.pack == EXACT_PACK


def exact(sections: Sections, truth: Truth) -> tuple[Slot, ...]:
    """The exact belief about the own hand: by all hints and all cards in sight, and where the role was told the pack
    `newest` by that as well. Sections that an ablation took away make no difference. Empty where the truth has no view.
    """
    if told_conventions(sections) and truth.scene is not None:
        return truth.scene.beliefs
    return truth.by_hints


def slot_of(slots: tuple[Slot, ...], number: int) -> Slot | None:
    """None for a slot that the hand does not have."""
    return slots[number] if 0 <= number < len(slots) else None


def whole_position(view: View) -> Position:
    """The position by all that the seat could see."""
    return Position.of(cut(view, [(kind, defaults(kind.choices)) for kind in TAKES]))
