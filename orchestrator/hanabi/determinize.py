"""Determinization: one possible game behind a View, with the public past as it was and the hidden cards filled in.

The own hand becomes some hand that every hint allows, and the deck some order of the other unseen cards. What HLE shows
the seat is then the same as in the real game, although nothing hidden was used to build it.
"""

from collections.abc import Sequence

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    CARDS,
    DECK_SIZE,
    HAND_SIZES,
    INDEX,
    Card,
    Mask,
    count,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import shifted
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View


def determinized_game(view: View, turn: int | None = None) -> Referee:
    """Return a game that the seat cannot tell from the real one, before `turn` (default: the turn of the view)."""
    done = len(view.history) if turn is None else turn - 1
    return rebuild(
        view.players, determinized_deck(view), [past.move for past in view.history[:done]]
    )


def determinized_deck(view: View, *views: View) -> tuple[Card, ...]:
    """Return a deck under which everything that the seat saw would have happened; the card dealt first comes first.

    `views`: what other seats of the same game saw, at the same turn or before; their cards are where they saw them.
    """
    cards, places = _cards_by_place(view)
    for other in views:
        cards = [card or seen for card, seen in zip(cards, _cards_by_place(other)[0], strict=True)]
    hand = zip(
        places, view.own, strict=False
    )  # in a game that is over, its last card may not have been dealt
    hidden = [(place, card.mask) for place, card in hand if cards[place] is None]
    copies_left = [
        card.copies - seen for card, seen in zip(CARDS, count(c for c in cards if c), strict=True)
    ]
    for (place, _), card in zip(
        hidden, fitting_hand([mask for _, mask in hidden], copies_left), strict=True
    ):
        cards[place] = card
        copies_left[INDEX[card]] -= 1
    rest = (card for card, copies in zip(CARDS, copies_left, strict=True) for _ in range(copies))
    return tuple(card or next(rest) for card in cards)


def fits(deck: Sequence[Card], view: View) -> bool:
    """Return whether a deck has every card where the seat saw it."""
    return all(
        seen in (None, card) for seen, card in zip(_cards_by_place(view)[0], deck, strict=True)
    )


def _cards_by_place(view: View) -> tuple[list[Card | None], tuple[int, ...]]:
    """Return the cards by their places in the deck, those never seen None; and the places of the own hand."""
    size = HAND_SIZES[view.players]
    cards: list[Card | None] = [card for hand in view.dealt for card in (hand or (None,) * size)]
    places = tuple(range(view.seat * size, (view.seat + 1) * size))
    dealt = len(cards)
    cards += [None] * (DECK_SIZE - dealt)
    for past in view.history:
        if past.move.kind not in ("play", "discard"):
            continue
        if past.seat == view.seat:
            cards[places[past.move.slot]] = past.card
            places = shifted(places, past.move.slot, [dealt] if dealt < DECK_SIZE else [])
        elif dealt < DECK_SIZE:
            cards[dealt] = past.drew
        dealt += dealt < DECK_SIZE
    return cards, places


def fitting_hand(masks: Sequence[Mask], copies_left: Sequence[int]) -> list[Card]:
    """Return a hand whose every card is of the types that its slot may be.

    `copies_left`: copies of each type that can be used, by index in CARDS. Raises ValueError when no hand fits.
    """
    slots = sorted(
        range(len(masks)), key=lambda slot: masks[slot].bit_count()
    )  # the narrowest first: no long search
    cards = _filled([masks[slot] for slot in slots], list(copies_left))
    if cards is None:
        raise ValueError("no hand fits these hints and visible cards")
    return [card for _, card in sorted(zip(slots, cards, strict=True))]


def _filled(masks: Sequence[Mask], copies_left: list[int]) -> list[Card] | None:
    if not masks:
        return []
    for index, card in enumerate(CARDS):
        if copies_left[index] and masks[0] >> index & 1:
            copies_left[index] -= 1
            rest = _filled(masks[1:], copies_left)
            copies_left[index] += 1
            if rest is not None:
                return [card, *rest]
    return None
