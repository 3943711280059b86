"""What became of a player's lists from one turn of theirs to the next: hints taken in, slots moved, new cards open.

Everything is judged against the player's own earlier lists, so that an old mistake that is carried on rightly is no
new one. What the hints leave, as the engine has it, is always right.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from statistics import fmean

from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, HAND_SIZES, Mask
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands, hinted, shifted
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi.card_lists import Lists, Slot
from hanabi_orchestrator.roles.hanabi.list_marks import (
    KEEPS,
    POSSIBLE,
    SETS,
    VALUES,
    exact,
    pairs,
    ruled_out,
)
from hanabi_orchestrator.roles.marks import MarkInfo, share_info


@dataclass(frozen=True)
class Share:
    """A count and the total that it is taken from."""

    part: float = 0
    total: int = 0

    @property
    def value(self) -> float | None:
        return self.part / self.total if self.total else None

    def __add__(self, other: "Share") -> "Share":
        return Share(self.part + other.part, self.total + other.total)


@dataclass
class _Hand:
    """A hand since the player's last turn: by slot, what is right to write and what is wrong, and where it comes from.

    It starts with the lists written then.
    """

    before: tuple[Mask, ...]
    right: tuple[Mask, ...] = ()
    """The lists moved with their cards, and narrowed by the hints since."""
    unmoved: tuple[Mask, ...] = ()
    """The same, but left in their slots when a card went."""
    by_hints: tuple[Mask, ...] = ()
    """What the hints since then leave, by themselves."""
    origins: tuple[int | None, ...] = ()
    """The slots in which the cards were then; None for a card that was drawn since."""
    departed: dict[int, Mask] = field(default_factory=dict)
    """By the slot where it was then: the list of a card that has left, as it was when it went."""

    @classmethod
    def after(cls, before: Sequence[Mask], moves: Iterable[Past], seat: int, size: int) -> "_Hand":
        start = tuple(before)
        places: tuple[int | None, ...] = tuple(range(len(start)))
        hand = cls(start, start, start, (ANY,) * len(start), places)
        for past in moves:
            hand.take(past, seat)
        now = (
            lists[:size] for lists in (hand.right, hand.unmoved, hand.by_hints)
        )  # an empty deck gave no new card
        hand.right, hand.unmoved, hand.by_hints = now
        hand.origins = hand.origins[:size]
        return hand

    def take(self, past: Past, seat: int) -> None:
        """Take in a move of somebody; `seat`: whose hand it is."""
        move = past.move
        if isinstance(move, Play | Discard):
            if past.seat != seat:
                return
            if (origin := self.origins[move.slot]) is not None:
                self.departed[origin] = self.right[move.slot]
            self.right, self.by_hints = (
                shifted(lists, move.slot, [ANY]) for lists in (self.right, self.by_hints)
            )
            self.origins = (*shifted(self.origins, move.slot, ()), None)
        elif move.to == seat:
            narrowed = (
                hinted(lists, move, past.slots)
                for lists in (self.right, self.unmoved, self.by_hints)
            )
            self.right, self.unmoved, self.by_hints = narrowed

    def variants(self, origin: int) -> set[Mask]:
        """The list of a card as it may be written: as it was, or with the hints since. An open list is nobody's own."""
        now = {
            right for right, came in zip(self.right, self.origins, strict=True) if came == origin
        }
        return (
            {self.before[origin], *now}
            | ({self.departed[origin]} if origin in self.departed else set())
        ) - {ANY}

    def fine(self, slot: int) -> set[Mask]:
        """What may be written of a slot without having moved anything wrongly."""
        origin = self.origins[slot]
        return {self.right[slot]} | (set() if origin is None else {self.before[origin]})

    def wrong(self, slot: int, hinted_types: Mask) -> dict[int, set[Mask]]:
        """By the slot that it is taken from: lists of other cards that may stand here by mistake, own slot first."""
        fine = {*self.fine(slot), hinted_types}
        unmoved = ({self.unmoved[slot]} - {ANY}) if slot < len(self.unmoved) else set()
        order = [slot, *(other for other in range(len(self.before)) if other != slot)]
        candidates = {
            origin: self.variants(origin) | (unmoved if origin == slot else set())
            for origin in order
        }
        return {origin: rest for origin, lists in candidates.items() if (rest := lists - fine)}


