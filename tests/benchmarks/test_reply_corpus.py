"""Recorded answers as a file of the corpus of replies, for a person to read."""

from pathlib import Path

import pytest
import yaml

from benchmarks import real_model, reply_corpus
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import labelled, parse
from hanabi_orchestrator.orchestrator.replies.reader import read
from hanabi_orchestrator.roles.reply_types import RatedChoice, variant


@pytest.fixture
def played(endpoint: str, tmp_path: Path) -> Path:
    out = tmp_path / "real"
    asked = [
        "--url",
        endpoint,
        "--model",
        "fake",
        "--graph",
        "watson",
        "--graph",
        "cac",
        "--calls",
        "1",
    ]
    assert real_model.main([*asked, "--form", "text", "--out", str(out), "--json"]) == 0
    return out


def test_every_answer_becomes_an_entry_that_a_person_can_fill_in(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "recorded-mine.yaml"
    assert reply_corpus.main([str(played), "--to", str(there)]) == 0
    entries = yaml.safe_load(there.read_text("utf-8"))["answers"]
    answers = (played / "answers.jsonl").read_text("utf-8").splitlines()
    assert f"{len(answers)} answers in" in capsys.readouterr().out
    assert len(entries) == len(answers) and all(
        one["is"] is None and one["text"] for one in entries
    )
    rated = next(one for one in entries if one["reply"] == "RatedChoice")
    assert rated["reason_first"] is True and "letters" not in rated
    assert next(one for one in entries if one["reply"] == "Choice")["letters"] is True


def test_with_readings_each_entry_says_what_the_reader_reads(played: Path, tmp_path: Path) -> None:
    there = tmp_path / "recorded-mine.yaml"
    reply_corpus.main(
        [str(played), "--to", str(there), "--readings", "--models", "The fake endpoint"]
    )
    assert there.read_text("utf-8").startswith("# What The fake endpoint answered")
    (rated,) = (
        one
        for one in yaml.safe_load(there.read_text("utf-8"))["answers"]
        if one["reply"] == "RatedChoice"
    )
    kind = variant(RatedChoice, reason_first=rated["reason_first"])
    legal = labelled(map(parse, rated["moves"]))
    assert read(rated["text"], kind, legal, rated["form"]).reply.as_data() == rated["is"]


def test_readings_are_not_overwritten_and_a_wrong_folder_is_named(
    played: Path, tmp_path: Path
) -> None:
    there = tmp_path / "recorded-mine.yaml"
    there.write_text("mine", "utf-8")
    with pytest.raises(UserError, match="is there already"):
        reply_corpus.main([str(played), "--to", str(there)])
    with pytest.raises(UserError, match="holds no journal"):
        reply_corpus.main([str(tmp_path), "--to", str(tmp_path / "other.yaml")])
    assert there.read_text("utf-8") == "mine"


def test_moves_made_so_far_are_not_taken_for_the_list_of_legal_moves() -> None:
    prompt = "Your own moves:\n1: play slot 0\n\nYour legal moves:\n\nA: hint P1 red\nB: play slot 0\nC: play slot 1\n"
    legal = ["hint P1 red", "play slot 0", "play slot 1"]
    assert real_model.listed_moves(prompt, legal) == dict(zip("ABC", legal, strict=True))
    assert real_model.listed_moves("1: play slot 4\n2: discard slot 0", legal) == {}
