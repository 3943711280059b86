"""What every task promises, whatever it asks: nothing is asked twice, and each stop says why and how to go on."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play
from tests.conftest import Run
from tests.experiments.running.test_executors import Fickle
from tests.experiments.tasks.questions import sample
from tests.support import processes
from tests.support.prove import FULL
from tests.support.servers import in_a_thread

GAME = {
    "name": "small",
    "graph": "watson",
    "players": [2],
    "seeds": [1],
    "arms": {"full": {}, "other": {}},
}


@dataclass(frozen=True)
class Kind:
    """A task as a user asks it."""

    command: tuple[str, ...]
    journals: str
    """The pattern of its journals, below the run's folder."""
    model: tuple[str, ...] = ("--model",)
    """How a model is named: the last word is joined with it where it ends with `=`."""
    prepare: Callable[[], object] = lambda: None
    """Writes into the working folder what the command reads."""

    def named(self, model: str) -> tuple[str, ...]:
        *first, last = self.model
        return (*first, last + model) if last.endswith("=") else (*self.model, model)


def write_judged_games() -> None:
    rates = dict.fromkeys(
        ("misread_stack", "overconfident_play", "slot_off_by_one", "malformed"), 0
    )
    seat = graphs.seat("mycroft", {"model": "sim:average", **rates})
    play(seat, players=2, seed=1, journal="played/g1.jsonl", max_turns=8)


KINDS = {
    "games": Kind(
        ("experiment", "run", "small.yaml"),
        "games/*/*.jsonl",
        ("--set", "models.default="),
        lambda: Path("small.yaml").write_text(yaml.safe_dump(GAME), "utf-8"),
    ),
    "questions": Kind(
        ("evaluate", "questions", "--data", "questions.csv"),
        "calls*.jsonl",
        prepare=lambda: sample.write(Path("questions.csv")),
    ),
    "judge": Kind(("evaluate", "judge", "played"), "calls*.jsonl", prepare=write_judged_games),
    "probes": Kind(
        (
            "evaluate",
            "probes",
            "house",
            "--pack",
            "hgroup_1",
            "--convention",
            "chop",
            "--per",
            "3" if FULL else "1",
        ),
        "games/*/*.jsonl",
    ),
    "positions": Kind(
        ("evaluate", "positions", "program", "--arms", "removed:tom_interpreter", "--first", "4"),
        "decisions/*/*.jsonl",
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, run: Run) -> Kind:
    """A task, with its files in the working folder."""
    kind = KINDS[request.param]
    kind.prepare()
    return kind


@pytest.fixture
def server() -> Iterator[tuple[Fickle, str]]:
    counting = Fickle()
    with in_a_thread(counting.app) as url:
        yield counting, f"openai:m@{url}"


def calls(kind: Kind, folder: str) -> list[dict[str, Any]]:
    """Return the calls that a server answered, in all journals of a run."""
    lines = [
        json.loads(line)
        for path in sorted(Path(folder).glob(kind.journals))
        for line in path.read_text("utf-8").splitlines()
        if line.endswith("}")
    ]
    return [
        line
        for line in lines
        if line["event"] == "call" and line["text"] is not None and not line.get("fixed")
    ]


def test_a_budget_suspends_and_a_larger_one_goes_on_asking_nothing_twice(
    kind: Kind, run: Run, server: tuple[Fickle, str]
) -> None:
    counting, model = server
    command = (*kind.command, *kind.named(model), "-q")
    assert run(*command, "--out", "whole")[0] == 0
    whole = counting.asked
    counting.asked = 0
    tokens = [call["tokens_in"] + call["tokens_out"] for call in calls(kind, "whole")]
    code, _, err = run(*command, "--out", "mine", "--budget", f"{sum(tokens) // 2 + 5000}tokens")
    sentence = " ".join(err.split())
    assert code == 3 and "the budget is reached" in sentence and "larger budget" in sentence
    assert 0 < counting.asked < whole
    code, out, _ = run("experiment", "status", "mine", "--json")
    stood = json.loads(out)
    assert (
        code == 0
        and stood["finished"] < stood["games"]
        and stood["tokens"] > 0
        and not stood["players"]
    )
    assert run(*command, "--out", "mine")[0] == 0 and counting.asked == whole
    assert run(*command, "--out", "mine")[0] == 0 and counting.asked == whole


def test_a_killed_run_goes_on(
    kind: Kind, run: Run, server: tuple[Fickle, str], tmp_path: Path
) -> None:
    counting, model = server
    counting.latency_s = 0.03
    command = (*kind.command, *kind.named(model), "-q", "--out", "mine")
    killed = processes.begun(tmp_path, *command)
    until = time.monotonic() + 60
    while len(calls(kind, "mine")) < 4:
        assert time.monotonic() < until and killed.is_alive()
        time.sleep(0.01)
    assert killed.pid
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    answered = len(calls(kind, "mine"))
    counting.asked = 0
    counting.latency_s = 0.0
    assert run(*command)[0] == 0
    assert counting.asked == len(calls(kind, "mine")) - answered > 0


def test_another_folder_is_refused_with_the_difference(kind: Kind, run: Run) -> None:
    code, out, _ = run(*kind.command, *kind.named("sim:average"), "-q", "--out", "mine")
    assert code == 0 and (
        "simulated" in out or "no language model, but programs with errors" in out
    )
    code, out, err = run(*kind.command, *kind.named("sim:careless"), "-q", "--out", "mine")
    assert (
        (code, out) == (2, "")
        and "another" in err
        and "--out" in err
        and "model" in err
        and err.count("\n") == 1
    )
    Path("thesis").mkdir()
    Path("thesis/thesis.tex").write_text("mine", "utf-8")
    code, _, err = run(*kind.command, "-q", "--out", "thesis")
    if kind is KINDS["games"]:  # a run of games has folders of its own beside what is there
        assert code == 0 and Path("thesis/thesis.tex").read_text("utf-8") == "mine"
    else:
        assert code == 2 and "holds other files" in err


def test_a_server_that_is_not_there_is_one_sentence(kind: Kind, run: Run) -> None:
    code, out, err = run(
        *kind.command, *kind.named("openai:m@http://127.0.0.1:9/v1"), "-q", "--out", "mine"
    )
    assert (code, out, err.count("\n")) == (2, "", 1) and "nothing listens there" in err


def test_a_fake_server_is_named_two_processes_ask_the_same_and_a_replay_asks_nothing(
    kind: Kind, run: Run, server: tuple[Fickle, str]
) -> None:
    counting, model = server
    for workers in ("1", "2"):
        code, out, err = run(
            *kind.command, *kind.named(model), "-q", "--out", workers, "--workers", workers
        )
        assert code == 0 and "fake server" in out, err
    texts = [
        sorted(call["prompt_hash"] + call["text"] for call in calls(kind, folder))
        for folder in ("1", "2")
    ]
    assert texts[0] == texts[1]
    counting.asked = 0
    replayed = kind.named(model) if kind.command[0] == "experiment" else ()
    code, _, err = run(*kind.command, *replayed, "-q", "--cache", "replay:1", "--out", "again")
    assert code == 0 and not counting.asked, err
    assert len(calls(kind, "again")) == len(calls(kind, "1"))
    if (results := Path("1/results.csv")).exists():
        assert Path("again/results.csv").read_bytes() == results.read_bytes()
