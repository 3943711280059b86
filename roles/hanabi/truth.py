"""The truth about a turn, by which marks are computed: what the acting seat could not see, and what came after."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card, Mask, Piles
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import Convention
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import understand
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import dealt_hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts


@dataclass(frozen=True)
class Course:
    """A game as far as it went, all hands face up: what a mark may look back from."""

    players: int
    moves: tuple[Past, ...]
    """All that were made, oldest first."""
    hands: tuple[tuple[Card, ...], ...]
    """After the last of them, by seat."""

    @cached_property
    def conventions(self) -> Mapping[int, Convention]:
        """By seat: the convention that all their moves fit best, judged with all hands face up; STRANGER for none.

        The convention packs say which there are; how a seat was told to play is not looked at.
        """
        faces = dict(enumerate(self.hands))
        judged = (understand(self.moves, self.players, seat, faces).partners for seat in (0, 1))
        return {partner.seat: partner.convention for partners in judged for partner in partners}


@dataclass(frozen=True)
class Truth:
    """The facts that decide a mark, whatever sections the role got."""

    own: tuple[Card, ...]
    """The seat's own hand, slot 0 first."""
    piles: Piles
    """The fireworks and all discards: what is playable, dead or critical."""
    view: View | None = field(default=None, hash=False)
    """Everything that the seat could know on this turn, whatever its graph left out; None if only cards are known."""
    course: Course | None = field(default=None, hash=False)
    """The whole game; None if later moves are unknown."""
    memory: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The seat's memory, with the past games that it was given."""

    @classmethod
    def before_move(
        cls, referee: Referee, course: Course | None = None, memory: Mapping[str, Any] | None = None
    ) -> "Truth":
        """Return the facts for the acting seat, before its move."""
        seat = referee.seat
        view = referee.view((seat + 1) % referee.players)
        cards = next(hand.cards for hand in view.hands if hand.seat == seat)
        return cls(
            cards, Piles(view.fireworks, view.discards), referee.view(), course, memory or {}
        )

    def within(self, slot: int, types: Mask) -> bool | None:
        """Whether the card of a slot is one of `types`; None for a slot that the hand does not have."""
        return bool(types >> INDEX[self.own[slot]] & 1) if 0 <= slot < len(self.own) else None

    @cached_property
    def by_hints(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand, slot by slot: by all hints and all cards that the seat could see.

        Empty where the view is not known.
        """
        return belief.own_hand(self.view) if self.view else ()

    def facts(self, pack: str) -> ConventionFacts | None:
        """What past moves and hints say by a convention pack of which there is an exact reading; by `newest` to a
        player who adapts to their partners. None where the view is not known."""
        if self.view is None:
            return None
        by_pack: dict[str, ConventionFacts] = self.__dict__.setdefault("_facts", {})
        if pack not in by_pack:
            options = {"told": "whole", "pack": pack}
            by_pack[pack] = ConventionFacts.of(self.view, options).holding(self.memory)
        return by_pack[pack]

    @property
    def after(self) -> tuple[Past, ...]:
        """The moves from this turn on, the seat's own first; none where the course of the game is not known."""
        return self.course.moves[self.view.turn - 1 :] if self.course and self.view else ()

    @property
    def past(self) -> Past | None:
        """The seat's own move of this turn."""
        return self.after[0] if self.after else None

    def next_of(self, seat: int) -> Past | None:
        """Another seat's next move; None without one."""
        return next((past for past in self.after[1:] if past.seat == seat), None)

    def hinted_before(self, seat: int) -> bool:
        """Whether anybody hinted another seat from this turn until they moved."""
        until = self.next_of(seat)
        between = [past.move for past in self.after if until is None or past.turn < until.turn]
        return any(isinstance(move, Hint) and move.to == seat for move in between)


def truths(
    players: int,
    deck: Sequence[Card],
    moves: Sequence[Move],
    memories: Sequence[Mapping[str, Any]] = (),
) -> Iterator[Truth]:
    """The truth of every turn of a game that has begun: one for each move, and one for a move that was not made yet.

    `memories`: what the acting seat remembered, by turn; nothing where it is not given.
    """
    course = course_of(players, deck, moves)
    referee = Referee(players, deck)
    for number in range(len(moves) + 1):
        if referee.over:
            return
        yield Truth.before_move(
            referee, course, memories[number] if number < len(memories) else None
        )
        if number < len(moves):
            referee.apply(moves[number])


def course_of(players: int, deck: Sequence[Card], moves: Sequence[Move]) -> Course:
    """The course of a game from its deck and moves."""
    *_, hands = dealt_hands(players, deck, moves)
    return Course(players, rebuild(players, deck, moves).history, hands)
