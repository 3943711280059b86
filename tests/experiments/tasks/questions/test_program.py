"""The program: a text read into a View, facts of it, moves and hints for a purpose."""

from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.tasks.question_task import NoAnswer
from hanabi_orchestrator.experiments.tasks.questions import program, questions
from hanabi_orchestrator.experiments.tasks.questions.program import NotAPosition, answer
from hanabi_orchestrator.experiments.tasks.questions.questions import Option, Question
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, RANKS, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank, Play
from tests.experiments.tasks.questions.sample import HANABI, STATE, asked, write


def test_the_text_of_a_position_becomes_a_view() -> None:
    at = program.read_position(STATE)
    view = at.view
    assert view.fireworks == (1, 0, 0, 2, 0)
    assert (view.tokens, view.lives, view.deck_size) == (3, 2, 30)
    assert view.discards == (Card.G3, Card.R4)
    assert at.partner.cards == (Card.Y5, Card.B1, Card.G3, Card.W1, Card.B1)
    assert (view.own[1].colours, view.own[1].ranks) == (("R",), (2,))
    assert (view.own[2].colours, view.own[2].ranks) == (("G",), (5,)), "a card in one bracket"
    assert at.partner.known[4].colours == COLOURS and at.partner.known[4].ranks == RANKS
    assert at.lacks == ("the partner's knowledge of their card 4",)
    assert HintRank(to=1, rank=5) in view.legal and HintColour(to=1, colour="R") not in view.legal


@pytest.mark.parametrize(
    ("old", "new", "lacks"),
    [
        ("Blue - B0", "", "five stacks"),
        ("[Card 4: Blue 1]", "", "4 cards of the partner"),
        ("Deck Size: 30", "", "deck size"),
        ("[Card 4: Blue 1]", "[Card 4: Blue 7]", "Blue 7 is no card"),
    ],
)
def test_a_text_that_is_no_position_says_what_it_lacks(old: str, new: str, lacks: str) -> None:
    with pytest.raises(NotAPosition, match=lacks):
        program.read_position(STATE.replace(old, new))


COUNT = ("0", "1", "2", "3 or more")
SOME = ("Yes, multiple.", "Yes, only one.", "No, none.")
POINTS = ("2 points.", "3 points.", "More than 3 points.")
YES = ("Not enough information.", "No.", "Yes.")


@pytest.mark.parametrize(
    ("question", "shown", "right"),
    [
        ("How many of Bob's cards are currently playable?", COUNT, "2"),
        (
            "Does Bob have any cards that are no longer playable for the rest of the game?",
            SOME,
            "Yes, only one.",
        ),
        ("Does Bob have any cards that are the last of their kind?", SOME, "Yes, multiple."),
        ("How many of my cards are playable?", COUNT, "1"),
        (
            "Which of Bob's cards are the last of their type?",
            ("Only Card 2", "Card 0 and Card 2"),
            "Card 0 and Card 2",
        ),
        ("How many points have we scored so far?", POINTS, "3 points."),
        ("Have any cards been played yet?", YES, "Yes."),
        ("Are any of the stacks completed?", YES, "No."),
        ("If I give a clue this turn, will Bob be able to give me any clues?", YES, "Yes."),
        ("How many of Bob's cards are of a rank greater than 1?", COUNT, "2"),
        (
            "Which move type is currently not possible?",
            ("All are possible.", "Revealing is not."),
            "All are possible.",
        ),
    ],
)
def test_facts_follow_from_the_position(question: str, shown: tuple[str, ...], right: str) -> None:
    options = tuple(
        Option(label=label, text=text) for label, text in zip("ABCD", shown, strict=False)
    )
    found = program.fact(question, program.read_position(STATE), options)
    assert found is not None and shown[found[0]] == right


def of(tmp_path: Path, kind: str, question: str | None = None) -> Question:
    row = HANABI | (
        {f"{kind.upper()} Question": question, f"{kind.upper()} Answer Ordinal": "A"}
        if question
        else {}
    )
    (one,) = questions.read(write(tmp_path / "q.csv", row), kinds=[kind]).questions
    return one


def test_the_program_saves_a_card_before_it_plays_one(tmp_path: Path) -> None:
    one = of(tmp_path, "jp")
    number, why = answer(one)
    assert one.options[number].text == "Reveal Bob's Blue color cards."
    assert "the critical" in why
    assert "the text says nothing of the partner's knowledge of their card 4" in why


def test_without_tokens_it_plays_what_is_known_to_fit(tmp_path: Path) -> None:
    none = STATE.replace("Reveal Tokens: 3", "Reveal Tokens: 0")
    one = of(tmp_path, "jp", asked("What next?", "Discard Card 0.", "Play Card 1.", state=none))
    number, why = answer(one)
    assert program.move_of(one.options[number].text) == Play(slot=1) and "it is known to fit" in why


HINTS = (
    "Reveal Bob's rank 5 cards.",
    "Reveal Bob's Blue color cards.",
    "Reveal Bob's rank 1 cards.",
    "Reveal Bob's rank 2 cards.",
)


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        (
            "What should I reveal so that he does not discard his unique cards?",
            "Reveal Bob's rank 5 cards.",
        ),
        (
            "What should I reveal so that he knows to play a card on his turn?",
            "Reveal Bob's Blue color cards.",
        ),
        ("What gives him the most amount of information?", "Reveal Bob's rank 1 cards."),
    ],
)
def test_a_hint_is_chosen_by_the_purpose_that_the_question_states(
    tmp_path: Path, question: str, hint: str
) -> None:
    one = of(tmp_path, "tom", asked(question, *HINTS))
    number, _ = answer(one)
    assert one.options[number].text == hint


def test_what_the_partner_meant_is_a_move_with_an_own_card(tmp_path: Path) -> None:
    one = of(
        tmp_path,
        "tom",
        asked("What can I infer from it?", "I should Discard Card 0", "I should Play Card 1"),
    )
    assert answer(one)[0] == 1


def test_without_a_rule_or_a_position_there_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="no rule for this question: What is the weather"):
        answer(of(tmp_path, "ec", asked("What is the weather?", "Fine", "Bad", "0")))
    with pytest.raises(NoAnswer, match="the text is no position"):
        answer(
            of(
                tmp_path,
                "ec",
                asked("How many of Bob's cards are playable?", "0", "1", "2", state="Hm."),
            )
        )
    impossible = STATE.replace("Card 1 could be: [Red] [2]", "Card 1 could be: [Yellow] [5]")
    with pytest.raises(NoAnswer, match="cannot be"):
        answer(
            of(
                tmp_path,
                "jp",
                asked("What next?", "Play Card 0.", "Play Card 1.", state=impossible),
            )
        )
