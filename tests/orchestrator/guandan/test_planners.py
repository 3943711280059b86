"""Exact counts of what others may hold, and what the planners do with them."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from hanabi_orchestrator.orchestrator.guandan.cards import Card, deal
from hanabi_orchestrator.orchestrator.guandan.counting import Counted, chance_of
from hanabi_orchestrator.orchestrator.guandan.planners import order_0, order_1, order_2, surprise
from hanabi_orchestrator.orchestrator.guandan.plays import Combination, parse
from hanabi_orchestrator.orchestrator.guandan.referee import Referee
from hanabi_orchestrator.orchestrator.guandan.view import View
from tests.orchestrator.guandan.test_referee import short

CHANCE = Random(1)


def near_end(hand: str, counts: tuple[int, int, int], unseen: str) -> View:
    """What seat 0 sees when it leads, with so many cards in the other hands, which are all that is unseen."""
    codes = unseen.split()
    hands = [" ".join(codes[sum(counts[:seat]) : sum(counts[: seat + 1])]) for seat in range(3)]
    view = short([hand, *hands]).view()
    view.__dict__["unseen"] = Counter(map(Card, codes))
    return view


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_a_chance_is_the_share_of_all_hands(needed: int) -> None:
    cards = "xxx" + "." * 5
    hands = list(combinations(cards, 4))
    share = sum(hand.count("x") >= needed for hand in hands) / len(hands)
    assert chance_of(3, 8, 4, needed) == pytest.approx(share)


def test_what_nobody_can_beat_and_what_everybody_beats() -> None:
    view = near_end("SA", (1, 2, 2), "S3 D3 C4 S5 D6")
    counted = Counted.by_seat(view)
    for seat in (1, 2, 3):
        assert counted.beats(seat, single("single A: SA")) == 0.0
        assert counted.beats(seat, single("single 2: S2")) == 0.0  # the level, above the ace
    view = near_end("S3", (1, 1, 1), "S9 D9 C9")
    assert Counted.by_seat(view).beats(1, single("single 3: S3")) == 1.0


def single(text: str) -> Combination:
    play = parse(text)
    assert isinstance(play, Combination)
    return play


def test_chances_are_those_of_the_hands_that_may_be() -> None:
    view = near_end("SQ DQ", (1, 2, 1), "SK S3 D3 C4")
    counted = Counted.by_seat(view)
    assert counted.beats(1, single("single Q: SQ")) == pytest.approx(1 / 4)
    assert counted.beats(2, single("single Q: SQ")) == pytest.approx(1 / 2)
    assert counted.beats(2, single("pair 2: S2 D2")) == 0.0
    assert counted.group(2, 3, 2) == pytest.approx(1 / 6)


def test_bombs_count_only_where_there_are_cards_for_them() -> None:
    view = near_end("SQ", (5, 1, 1), "S3 D3 C3 H3 C4 S5 D6")
    counted = Counted.by_seat(view)
    assert counted.bombs(1, single("single Q: SQ")) == pytest.approx(3 / 21)
    assert counted.bombs(1, single("bomb 4 x 4: S4 D4 C4 H4")) == 0.0
    assert counted.bombs(2, single("single Q: SQ")) == 0.0
    assert counted.bombs(1, single("four jokers: BJ BJ RJ RJ")) == 0.0


def test_everybody_counts_the_own_hand_as_unseen() -> None:
    view = Referee(4, deal(3)).view()
    assert Counted.by_seat(view).total == 81 and Counted.by_everybody(view).total == 108


def test_order_1_leads_no_single_card_to_an_opponent_with_one() -> None:
    view = near_end("S4 S9 D9 SJ DJ", (1, 5, 4), "SK S3 D3 C4 C5 D6 D7 SQ CQ C8")
    assert order_0(view, CHANCE) in view.legal
    move = order_1(view, CHANCE)
    assert isinstance(move, Combination) and len(move.cards) > 1


@pytest.mark.parametrize("planner", [order_0, order_1, order_2])
def test_every_order_goes_out_when_it_can(planner) -> None:  # type: ignore[no-untyped-def]
    view = near_end("S9 D9", (1, 5, 4), "SK S3 D3 C4 C5 D6 D7 SQ CQ C8")
    assert str(planner(view, CHANCE)) == "pair 9: S9 D9"


def test_a_bomb_surprises_the_more_the_less_others_can_expect_one() -> None:
    cards = "SK S3 D3 C4 C5 D6 D7 SQ CQ C8 S10 D10 SJ DJ C9 HK HA CA D8 S6 C7"
    bomb = parse("bomb 4 x 9: S9 D9 H9 H9")
    far = near_end("S9 D9 H9 H9 S4", (7, 7, 7), cards)
    near = near_end("S9 D9 H9 H9 S4", (2, 12, 7), cards)
    assert 0.5 < surprise(far, Counted.by_everybody(far), bomb) < 1
    assert surprise(near, Counted.by_everybody(near), bomb) == 0.0
    assert surprise(far, Counted.by_everybody(far), parse("single 4: S4")) == 0.0
