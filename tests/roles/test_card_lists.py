"""Lists of cards: their words, their marks against the hints, and what became of them from turn to turn."""

import random
from itertools import combinations
from statistics import fmean, stdev

import pytest

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, OF_COLOUR, OF_RANK, Card, Mask
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi import list_changes, list_marks
from hanabi_orchestrator.roles.hanabi.card_lists import Lists, by_hints
from hanabi_orchestrator.roles.hanabi.card_words import meaning, written
from hanabi_orchestrator.roles.hanabi.list_changes import changes, guessed, named
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.reply_types import Deduction, TrackedChoice
from hanabi_orchestrator.roles.sections import Sections, cut
from tests.support.positions import literal_views
from tests.support.prove import FULL

RED = OF_COLOUR["R"]
BLUE = OF_COLOUR["B"]
ONE = OF_RANK[1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("red/blue 1/2", "red/blue 1/2"),
        ("unknown", "anything"),
        ("not green, 1-3", "red/yellow/white/blue 1/2/3"),
        ("could be anything except red", "yellow/green/white/blue any rank"),
        ("Known: RX", "red any rank"),
        ("B1/B2", "blue 1/2"),
        ("white3", "white 3"),
        ("any colour 3", "any colour 3"),
        ("not 1 or 2", "any colour 3/4/5"),
    ],
)
def test_what_models_write_is_read(text: str, wanted: str) -> None:
    found = meaning(text)
    assert found is not None and written(found) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no idea",
        "not red, blue",
        "not red 3",
        "red 7",
        "a playable card",
        "R1 or 3",
        "not red 1, blue 2",
    ],
)
def test_what_leaves_doubt_is_not_read(text: str) -> None:
    assert meaning(text) is None


# Against the hints, on a table of our own: P0 has hinted P1's reds, which are in slots 0 and 3


def table() -> tuple[Truth, Sections]:
    own = [Card.R1, Card.Y2, Card.G3, Card.R4, Card.B5]
    others = [Card.W1, Card.W2, Card.W3, Card.W4, Card.Y1]
    deck = [*others, *own]
    rest = list(deal(1))
    for card in deck:
        rest.remove(card)
    referee = Referee(2, [*deck, *rest])
    referee.apply(HintColour(to=1, colour="R"))
    return Truth.before_move(referee), cut(referee.view(), [(roles.State, {})])


def turned(pair: tuple[Truth, Sections]) -> tuple[Sections, Truth]:
    return pair[1], pair[0]


def reply(own: list[str], other: list[str]) -> TrackedChoice:
    lists = (Deduction(seat=0, slots=tuple(other)), Deduction(seat=1, slots=tuple(own)))
    return TrackedChoice(ratings=(), deductions=lists, reason="", action=Play(slot=0))


NOT_RED = "yellow/green/white/blue any rank"
RIGHT = ["red any rank", NOT_RED, NOT_RED, "red any rank", NOT_RED]
OPEN = ["anything"] * 5


def test_a_faultless_list_has_the_best_marks() -> None:
    marks = list_marks.score(reply(RIGHT, OPEN), *turned(table()))
    infos = {info.name: info for info in list_marks.INFOS}
    assert (
        marks is not None
        and marks == {name: infos[name].best for name in marks}
        and "colours_excluded_recall" in marks
    )
    assert "ranks_excluded_recall" not in marks, "no hint ruled out a rank"


