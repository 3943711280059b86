from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    CARDS,
    COPIES,
    INDEX,
    Card,
    Fireworks,
    Piles,
    check_deck,
    mask,
    unmask,
)
from hanabi_orchestrator.orchestrator.hanabi.referee import deal

WHOLE = [card for card in CARDS for _ in range(card.copies)]


@st.composite
def piles(draw: st.DrawFn) -> Piles:
    """Fireworks, and discards that the copies left allow."""
    tops: Fireworks = draw(st.tuples(*[st.integers(0, 5)] * 5))
    left = Counter(WHOLE)
    left.subtract(card for card in CARDS if card.rank <= tops["RYGWB".index(card.colour)])
    shuffled = draw(st.permutations(sorted(left.elements())))
    return Piles(tops, tuple(shuffled[: draw(st.integers(0, len(shuffled)))]))


@given(piles())
def test_playable_dead_and_critical_are_what_the_rules_say(table: Piles) -> None:
    gone = Counter(table.discards)
    for card in CARDS:
        top = table.fireworks["RYGWB".index(card.colour)]
        lower = [Card(f"{card.colour}{rank}") for rank in range(top + 1, card.rank)]
        blocked = any(gone[below] == below.copies for below in lower) or gone[card] == card.copies
        dead = card.rank <= top or blocked
        bit = 1 << INDEX[card]
        assert bool(table.playable & bit) == (card.rank == top + 1)
        assert bool(table.dead & bit) == dead
        assert bool(table.critical & bit) == (not dead and gone[card] == card.copies - 1)


@given(st.sets(st.sampled_from(CARDS)))
def test_a_mask_is_a_set(cards: set[Card]) -> None:
    assert set(unmask(mask(cards))) == cards


def test_a_deal_is_a_deck() -> None:
    assert Counter(deal(1)) == {card: COPIES[card.rank] for card in CARDS}
    assert check_deck(deal(1)) == deal(1)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (WHOLE[:49], "a deck has 50 cards, this one has 49"),
        ([*WHOLE[:49], "R6"], "'R6' is not a card; a card is a colour of RYGWB and a rank 1-5"),
        ([*WHOLE[:49], "R1"], "a deck has 3 x R1, this one has 4"),
        ([], "a deck has 50 cards, this one has 0"),
    ],
)
def test_a_wrong_deck_is_named(deck: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_deck(deck)
