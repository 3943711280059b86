"""Marks of the lists that a player keeps of all cards: against what the hints leave of each, as the engine has it.

A list says of a card which of five colours and five ranks it keeps and which it rules out. All counts below are over
these ten values of every card in a hand. A card that is not listed, or whose words cannot be read, counts as one of
which nothing is ruled out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COLOURS,
    INDEX,
    OF_COLOUR,
    OF_RANK,
    RANKS,
    Mask,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.roles.hanabi.card_lists import Lists, Slot, by_hints, stated_lists
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import MarkInfo, Marks, share_info
from hanabi_orchestrator.roles.sections import Sections

VALUES: Mapping[str, tuple[Mask, ...]] = {
    "colours": tuple(OF_COLOUR[colour] for colour in COLOURS),
    "ranks": tuple(OF_RANK[rank] for rank in RANKS),
}
"""The types of each colour, and of each rank."""

SETS = 2 ** len(COLOURS) - 1
"""The sets of colours that a list may keep, and those of ranks: all but the empty one."""
POSSIBLE = SETS**2
"""The lists that there are of a card; a uniform guess is any of them."""
KEEPS = 2 ** (len(COLOURS) - 1) / SETS
"""How often a uniform guess keeps a value."""


@dataclass(frozen=True)
class Agreement:
    """Counts of values that a player's lists have, that the hints leave, and that both have."""

    both: int
    in_lists: int
    in_hints: int

    @property
    def precision(self) -> float | None:
        """Share of the listed values that the hints leave; None where nothing is listed."""
        return self.both / self.in_lists if self.in_lists else None

    @property
    def recall(self) -> float | None:
        """Share of the values that the hints leave which is listed; None where they leave nothing."""
        return self.both / self.in_hints if self.in_hints else None

    @property
    def overlap(self) -> float:
        """Twice what both have, by what the two have together: 1 where they are equal, 0 where they share nothing."""
        return (
            2 * self.both / (self.in_lists + self.in_hints)
            if self.in_lists + self.in_hints
            else 1.0
        )


Pair = tuple[Mask, Mask]
"""What a list leaves of a card, and what the hints leave."""


def cards(hands: Hands) -> dict[Slot, Mask]:
    """What the hints leave of every card in a hand."""
    return {
        (seat, slot): types for seat, hand in enumerate(hands) for slot, types in enumerate(hand)
    }


def pairs(lists: Lists, hands: Hands) -> list[Pair]:
    """For every card in a hand: a card that is not listed is taken as open."""
    return [(lists.get(slot) or ANY, types) for slot, types in cards(hands).items()]


def agreement(masks: Iterable[Pair], values: Iterable[Mask], *, excluded: bool) -> Agreement:
    """Count the values that lists and hints rule out, or keep."""
    flags = [
        ((listed_types & types == 0) == excluded, (hinted_types & types == 0) == excluded)
        for (listed_types, hinted_types), types in product(masks, list(values))
    ]
    return Agreement(
        both=sum(in_list and in_hints for in_list, in_hints in flags),
        in_lists=sum(in_list for in_list, _ in flags),
        in_hints=sum(in_hints for _, in_hints in flags),
    )


def ruled_out(masks: Iterable[Pair]) -> Agreement:
    """Count the colours and ranks that are ruled out."""
    return agreement(
        masks, (types for values in VALUES.values() for types in values), excluded=True
    )


def exact(lists: Lists, hands: Hands) -> float:
    """The share of cards whose list is there, can be read, and is what the hints leave."""
    hints = cards(hands)
    return sum(lists.get(slot) == types for slot, types in hints.items()) / len(hints)


