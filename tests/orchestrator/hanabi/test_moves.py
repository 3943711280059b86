import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.hanabi.move_reading import ground
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Listed,
    Move,
    Play,
    labelled,
    parse,
)

LEGAL: Listed = labelled(
    (
        Discard(slot=0),
        Discard(slot=1),
        Play(slot=0),
        Play(slot=1),
        HintColour(to=1, colour="R"),
        HintColour(to=2, colour="R"),
        HintColour(to=1, colour="B"),
        HintRank(to=1, rank=1),
        HintRank(to=2, rank=3),
    )
)

MOVES = st.one_of(
    st.builds(Play, slot=st.integers(0, 4)),
    st.builds(Discard, slot=st.integers(0, 4)),
    st.builds(HintColour, to=st.integers(0, 4), colour=st.sampled_from("RYGWB")),
    st.builds(HintRank, to=st.integers(0, 4), rank=st.integers(1, 5)),
)


@given(MOVES)
def test_the_text_of_a_move_reads_back(move: Move) -> None:
    assert parse(str(move)) == move


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (3, "play slot 1"),
        ("3", "play slot 1"),
        ("#3", "play slot 1"),
        ("(3)", "play slot 1"),
        ("move 3", "play slot 1"),
        ("3: play slot 1", "play slot 1"),
        ("3. Play slot 1", "play slot 1"),
        ("play slot 1", "play slot 1"),
        ("`Play slot 1`.", "play slot 1"),
        ("Play my Card 1", "play slot 1"),
        ("I will play slot 1 because it is the red 1", "play slot 1"),
        ("discarding card 0", "discard slot 0"),
        ("(Discard 0)", "discard slot 0"),
        ("hint P1 red", "hint P1 red"),
        ("Tell player 1 about his red cards", "hint P1 red"),
        ("Reveal P2's reds", "hint P2 red"),
        ("clue player 1 blue", "hint P1 blue"),
        ("play 1", "play slot 1"),
        ("Play slot 1 (hinted as rank 1)", "play slot 1"),
        ("7 - tell P1 his 1s", "hint P1 rank 1"),
        ("hint rank 3 to P2", "hint P2 rank 3"),
        ("Reveal P2 rank 3 cards", "hint P2 rank 3"),
        ("tell P1 his 1s", "hint P1 rank 1"),
        ("hint P1 color R", "hint P1 red"),
    ],
)
def test_an_answer_is_grounded(answer: object, means: str) -> None:
    assert str(ground(answer, LEGAL)) == means


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("play slot 4", "'play slot 4' is not a legal move now"),
        ("hint red", "is not a legal move now"),
        (
            "hint blue",
            "is not a legal move now",
        ),  # nobody is named, and there are two who could be told
        ("hint the next player blue", "is not a legal move now"),
        ("play slot 0 or discard slot 0", "is not a legal move now"),
        ("play slot 0 or play slot 1", "may mean play slot 0 or play slot 1"),
        ("I will not play slot 0", "is not a legal move now"),
        ("Do not discard slot 1", "is not a legal move now"),
        ("I won't play card 1", "is not a legal move now"),
        ("Rather than play slot 0, I hint P1 about red", "is not a legal move now"),
        ("not play slot 0 but perhaps Discard slot 1", "is not a legal move now"),
        ("Play the red 1", "is not a legal move now"),
        ("Play my rank 1 card", "is not a legal move now"),
        ("discard the 1", "is not a legal move now"),
        ("Tell P2 about his slot 3", "is not a legal move now"),
        ("hint P2 that card 3 is playable", "is not a legal move now"),
        ("play slot 10", "is not a legal move now"),
        ("play slot 0 or 1", "is not a legal move now"),
        ("play slot 0/1", "is not a legal move now"),
        ("play slot 0, 1 or 2", "is not a legal move now"),
        ("hint P1 red and rank 1", "is not a legal move now"),
        ("play slot 0 is a bad idea", "is not a legal move now"),
        ("refuse to play slot 0", "is not a legal move now"),
        ("do anything but play slot 0", "is not a legal move now"),
        ("move 3 or discard slot 0", "is not a legal move now"),
        (".5", "is not a legal move now"),
        ("play slot -1", "is not a legal move now"),
        ("play slot 1.5", "is not a legal move now"),
        ("hint P1 rank 10", "is not a legal move now"),
        ("hint P1 redundant", "is not a legal move now"),
        ("hint P1 red 3", "is not a legal move now"),
        ("move 1 - play slot 0", "1 is 'discard slot 1', not 'play slot 0'"),
        ("1. " * 3000, "is not a legal move now"),
        ("play", "is not a legal move now"),
        ("99", "99 does not name a legal move; the list has 0, 1, 2"),
        ("3: discard slot 0", "3 is 'play slot 1', not 'discard slot 0'"),
        ("(Reveal player +1 color R)", "is not a legal move now"),
        ("tell P1 of red 1", "is not a legal move now"),
        ("", "is not a legal move now"),
        (None, "is not a legal move now"),
        ({"play": 1}, "is not a legal move now"),
        (-1, "is not a legal move now"),
        (1.5, "is not a legal move now"),
        (True, "is not a legal move now"),
    ],
)
def test_an_answer_that_means_no_single_legal_move_is_refused(answer: object, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("+", r"\+").replace("(", r"\(")):
        ground(answer, LEGAL)


@given(st.text(max_size=60))
def test_any_text_is_a_legal_move_or_a_value_error(text: str) -> None:
    try:
        assert ground(text, LEGAL) in LEGAL.values()
    except ValueError as error:
        assert str(error)


def test_a_refused_move_leaves_its_number_unused() -> None:
    left = {label: LEGAL[label] for label in ("0", "2")}
    assert ground(2, left) == LEGAL["2"]
    with pytest.raises(ValueError, match="1 does not name a legal move; the list has 0, 2"):
        ground(1, left)


@pytest.mark.parametrize(
    "said", ["B", "b", "(B)", "B: discard slot 1", "B. Discard slot 1", "action B"]
)
def test_moves_can_have_letters(said: str) -> None:
    assert ground(said, labelled(LEGAL.values(), letters=True)) == Discard(slot=1)


def test_a_letter_and_a_move_that_disagree_mean_nothing() -> None:
    with pytest.raises(ValueError, match="B is 'discard slot 1', not 'play slot 1'"):
        ground("B: play slot 1", labelled(LEGAL.values(), letters=True))
    with pytest.raises(ValueError, match="is not a legal move"):
        ground("K", labelled(LEGAL.values(), letters=True))


def test_letters_go_on_after_z() -> None:
    labels = list(labelled([Play(slot=0)] * 54, letters=True))
    assert (labels[0], labels[25], labels[26], labels[52]) == ("A", "Z", "AA", "BA")
