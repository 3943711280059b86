"""Logs for Inspect: written and read back by its own library, where it is installed."""

import sys
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.journal.events import Call, GameEnded, Moved
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.conftest import Run
from tests.support.known_games import journal_of


def test_without_the_library_one_sentence_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal_of(tmp_path / "game.jsonl", 2, "lives_lost")
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    code, out, err = run("export", "game.jsonl", "--to", "inspect", "--out", "game.eval")
    assert (code, out) == (2, "") and "`pip install inspect-ai`" in err and err.count("\n") == 1


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_the_library_reads_the_games_back(run: Run, tmp_path: Path) -> None:
    log = pytest.importorskip(
        "inspect_ai.log", reason="inspect-ai is not installed: it does not fit beside our pins"
    )
    play(
        graphs.seat("house", "sim:careless"),
        players=2,
        seed=5,
        journal=tmp_path / "game.jsonl",
        max_turns=9,
    )
    code, out, err = run("export", "game.jsonl", "--to", "inspect", "--out", "game.eval")
    assert code == 0 and "1 samples  game.eval" in out, err
    read = log.read_eval_log(str(tmp_path / "game.eval"))
    events = journal.read(tmp_path / "game.jsonl")
    (sample,), last = read.samples, events[-1]
    assert isinstance(last, GameEnded) and read.status == "success"
    assert (sample.scores["kept"].value, sample.scores["strict"].value) == (
        last.result.score_kept,
        last.result.score_strict,
    )
    assert read.results.scores[0].metrics["mean"].value == last.result.score_kept
    moves = [event.past for event in events if isinstance(event, Moved)]
    said = [message.text for message in sample.messages if message.role == "assistant"]
    assert len(said) == 9 and all(
        text.startswith(f"P{p.seat} {p.move}") for text, p in zip(said, moves, strict=True)
    )
    asked = [event for event in events if isinstance(event, Call) and event.of_model]
    calls = [event for event in sample.events if event.event == "model"]
    assert sorted((c.role, c.output.completion) for c in calls) == sorted(
        (c.role, c.text) for c in asked
    )
    begun: dict[str, str] = {}
    order = []
    for event in sample.events:
        if event.event == "span_begin":
            assert (
                event.parent_id is None
                if event.name.startswith("seat")
                else event.parent_id in begun
            )
            begun[event.id] = event.name
            order += [event.name] if event.parent_id is None else []
        elif event.event == "info":
            order.append(event.data.partition(":")[0])
        elif event.event == "model":
            assert begun[event.span_id] == event.role
    assert order == [said for turn in range(9) for said in (f"seat{turn % 2}", f"turn {turn + 1}")]
    assert read.eval.metadata["imported_from"].endswith("Inspect did not run these games")


@pytest.mark.filterwarnings("ignore")
def test_an_unfinished_game_is_a_sample_without_a_score(run: Run, tmp_path: Path) -> None:
    log = pytest.importorskip(
        "inspect_ai.log", reason="inspect-ai is not installed: it does not fit beside our pins"
    )
    journal_of(tmp_path / "game.jsonl", 3, "unfinished")
    code, _, err = run("export", "game.jsonl", "--to", "inspect", "--out", "game.json")
    assert code == 0, err
    read = log.read_eval_log(str(tmp_path / "game.json"))
    assert (read.status, read.samples[0].scores, read.results.completed_samples) == (
        "cancelled",
        None,
        0,
    )
    code, _, err = run("export", "game.jsonl", "--to", "inspect", "--out", "game.txt")
    assert code == 2 and "must be a folder, or a file that ends in .eval or .json" in err
