"""Models on the command line: the file that describes them, and sampling settings given straight to `play`."""

import json
import re
from pathlib import Path

import pytest

from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.journal.events import GameStarted
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings, read_models
from tests.conftest import Run


def test_init_writes_a_file_that_reads_as_it_stands_and_with_every_example(run: Run) -> None:
    assert run("models", "init")[0] == 0
    assert list(read_models(Path("models.yaml"))) == ["default"]
    text = re.sub(r"(?m)^#(?=\S|  )", "", Path("models.yaml").read_text("utf-8"))
    Path("all.yaml").write_text(text, "utf-8")
    found = read_models(Path("all.yaml"))
    assert set(found) >= {
        "default",
        "local",
        "together",
        "thinker",
        "azure",
        "claude",
        "simulated",
        "exact",
        "recorded",
    }
    assert sum(isinstance(model, ModelSettings) for model in found.values()) == 6


def test_init_never_overwrites(run: Run) -> None:
    Path("mine.yaml").write_text("model: program\n", "utf-8")
    code, _, err = run("models", "init", "mine.yaml")
    assert code == 2 and "mine.yaml exists already and is left as it is" in err
    assert Path("mine.yaml").read_text("utf-8") == "model: program\n"


def test_sampling_settings_of_play_take_precedence_over_the_file_and_are_recorded(
    run: Run, endpoint: str
) -> None:
    said = {"model": f"openai:fake@{endpoint}", "temperature": 0.2, "top_p": 0.9}
    Path("models.yaml").write_text(json.dumps(said), "utf-8")
    given = ("--temperature", "0.7", "--effort", "low", "--max-tokens", "900")
    code, out, err = run("play", "--graph", "watson", "--model", "models.yaml", *given, "--json")
    assert code == 0, err
    (started,) = (
        event
        for event in journal.read(Path(json.loads(out)["journal"]))
        if isinstance(event, GameStarted)
    )
    (settings,) = started.seats[0].models.values()
    assert settings == {**said, "temperature": 0.7, "reasoning_effort": "low", "max_tokens": 900}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--temperature", "0.5"),
            "--temperature needs a model on a server, e.g. --model openai:NAME; the",
        ),
        (("--effort", "low", "--model", "sim:average"), "the model here is sim:average"),
        (("--max-tokens", "0", "--model", "openai:x@http://localhost:1/v1"), "max_tokens: "),
    ],
)
def test_sampling_settings_that_cannot_be_are_refused(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = run("play", *arguments)
    assert code == 2 and said in err
