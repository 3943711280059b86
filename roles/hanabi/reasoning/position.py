"""A position as far as a role's sections show it: what its program reasons from.

It is built of sections alone, so that a section taken away is really gone: without `own_deductions` only positive hints
count, without `discards` no discarded card is counted, without either section on the others' knowledge
they are taken to know nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, Card, Mask, Piles
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.roles.hanabi.sections.table import (
    Discards,
    FinalRound,
    OwnDeductions,
    PartnerDeductions,
    PartnerKnowledge,
    State,
)
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.sections import Section, Sections

NEEDS: tuple[type[Section], ...] = (State, LegalMoves)
"""What a program that reasons about moves cannot do without."""
TAKES: tuple[type[Section], ...] = (
    State,
    OwnDeductions,
    PartnerKnowledge,
    PartnerDeductions,
    Discards,
    LegalMoves,
)
"""All that a Position is built of."""


@dataclass(frozen=True)
class Position:
    players: int
    seat: int
    lives: int
    tokens: int
    deck_size: int
    turns: int
    """The most turns that can still be taken, this one included."""
    turns_left: int | None
    """Turns until the game ends, if a section says so; None while the deck has cards."""
    piles: Piles
    own: tuple[Mask, ...]
    """What hints leave of each own slot."""
    hands: Mapping[int, tuple[Card, ...]]
    """The hands in sight by seat, in turn order from the next player."""
    known: Mapping[int, tuple[Mask, ...]]
    """What hints leave of each of their slots, for their owners."""
    moves: tuple[Move, ...]
    """The legal moves that are left to choose from."""

    @classmethod
    def read(cls, sections: Sections) -> "Position":
        """Raises KeyError without the section `state`."""
        state = sections[State]
        discards = sections.get(Discards)
        legal = sections.get(LegalMoves)
        deductions = sections.get(OwnDeductions)
        final = sections.get(FinalRound)
        if partners := sections.get(PartnerDeductions):
            masks: Mapping[int, tuple[Mask, ...]] = partners.masks
        elif outright := sections.get(PartnerKnowledge):
            masks = outright.hands
        else:
            masks = {seat: (ANY,) * len(cards) for seat, cards in state.hands.items()}
        turns = (
            2 * state.deck_size + state.tokens + state.players
        )  # by the cards and tokens that are left to spend
        return cls(
            players=state.players,
            seat=state.seat,
            lives=state.lives,
            tokens=state.tokens,
            deck_size=state.deck_size,
            turns=turns if final is None or final.turns_left is None else final.turns_left,
            turns_left=final.turns_left if final else None,
            piles=Piles(state.fireworks, discards.cards if discards else ()),
            own=deductions.slots if deductions else state.own,
            hands=state.hands,
            known=masks,
            moves=legal.moves if legal else (),
        )

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand."""
        return belief.believe(self.own, self.piles, *self.hands.values())

    @property
    def possible(self) -> bool:
        """Whether some hand fits what the own slots may be and the cards in sight."""
        try:
            return bool(self.slots)
        except ValueError:
            return False

    def partner(self, seat: int) -> tuple[Slot, ...]:
        """The exact belief of a partner about their hand, as far as this seat can tell."""
        return belief.believe(
            self.known[seat], self.piles, *(h for other, h in self.hands.items() if other != seat)
        )

    @property
    def reachable(self) -> int:
        """The highest score that the piles and the turns left allow."""
        return min(self.piles.best_possible, sum(self.piles.fireworks) + self.turns)

    @property
    def plays(self) -> list[Play]:
        return [move for move in self.moves if isinstance(move, Play)]

    @property
    def discards(self) -> list[Discard]:
        return [move for move in self.moves if isinstance(move, Discard)]

    @property
    def hints(self) -> list[Hint]:
        return [move for move in self.moves if isinstance(move, Hint)]

    @cached_property
    def partners(self) -> Mapping[int, tuple[Mask, ...]]:
        """What each partner can think each of their slots is, by their hints and the cards both see."""
        masks = {}
        for seat in self.hands:
            copies = belief.unseen(
                self.piles, *(cards for other, cards in self.hands.items() if other != seat)
            )
            unseen = sum(1 << i for i, count in enumerate(copies) if count)
            masks[seat] = tuple(mask & unseen for mask in self.known[seat])
        return masks
