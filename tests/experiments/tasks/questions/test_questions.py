"""The file of questions: what is read, and what is refused in one sentence."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.tasks.questions import questions
from hanabi_orchestrator.experiments.tasks.questions.questions import Question
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.experiments.tasks.questions.sample import HANABI, OVERCOOKED, asked, write


def read(folder: Path, *rows: Mapping[str, str]) -> dict[str, Question]:
    return {one.name: one for one in questions.read(write(folder / "q.csv", *rows)).questions}


def test_a_row_has_three_questions_with_their_options_and_keys(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert len(found) == 6
    one = found["02-overcooked-tom"]
    assert [option.full for option in one.options] == [
        "A. place onion in pot.",
        "B. wait.",
        "C. move away.",
    ]
    assert one.right == (0, 2), "several letters, with a space between them"
    assert one.chance == pytest.approx(2 / 3)
    assert one.asked == "What will Bob do?"
    assert found["02-overcooked-jp"].asked == "What shall I do?", (
        "the head of the options in any case"
    )


@pytest.mark.parametrize(
    ("about", "game"),
    [
        ('playing the game "Catch the Thief" with Bob', "collab-capture"),
        ('the game "Collab Escape"', "collab-escape"),
        ("In the game Overcooked, I am Alice", "overcooked"),
    ],
)
def test_the_games_that_share_a_name_are_told_apart_by_their_descriptions(
    tmp_path: Path, about: str, game: str
) -> None:
    found = read(tmp_path, {**OVERCOOKED, "Game": "CollabGames", "Game Description": about})
    assert {one.game for one in found.values()} == {game}


WRONG = {
    "a column is missing": (
        {k: v for k, v in HANABI.items() if k != "TOM Directive"},
        "lacks the column 'TOM Directive'",
    ),
    "a key names no option": (
        {**HANABI, "EC Answer Ordinal": "F", "EC Answer": "many"},
        "row 1, EC: its key 'F' does not name",
    ),
    "a key is empty": ({**HANABI, "JP Answer Ordinal": " "}, "row 1, JP: its key is empty"),
    "no options": (
        {**HANABI, "EC Question": "How many?"},
        "ends without a list that begins with 'Available answers:'",
    ),
    "one option": (
        {**HANABI, "EC Question": asked("How many?", "0"), "EC Answer Ordinal": "A"},
        "it has 1 options",
    ),
}


@pytest.mark.parametrize("row, told", WRONG.values(), ids=WRONG)
def test_what_cannot_be_scored_is_refused_in_one_sentence(
    tmp_path: Path, run: Run, row: Mapping[str, str], told: str
) -> None:
    path = write(tmp_path / "bad.csv", row)
    code, out, err = run("evaluate", "questions", "--data", str(path))
    said = " ".join(err.split())
    assert (
        (code, out) == (2, "")
        and told in said
        and said.startswith("error: ")
        and "Traceback" not in said
    )


def test_a_question_may_stand_there_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="rows 1 and 2 have the same EC question"):
        read(tmp_path, HANABI, HANABI)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"Game,EC Question\n"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "q.csv").write_bytes(data)
    with pytest.raises(UserError, match=r"q\.csv"):
        questions.read(tmp_path / "q.csv")


def test_broken_questions_can_be_left_out_and_are_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.csv", {**HANABI, "EC Answer Ordinal": "F", "EC Answer": ""}, OVERCOOKED
    )
    found = questions.read(path, skip_broken=True)
    assert len(found.questions) == 5
    assert [sentence[:22] for sentence in found.left_out] == ["row 1, EC: its key 'F'"]
    assert len(questions.read(path, kinds=["jp"]).questions) == 2, "nobody asks the broken one"


def test_a_letter_of_no_option_or_of_two_is_read_by_the_text_of_the_answer(tmp_path: Path) -> None:
    twice = asked("Which?", "None", "All").replace("B. All", "B. All\nB. Card 2")
    found = read(
        tmp_path,
        {**HANABI, "EC Question": twice, "EC Answer Ordinal": "B", "EC Answer": "B. Card 2."},
    )
    assert (
        found["01-hanabi-ec"].right == (2,) and "read by its text" in found["01-hanabi-ec"].mended
    )
    found = read(tmp_path, {**HANABI, "EC Answer Ordinal": "F", "EC Answer": "1"})
    assert found["01-hanabi-ec"].right == (1,)


def test_a_letter_that_contradicts_the_text_counts_and_is_noted(tmp_path: Path) -> None:
    one = read(tmp_path, {**HANABI, "EC Answer": "1"})["01-hanabi-ec"]
    assert one.right == (2,) and one.mended == "the key's letter counts, though its text is B. 1"


def test_a_choice_of_games_and_kinds(tmp_path: Path) -> None:
    path = write(tmp_path / "q.csv")
    assert [one.name for one in questions.read(path, ["overcooked"], ["jp", "ec"]).questions] == [
        "02-overcooked-jp",
        "02-overcooked-ec",
    ]
    with pytest.raises(UserError, match="no questions on 'overcoked'; did you mean 'overcooked'"):
        questions.read(path, ["overcoked"])
    with pytest.raises(UserError, match="--kind is 'mind'"):
        questions.read(path, (), ["mind"])