def test_a_list_that_rules_out_the_right_colour_by_hand() -> None:
    """Slot 1 is the yellow 2: `green any rank` rules out yellow. Slot 4 is missing, and P0 has one slot too many."""
    said = reply(
        ["red any rank", "green any rank", "a nice card", "red any rank"], [*OPEN, "anything"]
    )
    marks = list_marks.score(said, *turned(table()))
    assert marks is not None
    # the hint rules out 4 + 1 + 1 + 4 + 1 = 11 colours, the list 4 + 4 + 0 + 4 + 0 = 12, of which 4 + 1 + 4 = 9 rightly
    assert (
        marks["colours_excluded_precision"] == 9 / 12 and marks["colours_excluded_recall"] == 9 / 11
    )
    # of 50 colours the hint keeps 39, the list 38; both keep 50 - 11 - 12 + 9 = 36
    assert marks["colours_kept_precision"] == 36 / 38 and marks["colours_kept_recall"] == 36 / 39
    assert marks["cards_exact"] == 7 / 10 and marks["cards_listed"] == 8 / 10
    assert (marks["lists_unread"], marks["slots_beyond"], marks["card_ruled_out"]) == (1, 1, 1 / 10)


def test_a_list_that_rules_nothing_out_by_hand() -> None:
    truth, sections = table()
    marks = list_marks.nothing_excluded(reply([], []), sections, truth)
    assert marks == list_marks.score(reply(OPEN, OPEN), sections, truth)
    assert (
        marks is not None
        and marks["colours_kept_precision"] == 39 / 50
        and marks["cards_exact"] == 5 / 10
    )
    assert marks["colours_excluded_recall"] == 0 and "colours_excluded_precision" not in marks


SETS_OF_COLOURS, SETS_OF_RANKS = (
    [kept for size in range(1, 6) for kept in combinations(every, size)]
    for every in (OF_COLOUR.values(), OF_RANK.values())
)


def drawn(dice: random.Random) -> Mask:
    """Any list of a card."""
    return sum(dice.choice(SETS_OF_COLOURS)) & sum(dice.choice(SETS_OF_RANKS))


def test_a_uniform_guess_has_the_stated_marks() -> None:
    truth, sections = table()
    stated = list_marks.guess(reply([], []), sections, truth)
    dice = random.Random(1)
    runs = 4000 if FULL else 400
    guesses = [[[written(drawn(dice)) for _ in range(5)] for _ in range(2)] for _ in range(runs)]
    found = [list_marks.score(reply(own, other), sections, truth) for own, other in guesses]
    assert stated is not None
    for name, one in stated.items():
        values = [marks[name] for marks in found if marks]
        assert abs(fmean(values) - one) < 4 * max(stdev(values), 0.01) / runs**0.5, name


# From turn to turn: four players, P0 keeps lists, P1's hand alone matters; P1 has just played


def hand(*cards: Mask) -> Lists:
    return {(1, slot): mask for slot, mask in enumerate(cards)}


def knowing(*cards: Mask) -> Hands:
    nobody = (ANY,) * 4
    return (nobody, cards, nobody, nobody)


def played(slot: int) -> Past:
    return past(2, 1, Play(slot=slot), card=Card.R1, scored=True)


def past(
    turn: int, seat: int, move: Play | Discard | HintColour | HintRank, **more: object
) -> Past:
    left = {"fireworks": (0, 0, 0, 0, 0), "tokens": 8, "lives": 3}
    return Past.model_validate({"turn": turn, "seat": seat, "move": move, **left, **more})


def test_a_seat_that_forgets_to_move_its_lists_by_hand() -> None:
    """P1's slot 0, listed red, was played: `any 1` of slot 1 belongs into slot 0 now."""
    before = hand(RED, ONE, ANY, ANY)
    known = knowing(ONE, ANY, ANY, ANY)
    forgot = changes(before, before, known, [played(0)])
    # in all four slots the wrong list could be told: two hold it, and the red card's list is still there
    assert named(forgot) == {
        "shift_errors": 2 / 4,
        "lists_not_moved": 2 / 4,
        "new_cards_open": 1,
        "lists_of_gone_cards": 1,
    }
    assert forgot.integration == (0.5 + 0 + 1) / 3
    moved = changes(before, hand(ONE, ANY, ANY, ANY), known, [played(0)])
    assert named(moved) == {
        "shift_errors": 0,
        "lists_not_moved": 0,
        "new_cards_open": 1,
        "lists_of_gone_cards": 0,
    }
    assert moved.integration == 1


