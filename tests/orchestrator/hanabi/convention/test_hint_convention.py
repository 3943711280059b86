"""What a hint points at, what it warns of and what silence says, one position at a time."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    OF_COLOUR,
    OF_RANK,
    Card,
    Mask,
    Piles,
    mask,
    unmask,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    common_knowledge,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    ADAPTING,
    LITERAL,
    STRANGER,
    Convention,
    Focus,
    between,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    HOUSE_STEPS,
    STEPS,
    PolicyStep,
    Scene,
    decide,
    help_first,
)
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from tests.support.positions import dealt

NEWEST = Convention("newest", "newest")
OLDEST = Convention("oldest", "oldest")
ONES = OF_RANK[1]
FIVES = OF_RANK[5]
START = Piles((0, 0, 0, 0, 0), ())


def known_to_all(referee: Referee, *customs: Convention) -> CommonKnowledge:
    """What everybody knows, all keeping to the newest card unless told otherwise."""
    return common_knowledge(customs or (NEWEST,) * referee.players, referee.view(0).history)


def said(now: CommonKnowledge) -> list[tuple[int, str, int, tuple[Card, ...]]]:
    """What moves said: whose, what, of which card, that it is which."""
    return [(claim.seat, claim.why, claim.card, unmask(claim.types)) for claim in now.claims]


PLAIN = "R2 Y3 G4 W2 B3"
PASS = "hint P0 rank 4"
"""To such a hand it points at nothing."""


@pytest.mark.parametrize(("which", "slot"), [("newest", 3), ("oldest", 0)])
def test_a_hint_points_at_the_newest_or_oldest_touched_card_that_may_be_playable(
    which: Focus, slot: int
) -> None:
    referee = dealt(PLAIN, "R1 R3 G2 R1 B5", moves=["hint P1 red"])
    now = known_to_all(referee, *(Convention(which, which),) * 2)
    reds = OF_COLOUR["R"]
    assert now.common[1] == tuple(
        mask([Card.R1]) if i == slot else (reds if i in (0, 1, 3) else ANY & ~reds)
        for i in range(5)
    )
    assert said(now) == [(0, "play hint", 5 + slot, (Card.R1, Card.Y1, Card.G1, Card.W1, Card.B1))]


def test_the_focus_passes_over_touched_cards_that_cannot_be_played() -> None:
    """The second hint touches slots 0 and 3; of slot 3 everybody knows that it is no 1."""
    referee = dealt(PLAIN, "R1 Y1 G2 R2 B5", moves=["hint P1 rank 2", PASS, "hint P1 red"])
    now = known_to_all(referee)
    assert now.common[1][0] == mask([Card.R1]) and now.common[1][3] == mask([Card.R2])


def test_a_hint_that_makes_a_card_known_to_fit_points_at_nothing() -> None:
    referee = dealt(PLAIN, "R1 R3 G2 Y1 B5", moves=["hint P1 rank 1"])
    now = known_to_all(referee)
    assert now.common == now.literal and not now.claims
    assert now.common[1] == tuple(ONES if i in (0, 3) else ANY & ~ONES for i in range(5))


THREE = (PLAIN, "R5 Y3 G4 W2 B3", "G5 Y1 G1 W4 B4")


def test_a_rank_hint_that_touches_the_next_players_next_discard_warns_of_it() -> None:
    now = known_to_all(dealt(*THREE, moves=["hint P1 rank 5"]))
    assert now.common[1][0] == FIVES
    assert [why for _, why, *_ in said(now)] == ["warning"]


def test_the_same_hint_to_the_player_on_the_right_with_all_tokens_there_only_spends_one() -> None:
    now = known_to_all(dealt(*THREE, moves=["hint P2 rank 5"]))
    assert now.common[2] == now.literal[2]
    assert [(why, card) for _, why, card, _ in said(now)] == [
        ("silence", 5)
    ]  # of P1, who was not warned


def test_a_warned_card_is_not_the_next_to_go() -> None:
    now = known_to_all(dealt(*THREE, moves=["hint P1 rank 5"]))
    assert next_discard(known_to_all(dealt(*THREE)).common[1], START) == 0
    assert next_discard(now.common[1], now.piles) == 1


def test_silence_says_that_the_card_about_to_go_is_not_critical() -> None:
    now = known_to_all(dealt(*THREE, moves=["hint P2 rank 1"]))
    assert now.common[1] == (ANY & ~FIVES, ANY, ANY, ANY, ANY)
    assert said(now)[0] == (0, "silence", 5, unmask(ANY & ~FIVES))


def test_without_a_token_silence_says_nothing() -> None:
    eight = ["hint P1 rank 4", "hint P0 rank 4"] * 4
    now = known_to_all(dealt(PLAIN, "R5 Y3 G4 W2 B3", moves=eight))
    spent = known_to_all(dealt(PLAIN, "R5 Y3 G4 W2 B3", moves=[*eight, "discard slot 0"]))
    assert now.tokens == 0 and spent.common[1][0] & FIVES == now.common[1][0] & FIVES != 0
    again = known_to_all(
        dealt(PLAIN, "R5 Y3 G4 W2 B3", moves=[*eight, "discard slot 0", "discard slot 4"])
    )
    assert again.common[0][0] & FIVES == 0


def test_a_set_that_readings_would_empty_falls_back_to_what_hints_say() -> None:
    """A red 3 that a hint wrongly pointed at is then told to be a 3."""
    hands = (PLAIN, "R3 Y3 G2 W4 B5")
    moves = ["hint P1 red", PASS]
    assert known_to_all(dealt(*hands, moves=moves)).common[1][0] == mask([Card.R1])
    assert known_to_all(dealt(*hands, moves=[*moves, "hint P1 rank 3"])).common[1][0] == mask(
        [Card.R3]
    )


def test_a_card_that_is_located_is_nowhere_else() -> None:
    now = known_to_all(
        dealt(PLAIN, "B5 Y3 G4 W2 B3", moves=["hint P1 rank 5", PASS, "hint P1 blue"]),
        STRANGER,
        STRANGER,
    )
    assert now.common[1][0] == mask([Card.B5])
    others = [*now.common[0], *now.common[1][1:]]
    assert not any(types & mask([Card.B5]) for types in others)
    assert any(types & mask([Card.B5]) for types in now.literal[0])


@pytest.mark.parametrize(
    "customs",
    [(STRANGER, NEWEST), (STRANGER, STRANGER), (ADAPTING, STRANGER)],
    ids=["from", "between", "to"],
)
def test_a_strangers_hints_say_what_they_say(customs: tuple[Convention, Convention]) -> None:
    referee = dealt(PLAIN, "R1 R3 G2 R1 B5", moves=["hint P1 red"])
    now = known_to_all(referee, *customs)
    assert now.common == now.literal and not now.claims


def test_who_reads_literally_is_pointed_at_his_card_and_does_not_see_it() -> None:
    now = known_to_all(dealt(PLAIN, "R1 R3 G2 R1 B5", moves=["hint P1 red"]), LITERAL, LITERAL)
    assert now.common == now.literal
    assert [(why, card) for _, why, card, _ in said(now)] == [("play hint", 8)]


@pytest.mark.parametrize(
    ("giver", "reader", "focus"),
    [
        (NEWEST, NEWEST, ("newest", "newest")),
        (NEWEST, OLDEST, ("newest", "oldest")),
        (ADAPTING, OLDEST, ("oldest", "oldest")),
        (OLDEST, ADAPTING, ("oldest", "oldest")),
        (ADAPTING, ADAPTING, ("newest", "newest")),
        (ADAPTING, STRANGER, (None, None)),
        (STRANGER, ADAPTING, (None, None)),
        (LITERAL, ADAPTING, ("newest", "newest")),
        (ADAPTING, LITERAL, (None, None)),
    ],
)
def test_who_adapts_does_as_the_other(
    giver: Convention, reader: Convention, focus: tuple[Focus | None, Focus | None]
) -> None:
    assert between(giver, reader) == focus


@pytest.mark.parametrize(
    ("hand", "slot"),
    [
        ([ANY, ANY, ANY], 0),
        ([FIVES, ANY, ANY], 1),
        ([ANY, mask([Card.R1, Card.R3]), ANY], 1),
        ([ANY, mask([Card.Y1]), ANY], None),
        ([ANY, mask([Card.R1]), ANY], None),
        ([FIVES, FIVES], None),
    ],
    ids=[
        "the oldest",
        "no critical card",
        "the likeliest dead",
        "knows a play",
        "knows a dead card",
        "all critical",
    ],
)
def test_the_next_discard(hand: list[Mask], slot: int | None) -> None:
    assert next_discard(hand, Piles((1, 0, 0, 0, 0), ())) == slot


def scene(referee: Referee) -> Scene:
    view = referee.view()
    hands = {hand.seat: hand.cards for hand in view.hands}
    return Scene(view.seat, known_to_all(referee), hands, view.legal, view.turns_left)


def chosen(referee: Referee, steps: Sequence[PolicyStep] = STEPS) -> str:
    """What a convention player does."""
    return str(decide(scene(referee), steps)[0])


def test_a_player_points_at_a_card_that_fits() -> None:
    assert chosen(dealt(PLAIN, "R1 R3 G2 R1 B5")) == "hint P1 red"


def test_a_player_rather_lets_another_play_than_warn_him_and_warns_where_he_cannot() -> None:
    assert chosen(dealt(PLAIN, "R5 Y3 G1 W2 B3", "R4 Y4 G2 W4 B4")) == "hint P1 green"
    assert chosen(dealt(PLAIN, "R5 Y3 G4 W2 B3", "R4 Y4 G2 W4 B4")) == "hint P1 rank 5"


def test_a_player_plays_what_he_was_pointed_at() -> None:
    assert chosen(dealt(PLAIN, "R1 R3 G2 R1 B5", moves=["hint P1 red"])) == "play slot 3"


def test_of_two_players_house_helps_a_partner_who_knows_no_play_before_it_plays() -> None:
    hands = ("Y1 R4 G4 W4 B4", "R1 R3 G2 R1 B5")
    helped = dealt(*hands, moves=["hint P1 red"])
    assert (chosen(helped), chosen(helped, HOUSE_STEPS)) == ("play slot 3", "hint P0 yellow")
    at = scene(helped)
    assert not list(help_first(replace(at, knowledge=replace(at.knowledge, deck=0))))
    both = dealt(*hands, moves=["hint P1 red", "hint P0 yellow"])
    assert chosen(both, HOUSE_STEPS) == "play slot 0"
    three = dealt(PLAIN, "R1 R3 G2 R1 B5", "Y1 R4 G4 W4 B4", moves=["hint P1 red"])
    assert chosen(three, HOUSE_STEPS) == "play slot 3"
    passes = ["hint P1 rank 5", "hint P0 rank 4"]
    three_tokens, one_token = (
        dealt(*hands, moves=[*passes * number, "hint P1 red"]) for number in (2, 3)
    )
    assert (
        chosen(three_tokens, HOUSE_STEPS) == "hint P0 yellow"
        and chosen(one_token, HOUSE_STEPS) == "play slot 3"
    )
