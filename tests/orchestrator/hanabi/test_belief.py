"""The exact posterior against brute force: every ordered draw of the unseen copies."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, CARDS, INDEX, OF_COLOUR, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.view import View
from tests.support.positions import random_views
from tests.support.prove import FULL


def brute(masks: list[int], unseen: list[int]) -> list[list[int]]:
    """Count each type at each slot over all ordered draws of distinct copies."""
    copies = [k for k, number in enumerate(unseen) for _ in range(number)]
    table = [[0] * len(CARDS) for _ in masks]
    for draw in permutations(range(len(copies)), len(masks)):
        types = [copies[place] for place in draw]
        if all(mask >> k & 1 for mask, k in zip(masks, types, strict=True)):
            for slot, k in enumerate(types):
                table[slot][k] += 1
    return table


@st.composite
def few(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Up to four slots and at most eight unseen copies of a few types."""
    unseen = [0] * len(CARDS)
    for k in draw(st.lists(st.integers(0, 24), min_size=1, max_size=8)):
        unseen[k] = min(unseen[k] + 1, 3)
    masks = draw(st.lists(st.integers(0, ANY), min_size=1, max_size=min(4, sum(unseen))))
    return masks, unseen


@settings(max_examples=2000 if FULL else 150, deadline=None)
@given(few())
def test_weights_are_what_brute_force_counts(case: tuple[list[int], list[int]]) -> None:
    masks, unseen = case
    assert [list(row) for row in belief.weights(tuple(masks), tuple(unseen))] == brute(
        masks, unseen
    )


def late(players: int) -> list[View]:
    return [
        view for seed in range(4) for view in random_views(players, seed) if view.deck_size <= 1
    ]


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_in_real_endgames_both_beliefs_are_what_brute_force_counts(players: int) -> None:
    met = 0
    for view in late(players):
        own = list(belief.unseen(view.piles, *(hand.cards for hand in view.hands)))
        if sum(own) <= 7:
            expected = brute([known.mask for known in view.own], own)
            assert [list(slot.weights) for slot in belief.own_hand(view)] == expected
            met += 1
    assert met


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_true_cards_are_never_excluded(players: int) -> None:
    for view in random_views(players, 6):
        for hand in view.hands:
            for slot, card in zip(belief.partner(view, hand.seat), hand.cards, strict=True):
                assert slot.possible >> INDEX[card] & 1


def test_a_partner_counts_only_what_both_see() -> None:
    """With two players they may hold anything that the piles leave; with three, not what the third player holds."""
    view = random_views(3, 2)[0]
    seen = belief.seen_by_both(view, view.hands[0].seat)
    assert [hand.seat for hand in seen] == [view.hands[1].seat]
    ones = [card for card in view.hands[1].cards if card.rank == 5]
    for slot in belief.partner(view, view.hands[0].seat):
        assert not any(slot.possible >> INDEX[card] & 1 for card in ones)


def test_jointly_known_cards_are_found() -> None:
    """Two slots known red whose only unseen reds are R1 and R2 hold both, so a third slot can be neither."""
    unseen = [0] * len(CARDS)
    unseen[INDEX[Card.R1]] = unseen[INDEX[Card.R2]] = unseen[INDEX[Card.B5]] = 1
    red = OF_COLOUR["R"]
    piles = Piles((0, 0, 0, 0, 4), ())
    slots = [belief.Slot(row, piles) for row in belief.weights((red, red, ANY), tuple(unseen))]
    assert slots[2].cards() == (Card.B5,) and slots[2].playable == 1.0
    assert slots[0].playable == 0.5


def test_a_contradiction_is_an_error() -> None:
    with pytest.raises(ValueError, match="no hand fits"):
        belief.believe([0], Piles((0, 0, 0, 0, 0), ()))