@dataclass(frozen=True)
class Changes:
    """What a player made of what happened since their last turn."""

    hints: Share
    """Of the colours and ranks that hints since then rule out: those that the lists rule out."""
    shifts: Share
    """Of the slots of hands that a card has left, where the wrong list can be told from the right one: those that hold
    the list of another card."""
    unmoved: Share
    """The same, but only those whose list was left in its slot."""
    new_cards: Share
    """Of the cards drawn since then: those of which the lists rule out no more than hints since then do."""
    stale: Share
    """Of the cards that went, and of which the lists ruled something out: those whose list still stands in the hand."""
    sources: Mapping[Slot, int]
    """Where a slot holds a list of the last turn: the slot in which it stood then."""

    @cached_property
    def integration(self) -> float:
        """The mean of what there was of: hints taken in, slots with the right list, lists that went with their card,
        cards drawn that were left open. 1 where nothing had happened."""
        right = [share.value for share in (self.hints, self.new_cards) if share.value is not None]
        right += [1 - share.value for share in (self.shifts, self.stale) if share.value is not None]
        return fmean(right) if right else 1.0


def changes(
    before: Lists | None, lists: Lists, known_hands: Hands, moves: Sequence[Past]
) -> Changes:
    """From the lists `before`, of the player's last turn, to the `lists` now.

    `moves`: all since that turn, its own included. Without lists before, nothing was known of any card.
    """
    hands = _hands(before or {}, known_hands, moves)
    moved_hands = [_moved(hand, seat, lists, known_hands[seat]) for seat, hand in hands.items()]
    since = [
        (lists.get((s, slot)) or ANY, m)
        for s, hand in hands.items()
        for slot, m in enumerate(hand.by_hints)
    ]
    counts = ruled_out(since)
    new_cards = [
        (lists.get((seat, slot)) or ANY) & hand.by_hints[slot] == hand.by_hints[slot]
        for seat, hand in hands.items()
        for slot, origin in enumerate(hand.origins)
        if origin is None
    ]
    return Changes(
        hints=Share(counts.both, counts.in_hints),
        shifts=sum((moved.shifts for moved in moved_hands), Share()),
        unmoved=sum((moved.unmoved for moved in moved_hands), Share()),
        new_cards=Share(sum(new_cards), len(new_cards)),
        stale=sum((moved.stale for moved in moved_hands), Share()),
        sources={slot: origin for moved in moved_hands for slot, origin in moved.sources.items()},
    )


def _hands(before: Lists, hands: Hands, moves: Sequence[Past]) -> dict[int, _Hand]:
    """Every hand from then to now."""
    histories = {}
    for seat, hand in enumerate(hands):
        went = any(isinstance(past.move, Play | Discard) and past.seat == seat for past in moves)
        size = (
            HAND_SIZES[len(hands)] if went else len(hand)
        )  # a seat has one turn at most after the last card is drawn
        then = [before.get((seat, slot)) or ANY for slot in range(size)]
        histories[seat] = _Hand.after(then, moves, seat, len(hand))
    return histories


@dataclass(frozen=True)
class _Moved:
    shifts: Share
    unmoved: Share
    stale: Share
    sources: Mapping[Slot, int]


def _moved(hand: _Hand, seat: int, lists: Lists, hints: Sequence[Mask]) -> _Moved:
    """Which list each slot holds, and which of these are wrong."""
    wrong = (
        {slot: hand.wrong(slot, types) for slot, types in enumerate(hints)} if hand.departed else {}
    )
    visible = {
        slot: masks
        for slot, masks in wrong.items()
        if masks and lists.get((seat, slot)) is not None
    }
    sources_of = {
        slot: [source for source, those in masks.items() if lists[seat, slot] in those]
        for slot, masks in visible.items()
    }
    origins = {slot: matching[0] for slot, matching in sources_of.items() if matching}
    if origins:  # an open list says nothing by itself; beside a list that was not moved, it was not moved either
        still_open = [slot for slot in visible if lists[seat, slot] == hand.before[slot] == ANY]
        origins |= {
            slot: slot for slot in still_open if slot not in origins and ANY not in hand.fine(slot)
        }
    ruling = [origin for origin in hand.departed if hand.variants(origin)]
    sources = {(seat, slot): source for slot, source in origins.items()}
    for slot, origin in enumerate(hand.origins):
        if (
            origin is not None
            and slot not in origins
            and lists.get((seat, slot)) in hand.variants(origin)
        ):
            sources[seat, slot] = origin
    return _Moved(
        Share(len(origins), len(visible)),
        Share(sum(slot == origin for slot, origin in origins.items()), len(visible)),
        Share(sum(origin in origins.values() for origin in ruling), len(ruling)),
        sources,
    )