def test_a_seat_that_keeps_a_stale_list_by_hand() -> None:
    """P1's slot 2, listed blue, was played; its list stands in slot 2 still, all others are right."""
    before = hand(RED, ANY, BLUE, ANY)
    known = knowing(RED, ANY, ANY, ANY)
    found = changes(before, hand(RED, ANY, BLUE, ANY), known, [played(2)])
    assert (found.shifts.part, found.shifts.total, found.stale.value) == (1, 4, 1)
    exact = list_changes.aspects(hand(RED, ANY, BLUE, ANY), known, found)
    # ruled out: 4 colours of slot 0 rightly, 4 of slot 2 wrongly; of 16 cards P1's slots 0, 1 and 3 are listed right
    assert (exact.deduction_accuracy, exact.tracking_quality) == (2 * 4 / (8 + 4), 3 / 16)
    assert exact.history_integration == (3 / 4 + 0 + 1) / 3


def test_a_list_moved_one_too_far_is_a_shift_error_that_was_not_left_in_place() -> None:
    before = hand(ANY, ANY, RED, ANY)
    known = knowing(ANY, RED, ANY, ANY)
    found = changes(before, hand(RED, ANY, ANY, ANY), known, [played(0)])
    assert (found.shifts.part, found.unmoved.part) == (1, 0)


def test_an_old_mistake_carried_on_rightly_is_no_shift_error_and_a_hint_may_correct_it() -> None:
    before = hand(ANY, BLUE, ANY, ANY)
    known = knowing(RED, ANY, ANY, ANY)
    assert changes(before, hand(BLUE, ANY, ANY, ANY), known, [played(0)]).shifts.part == 0
    assert changes(before, hand(RED, ANY, ANY, ANY), known, [played(0)]).shifts.part == 0


def test_hints_since_the_last_turn_are_taken_in_or_not_by_hand() -> None:
    """Red, touching slot 0: it rules out 4 colours there and red in slots 1 to 3, 7 in all; the list has 4."""
    hint = past(2, 3, HintColour(to=1, colour="R"), slots=(0,))
    known = knowing(RED, *[ANY & ~RED] * 3)
    found = changes(hand(ANY, ANY, ANY, ANY), hand(RED, ANY, ANY, ANY), known, [hint])
    assert named(found) == {"hints_taken_in": 4 / 7}


def test_a_uniform_guess_of_changes_has_the_stated_marks() -> None:
    before = hand(RED, ONE, ANY, ANY)
    known = knowing(ONE, ANY, ANY, ANY)
    stated = guessed(before, known, [played(0)])
    dice = random.Random(2)
    runs = 40_000 if FULL else 2_000
    guesses = [hand(*(drawn(dice) for _ in range(4))) for _ in range(runs)]
    found = [named(changes(before, said, known, [played(0)])) for said in guesses]
    for name, one in stated.items():
        mean = fmean(each[name] for each in found)
        assert abs(mean - one) < 4 * (1 / 961 / runs) ** 0.5, name
    # red alone may stand wrongly in slot 0, red and 1 in each of the others, and a new card is open in 1 of 961
    assert stated["shift_errors"] == pytest.approx((1 + 3 * 2) / 4 / 961)
    assert stated["new_cards_open"] == pytest.approx(1 / 961)


@pytest.mark.parametrize("players", [2, 5])
def test_the_lists_of_the_engine_are_faultless_in_every_position(players: int) -> None:
    for view in literal_views(players, 3)[:: 1 if FULL else 7]:
        known = by_hints(view)
        said = list_marks.cards(known)
        found = list_changes.aspects(
            said, known, changes(None, said, known, view.history[-players:])
        )
        assert (found.deduction_accuracy, found.tracking_quality, found.overall) == (1, 1, 1)
