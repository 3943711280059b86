"""The truth about a turn, by which marks are computed: what the acting seat could not see."""

from dataclasses import dataclass

from orchestrator.hanabi.cards import INDEX, Card, Mask, Piles
from orchestrator.hanabi.referee import Referee
from orchestrator.hanabi.view import View


@dataclass(frozen=True)
class Truth:
    """What decides a mark, whatever sections the role got."""

    own: tuple[Card, ...]
    """The seat's own hand, slot 0 first."""
    piles: Piles
    """The fireworks and all discards: what is playable, dead or critical."""
    view: View | None = None
    """All that the seat could know on this turn, whatever its graph left out; None where only cards are known."""

    @classmethod
    def of(cls, referee: Referee) -> "Truth":
        """The acting seat's, before its move."""
        seat = referee.seat
        others = referee.view((seat + 1) % referee.players)
        own = next(hand.cards for hand in others.hands if hand.seat == seat)
        return cls(own, Piles(others.fireworks, others.discards), referee.view())

    def within(self, slot: int, types: Mask) -> bool | None:
        """Whether the card of a slot is one of `types`; None for a slot that the hand does not have."""
        return bool(types >> INDEX[self.own[slot]] & 1) if 0 <= slot < len(self.own) else None