def guessed(before: Lists | None, known_hands: Hands, moves: Sequence[Past]) -> Mapping[str, float]:
    """What a uniform guess gives on average, by the names of `NAMED`."""
    hands = _hands(before or {}, known_hands, moves)
    at = [
        (sum(map(len, lists.values())), len(lists.get(slot, ())))
        for seat, hand in hands.items()
        if hand.departed
        for slot, types in enumerate(known_hands[seat])
        if (lists := hand.wrong(slot, types))
    ]
    new_cards = [
        types
        for hand in hands.values()
        for types, origin in zip(hand.by_hints, hand.origins, strict=True)
        if origin is None
    ]
    chances = {}
    if new_cards:  # a guess is open where it rules out no more than hints do
        ruled = [
            [sum(hints & types == 0 for types in values) for values in VALUES.values()]
            for hints in new_cards
        ]
        chances["new_cards_open"] = fmean(
            prod((2.0**out / SETS for out in card), start=1.0) for card in ruled
        )
    if at:
        chances["shift_errors"] = fmean(every for every, _ in at) / POSSIBLE
        chances["lists_not_moved"] = fmean(unmoved for _, unmoved in at) / POSSIBLE
    hinted_any = any(types != ANY for hand in hands.values() for types in hand.by_hints)
    return chances | ({"hints_taken_in": 1 - KEEPS} if hinted_any else {})


def named(changed: Changes) -> dict[str, float]:
    """The shares of changes by their names, those that there are."""
    shares = {
        "hints_taken_in": changed.hints,
        "shift_errors": changed.shifts,
        "lists_not_moved": changed.unmoved,
        "new_cards_open": changed.new_cards,
        "lists_of_gone_cards": changed.stale,
    }
    return {name: share.value for name, share in shares.items() if share.value is not None}


@dataclass(frozen=True)
class Aspects:
    """The four aspects in which the paper's judge marks state tracking, here as exact formulas; each from 0 to 1."""

    deduction_accuracy: float
    """Twice the colours and ranks that both the lists and the hints rule out, divided by those that the lists rule out
    plus those that the hints rule out (the harmonic mean of precision and recall); 1 where neither rules anything
    out."""
    history_integration: float
    """See `Changes.integration`."""
    tracking_quality: float
    """The share of all cards whose list is exactly what the hints leave: nothing invented, nothing left out, nobody
    forgotten."""

    @property
    def overall(self) -> float:
        """The mean of the three."""
        return fmean((self.deduction_accuracy, self.history_integration, self.tracking_quality))


def aspects(lists: Lists, hands: Hands, changed: Changes) -> Aspects:
    """The exact aspects of lists."""
    return Aspects(ruled_out(pairs(lists, hands)).overlap, changed.integration, exact(lists, hands))


STALE = "stale_cards"

INFOS = (
    share_info(
        "hints_taken_in",
        "Share of the values excluded by hints since the last turn that the list excludes.",
        uniform="15/31",
    ),
    share_info(
        "shift_errors",
        "Share of slots that hold another card's list after a card left the hand, where lists can be told apart.",
        0,
        "the number of wrong lists / 961",
    ),
    share_info(
        "lists_not_moved",
        "The same, counting only lists that stayed in their slot.",
        0,
        "the number of lists of that slot / 961",
    ),
    share_info(
        "new_cards_open",
        "Share of the cards drawn since the last turn for which the list excludes only what hints exclude.",
        uniform="2^(values excluded by hints) / 961",
    ),
    share_info(
        "lists_of_gone_cards",
        "Share of the cards that left since the last turn whose list still stands in the hand.",
        0,
    ),
    MarkInfo(
        STALE, "Slots whose list is about a card that left, on whatever turn.", "cards", 0, False
    ),
    share_info(
        "deduction_accuracy",
        "Exact aspect: 2 x (values that list and hints exclude) / (values the list excludes + values hints exclude); "
        "1 where neither excludes any.",
    ),
    share_info(
        "history_integration",
        "Exact aspect: mean of hints_taken_in, 1 - shift_errors, 1 - lists_of_gone_cards and new_cards_open, where "
        "they exist; 1 where nothing happened.",
    ),
    share_info("tracking_quality", "Exact aspect: cards_exact."),
    share_info("overall", "Exact aspect: mean of the other three."),
)
"""The marks of lists over the turns of a game."""
