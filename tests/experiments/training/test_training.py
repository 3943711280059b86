"""A training as a user runs it: export, train, go on, train further, and what is refused.

It needs the extra `train`, which `make test` does not install; `make train-small` does, and runs this file.
"""

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.tiny_model import write_tiny

pytest.importorskip("trl", reason="needs the extra train")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries among themselves

QUICK = ("--set", "max_steps=4", "--set", "logging_steps=1", "--set", "save_steps=2", "--set", "warmup_steps=0")


@pytest.fixture
def model(run: Run, tmp_path: Path) -> str:
    """A tiny model beside data sets of every kind from a game, and positions of another deal."""
    for seed in (3, 4):
        assert run("play", "--graph", "compact", "--players", "2", "--seed", str(seed))[0] == 0
    for kind in ("sft", "dpo", "grpo"):
        assert run("export", "games/compact-2p-s3.jsonl", "--to", kind, "--out", f"{kind}.jsonl")[0] == 0
    where = ("--where", "turn <= 12")
    assert run("export", "games/compact-2p-s4.jsonl", "--to", "grpo", "--out", "held-out.jsonl", *where)[0] == 0
    rows = [json.loads(line) for line in Path("sft.jsonl").read_text("utf-8").splitlines()]
    return str(write_tiny([message["content"] for row in rows for message in row["prompt"]], tmp_path / "tiny"))


@pytest.mark.parametrize("kind", ["sft", "dpo", "grpo"])
def test_a_model_is_trained_on_rows_of_each_kind(run: Run, model: str, kind: str) -> None:
    samples = ("--set", "num_generations=4", "--set", "per_device_train_batch_size=4") if kind == "grpo" else ()
    code, out, err = run("train", f"{kind}.jsonl", model, "out", *QUICK, *samples, "--set", "held_out=held-out.jsonl")
    assert code == 0, err
    assert "Held-out positions" in out and "seeds 3" in out
    log = json.loads(Path("out/log.json").read_text("utf-8"))
    assert [entry["step"] for entry in log] == [1, 2, 3, 4]
    answers = json.loads(Path("out/answers.json").read_text("utf-8"))
    assert len(answers) == 3 and all(each["positions"] == 12 for each in answers.values())
    assert Path("out/figures/loss.svg").exists() and "loss.svg" in Path("out/report.md").read_text("utf-8")
    again = run("train", f"{kind}.jsonl", model, "out", *QUICK, *samples, "--set", "held_out=held-out.jsonl")
    assert again[:2] == (code, out)