def score(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """The marks of a reply's lists; None for a reply that has none, or where what hints leave is not known."""
    state = sections.get(State)
    lists = stated_lists(reply, state.seat if state else -1)
    if lists is None or truth.view is None:
        return None
    return _compared(lists, by_hints(truth.view), truth, state)


def _compared(lists: Lists, hands: Hands, truth: Truth, state: State | None) -> dict[str, float]:
    """Against what the hints leave, and against the cards themselves, as far as the marks' reader knows them."""
    masks = pairs(lists, hands)
    hints = cards(hands)
    read = [slot for slot in hints if lists.get(slot) is not None]
    shares: dict[str, float | None] = {}
    for (kind, values), excluded in product(VALUES.items(), (False, True)):
        counts = agreement(masks, values, excluded=excluded)
        prefix = f"{kind}_{'excluded' if excluded else 'kept'}"
        shares |= {f"{prefix}_precision": counts.precision, f"{prefix}_recall": counts.recall}
    faces = {**state.hands, state.seat: truth.own} if state else {}
    held = [
        (lists.get((seat, slot)) or ANY, card)
        for seat, hand in faces.items()
        for slot, card in enumerate(hand)
    ]
    wrong = [not types >> INDEX[card] & 1 for types, card in held]
    return {
        **{name: share for name, share in shares.items() if share is not None},
        "cards_exact": exact(lists, hands),
        "cards_listed": len(read) / len(hints),
        "lists_unread": sum(lists[slot] is None for slot in hints if slot in lists),
        "slots_beyond": sum(slot not in hints for slot in lists),
        **({"card_ruled_out": sum(wrong) / len(wrong)} if wrong else {}),
    }


# Baselines


def guess(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """What lists give on average that are drawn at random, each card's from all lists that there are.

    Of the values that it keeps, or rules out, the share that is right is that among all values, whatever their number.
    """
    if truth.view is None:
        return None
    masks = pairs({}, by_hints(truth.view))
    shares: dict[str, float] = {}
    for (kind, values), excluded in product(VALUES.items(), (False, True)):
        share = agreement(masks, values, excluded=excluded).in_hints / (len(masks) * len(values))
        word, recall = ("excluded", 1 - KEEPS) if excluded else ("kept", KEEPS)
        shares |= {f"{kind}_{word}_precision": share} | (
            {f"{kind}_{word}_recall": recall} if share else {}
        )
    return {
        **shares,
        "cards_exact": 1 / POSSIBLE,
        "cards_listed": 1.0,
        "lists_unread": 0.0,
        "slots_beyond": 0.0,
        "card_ruled_out": 1 - KEEPS**2,
    }


NOTHING_EXCLUDED = "nothing_excluded"


def open_lists(hands: Hands) -> Lists:
    """Lists that rule nothing out."""
    return dict.fromkeys(cards(hands), ANY)


def nothing_excluded(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """What lists give that rule nothing out."""
    if truth.view is None:
        return None
    hands = by_hints(truth.view)
    lists = open_lists(hands)
    return _compared(lists, hands, truth, sections.get(State))


# What they are


def _info(kind: str, excluded: bool) -> Iterator[MarkInfo]:
    done, word, guess = (
        ("excludes", "excluded", "15/31") if excluded else ("keeps", "kept", "16/31")
    )
    hints = "exclude" if excluded else "leave"
    share = f"the share of {kind} that the hints {hints}"
    says = f"Share of the {kind} the list {done} that the hints {hints}."
    yield share_info(f"{kind}_{word}_precision", says, uniform=share)
    says = f"Share of the {kind} the hints {hints} that the list {done}."
    yield share_info(f"{kind}_{word}_recall", says, uniform=guess)


INFOS = (
    *(info for kind in VALUES for excluded in (False, True) for info in _info(kind, excluded)),
    share_info(
        "cards_exact", "Share of cards whose list is exactly what the hints leave.", uniform="1/961"
    ),
    share_info(
        "cards_listed", "Share of cards for which the list says something readable.", uniform="1"
    ),
    MarkInfo(
        "lists_unread", "Cards whose entry in the list cannot be read.", "cards", 0, False, "0"
    ),
    MarkInfo("slots_beyond", "Listed slots that the hand does not have.", "slots", 0, False, "0"),
    share_info(
        "card_ruled_out",
        "Share of cards whose real colour or rank the list excludes.",
        0,
        "1 - (16/31)²",
    ),
)
