"""Marks of the lists that a player keeps of all cards: against what the hints leave of each, as the engine has it.

A list says of a card which of five colours and five ranks it keeps and which it rules out. All counts below are over
these ten values of every card in a hand. A card that is not listed, or whose words cannot be read, counts as one of
which nothing is ruled out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from pydantic import BaseModel

from orchestrator.hanabi.cards import ANY, COLOURS, INDEX, OF_COLOUR, OF_RANK, RANKS, Mask
from orchestrator.hanabi.literal_knowledge import Hands
from roles.hanabi.card_lists import Lists, Slot, by_hints, stated_lists
from roles.hanabi.sections.table import State
from roles.hanabi.truth import Truth
from roles.marks import MarkInfo, Marks
from roles.sections import Sections

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
    """Of two lists of values, how many each has and how many both have."""

    both: int
    said: int
    there: int

    @property
    def precision(self) -> float | None:
        """Of what is said, the share that is there; None where nothing is said."""
        return self.both / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """Of what is there, the share that is said; None where nothing is there."""
        return self.both / self.there if self.there else None

    @property
    def overlap(self) -> float:
        """Twice what both have, by what the two have together: 1 where they are equal, 0 where they share nothing."""
        return 2 * self.both / (self.said + self.there) if self.said + self.there else 1.0


Pair = tuple[Mask, Mask]
"""What a list leaves of a card, and what the hints leave."""


def cards(known: Hands) -> dict[Slot, Mask]:
    """What the hints leave of every card in a hand."""
    return {(seat, slot): left for seat, hand in enumerate(known) for slot, left in enumerate(hand)}


def pairs(said: Lists, known: Hands) -> list[Pair]:
    """For every card in a hand: a card that is not listed is taken as open."""
    return [(said.get(slot) or ANY, left) for slot, left in cards(known).items()]


def agreement(found: Iterable[Pair], values: Iterable[Mask], *, excluded: bool) -> Agreement:
    """Of the values that lists rule out, or keep."""
    flags = [
        ((said & of == 0) == excluded, (there & of == 0) == excluded)
        for (said, there), of in product(found, list(values))
    ]
    return Agreement(
        both=sum(said and there for said, there in flags),
        said=sum(said for said, _ in flags),
        there=sum(there for _, there in flags),
    )


def ruled_out(found: Iterable[Pair]) -> Agreement:
    """Of the colours and ranks that are ruled out, both together."""
    return agreement(found, (of for values in VALUES.values() for of in values), excluded=True)


def exact(said: Lists, known: Hands) -> float:
    """The share of cards whose list is there, can be read, and is what the hints leave."""
    there = cards(known)
    return sum(said.get(slot) == left for slot, left in there.items()) / len(there)


def score(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """The marks of a reply's lists; None for a reply that has none, or where what hints leave is not known."""
    state = sections.get(State)
    said = stated_lists(reply, state.seat if state else -1)
    if said is None or truth.view is None:
        return None
    return _compared(said, by_hints(truth.view)) | _against_cards(said, truth, state)


def _compared(said: Lists, known: Hands) -> dict[str, float]:
    found, there = pairs(said, known), cards(known)
    read = [slot for slot in there if said.get(slot) is not None]
    return {
        **dict(_shares(found)),
        "cards_exact": exact(said, known),
        "cards_listed": len(read) / len(there),
        "lists_unread": sum(said[slot] is None for slot in there if slot in said),
        "slots_beyond": sum(slot not in there for slot in said),
    }


def _shares(found: list[Pair]) -> Iterator[tuple[str, float]]:
    for kind, values in VALUES.items():
        for excluded in (False, True):
            made = agreement(found, values, excluded=excluded)
            of = f"{kind}_{'excluded' if excluded else 'kept'}"
            named = {f"{of}_precision": made.precision, f"{of}_recall": made.recall}
            yield from ((name, share) for name, share in named.items() if share is not None)


def _against_cards(said: Lists, truth: Truth, state: State | None) -> dict[str, float]:
    """Against the cards themselves, as far as the marks' reader knows them."""
    if state is None:
        return {}
    hands = {**state.hands, state.seat: truth.own}
    held = [(said.get((seat, slot)), card) for seat, hand in hands.items() for slot, card in enumerate(hand)]
    wrong = [not (left or ANY) >> INDEX[card] & 1 for left, card in held]
    return {"card_ruled_out": sum(wrong) / len(wrong)}


# Baselines


def guess(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """What lists give on average that are drawn at random, each card's from all lists that there are.

    Of the values that it keeps, or rules out, the share that is right is that among all values, whatever their number.
    """
    if truth.view is None:
        return None
    found = pairs({}, by_hints(truth.view))
    shares: dict[str, float] = {}
    for kind, values in VALUES.items():
        for excluded in (False, True):
            there = agreement(found, values, excluded=excluded).there / (len(found) * len(values))
            of, recall = ("excluded", 1 - KEEPS) if excluded else ("kept", KEEPS)
            shares |= {f"{kind}_{of}_precision": there} | ({f"{kind}_{of}_recall": recall} if there else {})
    return {
        **shares,
        "cards_exact": 1 / POSSIBLE,
        "cards_listed": 1.0,
        "lists_unread": 0.0,
        "slots_beyond": 0.0,
        "card_ruled_out": 1 - KEEPS**2,
    }


NOTHING_EXCLUDED = "nothing_excluded"


def open_lists(known: Hands) -> Lists:
    """Lists that rule nothing out."""
    return dict.fromkeys(cards(known), ANY)


def nothing_excluded(reply: BaseModel, sections: Sections, truth: Truth) -> Marks | None:
    """What lists give that rule nothing out."""
    if truth.view is None:
        return None
    known = by_hints(truth.view)
    said = open_lists(known)
    return _compared(said, known) | _against_cards(said, truth, sections.get(State))


# What they are


def _info(kind: str, excluded: bool) -> Iterator[MarkInfo]:
    done, of = ("rules out", "excluded") if excluded else ("keeps", "kept")
    hints = "rule out" if excluded else "leave"
    yield MarkInfo(
        f"{kind}_{of}_precision", f"of the {kind} that the list {done}, how many the hints {hints}", "share", 1
    )
    yield MarkInfo(f"{kind}_{of}_recall", f"of the {kind} that the hints {hints}, how many the list {done}", "share", 1)


INFOS = (
    *(info for kind in VALUES for excluded in (False, True) for info in _info(kind, excluded)),
    MarkInfo("cards_exact", "cards whose list is exactly what the hints leave", "share", 1),
    MarkInfo("cards_listed", "cards of which the list says something that can be read", "share", 1),
    MarkInfo("lists_unread", "cards whose words in the list cannot be read", "cards", 0, higher=False),
    MarkInfo("slots_beyond", "listed slots that the hand does not have", "slots", 0, higher=False),
    MarkInfo("card_ruled_out", "cards whose own colour or rank the list rules out", "share", 0, higher=False),
)
