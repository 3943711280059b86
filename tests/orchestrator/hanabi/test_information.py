"""The code: what is encoded is decoded again, whoever gives the number and whoever reads it."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES, INDEX, Piles
from hanabi_orchestrator.orchestrator.hanabi.information.code import Pool, decode, encode
from hanabi_orchestrator.orchestrator.hanabi.information.policy import Sum
from hanabi_orchestrator.orchestrator.hanabi.information.table import (
    copies_left,
    dealt_to,
    start,
    table_of,
)
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from tests.support.positions import dealt, partners_game, random_game
from tests.support.prove import FULL

TYPES = st.integers(0, 24)


@settings(deadline=None)
@given(
    slots=st.lists(st.tuples(TYPES, st.integers(0, 2**25 - 1)), min_size=1, max_size=5),
    tops=st.tuples(*[st.integers(0, 5)] * 5),
    size=st.integers(2, 16),
)
def test_a_hand_narrows_to_what_its_number_says_and_never_loses_its_cards(
    slots: list[tuple[int, int]], tops: tuple[int, int, int, int, int], size: int
) -> None:
    cards = tuple(1 << card for card, _ in slots)
    hand = tuple(types | 1 << card for card, types in slots)
    piles = Piles(tops, ())
    pool = Pool.from_counts(copies_left(piles))
    number, after = encode(hand, pool, piles, size, cards)
    assert 0 <= number < size and decode(hand, pool, piles, size, number) == after
    assert all(
        card & then and not then & ~types
        for card, types, then in zip(cards, hand, after, strict=True)
    )


@pytest.mark.parametrize("players", (2, 3, 4, 5))
@settings(deadline=None, max_examples=100 if FULL else 20)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 16))
def test_every_reader_is_left_with_the_number_of_the_own_hand(
    players: int, seed: int, size: int
) -> None:
    deck = deal(seed)
    count = HAND_SIZES[players]
    hands = [deck[seat * count : (seat + 1) * count] for seat in range(players)]
    tables = [
        start(me, [() if seat == me else hand for seat, hand in enumerate(hands)])
        for me in range(players)
    ]
    giver = seed % players
    of = Sum.of(tables[giver], size)
    for seat, table in enumerate(tables):
        read, after = table.reading(1, giver, size, of.number)
        (reading,) = read.readings
        assert reading.rest == (None if seat == giver else of.shares[seat])
        pairs = zip(
            (card for hand in hands for card in hand),
            (t for hand in after for t in hand),
            strict=True,
        )
        assert all(types >> INDEX[card] & 1 for card, types in pairs)
        assert after == tables[giver].reading(1, giver, size, of.number)[1]


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_first_hands_follow_from_the_last_ones_and_the_past(players: int) -> None:
    for referee in random_game(players, 3):
        view = referee.view()
        assert (
            dealt_to(players, {hand.seat: hand.cards for hand in view.hands}, view.history)
            == view.dealt
        )


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_hat_players_notice_no_breach_among_themselves(players: int) -> None:
    *_, last = partners_game(("hat",) * players, 8)
    assert not any(table(last, seat).breach for seat in range(players))


def table(referee: Referee, seat: int):  # type: ignore[no-untyped-def]
    view = referee.view(seat)
    return table_of(
        view.players, seat, {hand.seat: hand.cards for hand in view.hands}, view.history
    )


HANDS = ("R1 Y1 G1 W1 B1", "R1 Y1 G1 W1 B1", "R2 Y2 G2 W2 B2")


@pytest.mark.parametrize(
    ("moves", "fault"),
    [
        (["hint P2 rank 2", "discard slot 0"], "passed over"),
        (["hint P1 rank 1", "play slot 0", "hint P1 red"], None),
    ],
)
def test_a_breach_is_what_nobody_does_who_keeps_the_code(
    moves: list[str], fault: str | None
) -> None:
    breach = table(dealt(*HANDS, moves=moves), 0).breach
    assert (breach and breach.fault) == fault


def test_random_moves_are_soon_noticed() -> None:
    faults = set()
    for seed in range(20):
        referee = Referee(3, deal(seed))
        chance = Random(seed)
        while not referee.over:
            referee.apply(chance.choice(referee.legal()))
        breach = table(referee, 0).breach
        assert breach and breach.turn < 20
        faults.add(breach.fault)
    assert len(faults) > 2
