"""A run of questions: as the paper asks, asked once, continued after every stop, and labelled for what it is."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.tasks.questions import (
    coordination_qa,
    question_report,
    questions,
)
from hanabi_orchestrator.experiments.tasks.questions.coordination_qa import FOLDER, is_right
from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from tests.conftest import Run
from tests.experiments.tasks.questions.sample import MODEL, always, brain, write
from tests.experiments.tasks.questions.sample import run as asked
from tests.support.servers import in_a_thread


def calls(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "calls.jsonl").read_text("utf-8").splitlines()]


def test_a_question_is_put_as_the_paper_puts_it(tmp_path: Path) -> None:
    asks = always()
    done = asked(tmp_path / "run", asks)
    assert (done.total, done.left) == (18, 0)
    told = asks.heard[0]
    assert [message.role for message in told] == ["system", "user", "assistant", "user"]
    assert told[0].content.startswith("Answer a question on the state.")
    assert told[1].content == "Two players stack cards of five colours."
    assert told[3].content.endswith("C. 2\nD. 3 or more")
    assert Counter(request.sample for request in asks.asked) == {0: 6, 1: 6, 2: 6}
    assert [is_right(answer) for answer in FOLDER.run(tmp_path / "run").answers] == [True] * 18


def test_an_unreadable_answer_is_asked_for_again_and_then_counts_as_none(tmp_path: Path) -> None:
    def says(request: ModelRequest) -> str:
        if request.node == "01-hanabi-ec":
            return "Hm." if request.ask == 0 else "Answer: C"
        return "Answer: A or B" if request.node == "01-hanabi-jp" else "Answer: A"

    asks = brain(says)
    asked(tmp_path / "run", asks, trials=1)
    again = next(
        heard
        for one, heard in zip(asks.asked, asks.heard, strict=True)
        if one.ask and "jp" in one.node
    )
    assert (
        "'A or B'" in again[-1].content
        and "The options are: A: Play Card 0.; B: Play Card 1.; " in again[-1].content
    )
    answers = {answer.question.name: answer for answer in FOLDER.run(tmp_path / "run").answers}
    assert is_right(answers["01-hanabi-ec"]) and answers["01-hanabi-ec"].asks == 2
    unread = answers["01-hanabi-jp"]
    assert (unread.reply, unread.asks, is_right(unread)) == (None, 2, False) and "'A or B'" in str(
        unread.error
    )
    cell = next(
        one
        for one in question_report.read([tmp_path / "run"]).cells[0]
        if (one.game, one.kind) == ("all", "jp")
    )
    assert (cell.unread, cell.asked_again, cell.accuracy) == (1, 1, 0.5)


def test_a_second_ask_that_was_cut_short_is_made_and_the_first_not_again(tmp_path: Path) -> None:
    def says(request: ModelRequest) -> str:
        if request.ask:
            raise ModelError("the server is away")
        return "Hm." if request.node == "01-hanabi-ec" else "Answer: A"

    assert asked(tmp_path / "run", brain(says), trials=1).left == 1
    asks = brain(lambda request: "Answer: C")
    assert asked(tmp_path / "run", asks, trials=1).left == 0
    assert [(one.node, one.ask) for one in asks.asked] == [("01-hanabi-ec", 1)]


def test_trials_may_grow_and_nothing_else_may_change(tmp_path: Path) -> None:
    asked(tmp_path / "run", always(), trials=1)
    asks = always()
    assert asked(tmp_path / "run", asks, trials=2).left == 0 and len(asks.asked) == 6
    with pytest.raises(
        UserError, match=r"holds a run with another model: .*tester.*, not 'sim:average'"
    ):
        asked(tmp_path / "run", always(), model="sim:average")
    file = questions.read(tmp_path / "questions.csv", kinds=["ec"])
    with pytest.raises(UserError, match="another kinds: ec, tom, jp, not ec"):
        coordination_qa.run(file, MODEL, tmp_path / "run")


def test_the_record_says_what_was_asked_and_holds_no_path(tmp_path: Path) -> None:
    asked(tmp_path / "run", always())
    text = (tmp_path / "run" / "qa.yaml").read_text("utf-8")
    record = yaml.safe_load(text)
    assert (record["model"], record["file"], record["trials"]) == (MODEL, "questions.csv", 3)
    assert record["kinds"] == ["ec", "tom", "jp"] and str(tmp_path) not in text
    assert FOLDER.read(tmp_path / "run").digest == record["digest"]


def test_a_run_without_an_answer_does_not_stand_in_the_way_of_another(tmp_path: Path) -> None:
    def away(_: ModelRequest) -> str:
        raise ModelError("the server is away")

    assert asked(tmp_path / "run", brain(away)).left == 18
    assert asked(tmp_path / "run", always(), model="openai:other@http://127.0.0.1:9/v1").left == 0


# The command


def qa(run: Run, *options: str) -> tuple[int, str, str]:
    write(Path("questions.csv"))
    return run("evaluate", "questions", "--data", "questions.csv", "-q", *options)


def test_the_program_answers_hanabi_and_says_that_it_answers_nothing_else(run: Run) -> None:
    code, out, err = qa(run, "--json")
    assert code == 0, err
    data = json.loads(out)
    assert [
        (cell["game"], cell["kind"], cell["accuracy"], cell["trials"]) for cell in data["cells"]
    ] == [("hanabi", kind, 1.0, 1) for kind in ("ec", "tom", "jp")]
    assert any("no answers for other games" in note for note in data["notes"])
    code, out, err = qa(run, "--model", "openai:m@http://127.0.0.1:9/v1", "--json", "--dry-run")
    told = json.loads(out)
    assert (
        (told["arms"][0]["questions"], told["calls"]) == (6, 18)
        and told["tokens_in"] > 500
        and "price" in out
    )
    code, _, err = run("evaluate", "questions")
    assert (
        code == 2
        and "single_turn_trials.csv in https://github.com/eric-ai-lab/llm_coordination" in err
    )
    code, out, err = qa(run, "--game", "overcooked")
    assert code == 2 and "programs answer the questions on hanabi alone" in " ".join(err.split())


def test_a_simulated_model_always_says_the_same(run: Run) -> None:
    code, out, err = qa(run, "--model", "sim:careless", "--out", "one")
    assert code == 0 and "sim:careless (simulated)" in out and "no language model" in out, err
    qa(run, "--model", "sim:careless", "--out", "two")
    assert Path("one/answers.csv").read_text("utf-8") == Path("two/answers.csv").read_text("utf-8")


def test_the_cache_answers_what_was_asked_before_each_trial_for_itself(run: Run) -> None:
    with in_a_thread(fake_endpoint.app()) as url:
        assert qa(run, "--model", f"openai:m@{url}", "--cache", "kept", "--out", "one")[0] == 0
        assert qa(run, "--model", f"openai:m@{url}", "--cache", "kept", "--out", "two")[0] == 0
    first = calls(Path("one"))
    second = calls(Path("two"))
    assert [call["cached"] for call in first] == [False] * 18 and [
        call["cached"] for call in second
    ] == [True] * 18


def test_a_replay_says_which_answer_is_not_recorded(run: Run, endpoint: str) -> None:
    assert qa(run, "--model", f"openai:m@{endpoint}", "--out", "first", "--samples", "2")[0] == 0
    code, _, err = qa(run, "--cache", "replay:first", "--out", "more", "--samples", "3")
    assert code == 3 and "trial 3: it is not recorded in 'first'" in " ".join(err.split())
