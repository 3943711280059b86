"""State tracking in a game: what became of the lists that a seat keeps, from turn to turn; see
docs/marks.md.

Every reply that states lists of cards is followed, with its node's reply of the seat's last turn:
of the same sample, in the last attempt of that turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import role_mark
from hanabi_orchestrator.experiments.values.role_mark import UNIFORM, RoleMark, place
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.recorded import RecordedReply, program_reply
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, DECK_SIZE
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands, dealt_hands
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.hanabi.card_lists import Lists, Slot, by_hints, stated_lists
from hanabi_orchestrator.roles.hanabi.list_changes import (
    STALE,
    Changes,
    aspects,
    changes,
    guessed,
    named,
)
from hanabi_orchestrator.roles.hanabi.list_marks import NOTHING_EXCLUDED, open_lists
from hanabi_orchestrator.roles.hanabi.sections.history import since_last_turn

About = Mapping[Slot, int]
"""By seat and slot: the card that a list is about, by its place in the deck."""


@dataclass(frozen=True)
class Tracked:
    """The lists of one reply, and those of the seat's last turn."""

    turn: int
    seat: int
    before: Lists | None
    """None on the seat's first turn, and where its last one brought no lists."""
    said: Lists
    known: Hands
    """What the hints leave, as the engine has it."""
    moves: tuple[Past, ...]
    """All since the seat's last turn, its own move of then included."""
    earlier: BaseModel | None = None
    """The reply of the seat's last turn, where `before` is from."""

    def changed(self, lists: Lists) -> Changes:
        """Return what lists made of the turns since the last ones."""
        return changes(self.before, lists, self.known, self.moves)

    def marks(self, lists: Lists) -> dict[str, float]:
        """Return the marks that lists have in this place, but for those that need the turns before
        the last."""
        changed = self.changed(lists)
        exact = aspects(lists, self.known, changed)
        return named(changed) | vars(exact) | {"overall": exact.overall}


@dataclass(frozen=True)
class _Earlier:
    """What a seat's node replied on its last turn."""

    turn: int
    reply: BaseModel
    about: About


Place = tuple[int, str, int]
"""Seat, node and sample."""


@dataclass
class TrackedGame:
    """The lists of a game, followed turn by turn."""

    story: Game
    earlier: dict[Place, _Earlier] = field(default_factory=dict)
    cards: list[tuple[tuple[int, ...], ...]] = field(init=False)
    """Every hand before each turn: the cards by their places in the deck."""

    def __post_init__(self) -> None:
        self.cards = list(
            dealt_hands(self.story.started.players, range(DECK_SIZE), self.story.moves)
        )

    def lists(
        self, number: int, replies: Sequence[RecordedReply]
    ) -> Iterator[tuple[RecordedReply, Tracked]]:
        """Yield the lists of a turn's replies. To be called for every turn of a seat, in order."""
        for recorded, tracking, *_ in self._followed(number, replies):
            yield recorded, tracking

    def marks(self, number: int, replies: Sequence[RecordedReply]) -> Iterator[RoleMark]:
        """Yield the marks of a turn's replies. To be called for every turn of a seat, in order."""
        for recorded, tracking, about, before in self._followed(number, replies):
            exact = tracking.marks(tracking.said) | {
                STALE: self._stale(tracking, tracking.said, about)
            }
            reply = program_reply(recorded)
            program = None if reply is None else stated_lists(reply, tracking.seat)
            baselines: dict[str, Mapping[str, float]] = {}
            for name, lists in {
                PROGRAM: program,
                NOTHING_EXCLUDED: open_lists(tracking.known),
            }.items():
                if lists is not None:
                    stale = self._stale(tracking, lists, self._about(tracking, lists, before))
                    baselines[name] = tracking.marks(lists) | {STALE: stale}
            baselines[UNIFORM] = guessed(tracking.before, tracking.known, tracking.moves)
            yield from role_mark.marks(place(recorded, number, tracking.seat), exact, baselines)

    def _followed(
        self, number: int, replies: Sequence[RecordedReply]
    ) -> Iterator[tuple[RecordedReply, Tracked, About, _Earlier | None]]:
        """Yield each reply that states lists, what these are about, and the reply of the seat's
        last turn, if with lists."""
        view = self.story.turn(number).view
        earlier = dict[Place, _Earlier]()
        seat = view.seat
        known = by_hints(view)
        moves = since_last_turn(view.history, view.seat)
        for recorded in replies:
            place = seat, base(recorded.node.name), recorded.sample
            before = self.earlier.get(place)
            if before and before.turn != number - view.players:
                before = None
            if (lists := stated_lists(recorded.reply, seat)) is None:
                continue
            reply = before.reply if before else None
            past = stated_lists(reply, seat) if reply else None
            tracking = Tracked(number, seat, past, lists, known, moves, reply)
            about = self._about(tracking, lists, before)
            earlier[place] = _Earlier(number, recorded.reply, about)
            yield recorded, tracking, about, before
        self.earlier |= earlier

    def _about(self, tracking: Tracked, lists: Lists, before: _Earlier | None) -> About:
        """Return the card that each list is about: of a list of before, what it was about then;
        else the card there."""
        hands = self.cards[tracking.turn - 1]
        about = {}
        for seat, hand in enumerate(hands):
            for slot, card in enumerate(hand):
                about[(seat, slot)] = card
        sources = tracking.changed(lists).sources if before else {}
        for (seat, slot), origin in sources.items():
            if (
                before
                and lists[seat, slot] != tracking.known[seat][slot]
                and (seat, origin) in before.about
            ):
                about[seat, slot] = before.about[seat, origin]
        return about

    def _stale(self, tracking: Tracked, lists: Lists, about: About) -> int:
        """Return how many slots hold a list about a card that has left the hand."""
        hands = self.cards[tracking.turn - 1]
        readable = []
        for slot, card in about.items():
            if lists.get(slot) not in (None, ANY):
                readable.append((slot, card))
        return sum(card not in hands[seat] for (seat, _), card in readable)
