"""The rules of a deal: turns, tricks, wind, ends and points; and what a seat may know."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.guandan.cards import (
    CARDS,
    COPIES,
    Card,
    deal,
    hands_of,
    level_of,
)
from hanabi_orchestrator.orchestrator.guandan.plays import PASS, Combination, Move, parse
from hanabi_orchestrator.orchestrator.guandan.referee import Referee, rebuild
from hanabi_orchestrator.orchestrator.guandan.view import View
from tests.support.prove import FULL

DEALS = 1000 if FULL else 20
MOST_TURNS = 600
BOTH_DECKS = sorted(card for card in CARDS for _ in range(COPIES))


def short(hands: Sequence[str], level: str = "2") -> Referee:
    """The end of a deal, with these cards left in the hands, and seat 0 to lead."""
    referee = Referee(4, deal(1, 2 if level == "2" else int(level)))
    referee._hands = [tuple(map(Card, hand.split())) for hand in hands]
    return referee


def play(referee: Referee, *texts: str) -> Referee:
    for text in texts:
        referee.apply(parse(text))
    return referee


def drawn_move(view: View, chance: random.Random) -> Move:
    return chance.choice(view.legal)


def test_every_deal_ends_and_no_card_is_lost() -> None:
    lengths = []
    ends = Counter[str]()
    for seed in range(1, DEALS + 1):
        chance = random.Random(seed)
        referee = Referee(4, deal(seed))
        gone: list[Card] = []
        while not referee.over:
            view = referee.view()
            move = drawn_move(view, chance)
            past = referee.apply(move)
            gone += past.move.cards if isinstance(past.move, Combination) else ()
            assert sorted(chain(gone, *referee._hands)) == BOTH_DECKS
        lengths.append(referee.turn)
        ends[str(referee.end)] += 1
        assert referee.legal() == () and sum(referee.points) == 0
        assert (
            referee.points[referee.placing[0] % 2]
            == {"first_second": 4, "first_third": 2, "first_last": 1}[str(referee.end)]
        )
    assert max(lengths) < MOST_TURNS and len(ends) == 3


def redealt(referee: Referee, seat: int, chance: random.Random) -> Referee:
    """The same past with the cards that `seat` has not seen dealt anew among the others."""
    played: dict[int, list[Card]] = {number: [] for number in range(4)}
    for past in referee.history:
        if isinstance(past.move, Combination):
            played[past.seat] += past.move.cards
    unseen = list(referee.view(seat).unseen.elements())
    chance.shuffle(unseen)
    hands = []
    for number, left in enumerate(referee.cards_left):
        if number == seat:
            hands += list(hands_of(referee.deck)[seat])
            continue
        hands += [*played[number], *unseen[:left]]
        del unseen[:left]
    assert not unseen
    return rebuild(4, (referee.deck[0], *hands), [past.move for past in referee.history])


def test_no_view_or_error_depends_on_hidden_cards() -> None:
    chance = random.Random(7)
    compared = 0
    for seed in range(1, 101 if FULL else 3):
        referee = Referee(4, deal(seed))
        while not referee.over:
            if chance.random() < 0.1 or referee.turn == 1:
                for seat in range(4):
                    twin = redealt(referee, seat, chance)
                    assert twin.deck != referee.deck
                    assert twin.view(seat).model_dump_json() == referee.view(seat).model_dump_json()
                    compared += 1
                twin = redealt(referee, referee.seat, chance)
                assert refusal(twin) == refusal(referee)
            referee.apply(drawn_move(referee.view(), chance))
    assert compared > 50


def refusal(referee: Referee) -> str:
    """The error of a move that the acting seat has no cards for."""
    with pytest.raises(IllegalMove) as error:
        referee.apply(parse("four jokers: BJ BJ RJ RJ"))
    return str(error.value)


def test_a_view_holds_all_hands_only_of_a_seat_that_cheats() -> None:
    referee = Referee(4, deal(5))
    assert referee.view().hands == ()
    assert referee.view(2, all_hands=True).hands == tuple(
        referee.view(seat).hand for seat in range(4)
    )
    assert referee.view(2).legal == () and referee.view(0).legal == referee.legal()


def test_a_view_says_who_plays_with_whom_and_what_is_unseen() -> None:
    referee = play(Referee(4, deal(5, 9)), str(Referee(4, deal(5, 9)).legal()[0]))
    view = referee.view()
    assert (view.seat, view.partner, view.opponents) == (1, 3, (2, 0))
    assert (view.level, view.cards_left, view.owner, str(view.trick)) == (
        9,
        (26, 27, 27, 27),
        0,
        str(view.history[0].move),
    )
    assert view.unseen + Counter(view.hand) + Counter(referee.history[0].move.cards) == Counter(  # type: ignore[union-attr]
        dict.fromkeys(CARDS, COPIES)
    )
    assert View.model_validate_json(view.model_dump_json()) == view


def test_who_played_last_leads_when_all_others_pass() -> None:
    referee = short(["S3 S4", "S5 S6", "S7 S8", "S9 S10"])
    assert referee.seat == 0 and PASS not in referee.legal()
    play(referee, "single 3: S3", "single 6: S6", "pass", "pass", "pass")
    assert (referee.seat, referee.view().trick, referee.view().owner) == (1, None, None)
    assert [past.trick for past in referee.history] == [1] * 5 and referee.apply(
        referee.legal()[0]
    ).trick == 2


def test_who_passed_may_play_later_in_the_trick() -> None:
    referee = short(["S3 S4", "S5 SK", "S7 S8", "S9 S10"])
    play(referee, "single 3: S3", "pass", "single 7: S7", "pass", "pass", "single K: SK")
    assert referee.cards_left == (1, 1, 1, 2)


def test_the_partner_of_who_is_out_leads_when_nobody_beats_the_last_cards() -> None:
    referee = short(["SA", "S5 S6", "S7 S8", "S9 S10"])
    play(referee, "single A: SA", "pass", "pass")
    assert referee.seat == 3 and referee.view().owner == 0
    play(referee, "pass")
    assert (referee.seat, referee.placing, referee.view().trick) == (2, (0,), None)


def test_who_beats_the_last_cards_of_a_player_leads_themselves() -> None:
    referee = short(["SK", "SA S6", "S7 S8", "S9 S10"])
    play(referee, "single K: SK", "single A: SA", "pass", "pass")
    assert (referee.seat, referee.placing, referee.view().trick) == (1, (0,), None)


@pytest.mark.parametrize(
    ("hands", "texts", "placing", "end", "points"),
    [
        (
            ["SA", "S5 S6", "S7", "S9 S10"],
            ["single A: SA", "pass", "pass", "pass", "single 7: S7"],
            (0, 2),
            "first_second",
            4,
        ),
        (
            ["SA", "S5", "S7 S8", "S9 SJ"],
            [
                "single A: SA",
                "pass",
                "pass",
                "pass",
                "single 7: S7",
                "single 9: S9",
                "pass",
                "pass",
                "single J: SJ",
            ],
            (0, 3),
            None,
            0,
        ),
        (
            ["S3", "S5", "S7", "S9 SJ"],
            ["single 3: S3", "single 5: S5", "single 7: S7"],
            (0, 1, 2),
            "first_third",
            2,
        ),
        (
            ["S3", "S5", "S7 S8", "S9"],
            ["single 3: S3", "single 5: S5", "pass", "single 9: S9"],
            (0, 1, 3),
            "first_last",
            1,
        ),
    ],
)
def test_a_deal_ends_when_a_team_or_three_players_are_out(
    hands: list[str], texts: list[str], placing: tuple[int, ...], end: str | None, points: int
) -> None:
    referee = play(short(hands), *texts)
    assert (referee.placing, referee.end, referee.points) == (placing, end, (points, -points))
    assert referee.over == (end is not None)
    if referee.over:
        with pytest.raises(IllegalMove, match="the deal is over"):
            referee.apply(PASS)
        with pytest.raises(IllegalMove, match="it is nobody's turn"):
            _ = referee.seat


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pass", "who leads must play"),
        ("pair 3: S3 D3", "the hand lacks D3"),
        ("single 4: H9", "wild cards alone are of rank 9"),
    ],
)
def test_an_illegal_move_is_refused_in_words_and_changes_nothing(text: str, reason: str) -> None:
    referee = short(["S3 S4 H9", "S5", "S7", "S8"], "9")
    before = referee.view().model_dump_json()
    with pytest.raises(IllegalMove, match=f"{text} is not legal on turn 1: {reason}"):
        referee.apply(parse(text))
    assert referee.view().model_dump_json() == before


def test_a_lower_combination_does_not_beat_the_trick() -> None:
    referee = play(short(["S9 S3", "S5 S6", "S7", "S8"]), "single 9: S9")
    with pytest.raises(
        IllegalMove, match="single 5: S5 is not legal on turn 2: it does not beat single 9: S9"
    ):
        referee.apply(parse("single 5: S5"))


def test_the_rules_allow_cards_and_wild_cards_that_the_list_leaves_out() -> None:
    referee = short(["S7 D7 C7 H9 H9", "S5", "S3", "S8"], "9")
    text = "trips 7: C7 H9 H9"
    assert text not in map(str, referee.legal())
    assert play(referee, text).view(0).hand == (Card.S7, Card.D7)


def test_a_deal_is_its_level_and_two_decks() -> None:
    assert level_of(deal(1)) == 2 and [level_of(deal(seed)) for seed in (13, 14)] == [14, 2]
    assert level_of(deal(1, 11)) == 11 and deal(1, 11)[1:] == deal(1)[1:] != deal(2)[1:]
    deck = deal(4)
    for wrong, sentence in [
        (deck[1:], "a deal begins with its level, e.g. 'level 7' or 'level A'"),
        (("level red joker", *deck[1:]), "a deal begins with its level"),
        (deck[:-1], "a deal has 108 cards after its level, this one has 107"),
        ((*deck[:-1], "S1"), "'S1' is not a card"),
        ((deck[0], *["S2"] * 108), "a deal has 2 x S2, this one has 108"),
    ]:
        with pytest.raises(UserError, match=sentence):
            Referee(4, wrong)
    with pytest.raises(UserError, match="Guandan is for 4 players, not 3"):
        Referee(3, deck)
    with pytest.raises(UserError, match="a level is a whole number from 2 to 14, the ace, not 15"):
        deal(1, 15)
    with pytest.raises(UserError, match="a seed is a whole number from 0 to 2147483647, not -1"):
        deal(-1)
    with pytest.raises(UserError, match="there is no seat 4; the seats are 0 to 3"):
        Referee(4, deck).view(4)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_a_deal_is_rebuilt_from_its_deck_and_moves(seed: int, turns: int) -> None:
    chance = random.Random(seed)
    referee = Referee(4, deal(seed))
    for _ in range(turns):
        referee.apply(drawn_move(referee.view(), chance))
    texts = [str(past.move) for past in referee.history]
    twin = rebuild(4, referee.deck, [parse(text) for text in texts])
    assert twin.view() == referee.view() and twin.history == referee.history
