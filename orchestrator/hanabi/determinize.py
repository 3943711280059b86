"""A game as one seat may know it, played again: the public past is as it was, what the seat cannot see is made up.

The own hand is some hand that every hint allows, the deck some order of the other unseen cards. Whatever HLE tells of
the seat's observation is then the same as in the game itself, for nothing hidden is in it.
"""

from collections.abc import Sequence

from orchestrator.hanabi.cards import CARDS, DECK_SIZE, HAND_SIZES, INDEX, Card, Mask, count
from orchestrator.hanabi.literal_knowledge import shifted
from orchestrator.hanabi.referee import Referee, rebuild
from orchestrator.hanabi.view import View


def game(view: View, turn: int | None = None) -> Referee:
    """The game before `turn` (default: the view's), as it may have been."""
    done = len(view.history) if turn is None else turn - 1
    return rebuild(view.players, deck(view), [past.move for past in view.history[:done]])


def deck(view: View) -> tuple[Card, ...]:
    """A deck with which everything that the seat saw would have happened, first dealt first."""
    cards, own = _known(view)
    left = [card.copies - seen for card, seen in zip(CARDS, count(c for c in cards if c), strict=True)]
    for place, card in zip(own, hand([known.mask for known in view.own], left), strict=True):
        cards[place] = card
        left[INDEX[card]] -= 1
    rest = (card for card, copies in zip(CARDS, left, strict=True) for _ in range(copies))
    return tuple(card or next(rest) for card in cards)


def _known(view: View) -> tuple[list[Card | None], tuple[int, ...]]:
    """The cards by their places in the deck, those never seen None; and the places of the own hand."""
    size = HAND_SIZES[view.players]
    cards: list[Card | None] = [card for hand in view.dealt for card in (hand or (None,) * size)]
    own = tuple(range(view.seat * size, (view.seat + 1) * size))
    dealt = len(cards)
    cards += [None] * (DECK_SIZE - dealt)
    for past in view.history:
        if past.move.kind not in ("play", "discard"):
            continue
        if past.seat == view.seat:
            cards[own[past.move.slot]] = past.card
            own = shifted(own, past.move.slot, [dealt] if dealt < DECK_SIZE else [])
        elif dealt < DECK_SIZE:
            cards[dealt] = past.drew
        dealt += dealt < DECK_SIZE
    return cards, own


def hand(masks: Sequence[Mask], left: Sequence[int]) -> list[Card]:
    """A hand of cards that are left, each of the types that its slot can be.

    Raises ValueError when there is none: the masks contradict the cards.
    """
    slots = sorted(range(len(masks)), key=lambda slot: masks[slot].bit_count())  # the narrowest first: no long search
    found = _filled([masks[slot] for slot in slots], list(left))
    if found is None:
        raise ValueError("no hand fits these hints and visible cards")
    return [card for _, card in sorted(zip(slots, found, strict=True))]


def _filled(masks: Sequence[Mask], left: list[int]) -> list[Card] | None:
    if not masks:
        return []
    for index, card in enumerate(CARDS):
        if left[index] and masks[0] >> index & 1:
            left[index] -= 1
            rest = _filled(masks[1:], left)
            left[index] += 1
            if rest is not None:
                return [card, *rest]
    return None
