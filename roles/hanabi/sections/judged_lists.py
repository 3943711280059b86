"""The section of the state judge: what a player wrote of all cards, beside what the hints leave of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.roles.hanabi.card_lists import Lists, by_hints, lists
from hanabi_orchestrator.roles.hanabi.card_words import written
from hanabi_orchestrator.roles.hanabi.list_changes import Changes, changes
from hanabi_orchestrator.roles.hanabi.sections.history import since_last_turn
from hanabi_orchestrator.roles.reply_types import Deduction
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Section, section
from hanabi_orchestrator.roles.words import Words

JUDGED = "judged"
"""The key of what is judged, in what the section is given as memory: `now` and `before`, each a list of deductions;
`before` is None where the player's last turn brought none."""

NOTHING = "Nothing."


@section
@dataclass(frozen=True)
class JudgedLists(Section):
    """A player's lists of all cards, of this turn and of their last one, beside what the hints leave.

    It holds nothing that the player could not know, but what a tracking player must find out alone: no role that
    plays takes it.
    """

    name = "judged_lists"
    seat: int
    turn: int
    hands: Hands
    """What the hints leave of each card, as the engine has it."""
    moves: tuple[Past, ...]
    """Since the player's last turn, their own move of then included."""
    now: tuple[Deduction, ...] = ()
    before: tuple[Deduction, ...] | None = None

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(view.seat, view.turn, by_hints(view), since_last_turn(view.history, view.seat))

    def holding(self, memory: Mapping[str, Any]) -> Self:
        judged = memory.get(JUDGED) or {}
        before = judged.get("before")
        return replace(
            self,
            now=tuple(map(Deduction.model_validate, judged.get("now") or ())),
            before=None if before is None else tuple(map(Deduction.model_validate, before)),
        )

    @property
    def lists(self) -> Lists:
        """What the player wrote on this turn."""
        return lists(self.now)

    @cached_property
    def changed(self) -> Changes:
        """What became of the lists of their last turn."""
        return changes(
            None if self.before is None else lists(self.before), self.lists, self.hands, self.moves
        )

    def variables(self, words: Words) -> dict[str, object]:
        texts = {
            (deduction.seat, slot): text
            for deduction in self.now
            for slot, text in enumerate(deduction.slots)
        }
        hands = [
            f"- P{seat} slot {slot}: the hints leave: {written(types)}. P{self.seat} wrote: "
            f"{repr(texts[seat, slot]) if (seat, slot) in texts else 'nothing'}"
            for seat, hand in enumerate(self.hands)
            for slot, types in enumerate(hand)
        ]
        slots = {(seat, slot) for seat, hand in enumerate(self.hands) for slot in range(len(hand))}
        beyond = [
            f"- P{seat} slot {slot}: {text!r}"
            for (seat, slot), text in texts.items()
            if (seat, slot) not in slots
        ]
        extra = (
            "\n".join(("Slots that they listed and that no hand has:", *beyond, "", ""))
            if beyond
            else ""
        )
        before = (
            f"- P{deduction.seat}: {', '.join(f'slot {slot} {text!r}' for slot, text in enumerate(deduction.slots))}"
            for deduction in self.before or ()
        )
        return {
            "seat": self.seat,
            "turn": self.turn,
            "hands": "\n".join(hands),
            "beyond": extra,
            "before": "\n".join(before) or NOTHING,
        }
