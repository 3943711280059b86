"""TRL's trainers take exported files as they are: a few steps on a tiny, randomly initialised model.

It needs the extra `train`, which `make test` does not install: `.venv/bin/pip install '.[train]'`; pytest this file.
"""

from pathlib import Path
from typing import Any, get_args

import pytest

from hanabi_orchestrator.experiments import rewards
from hanabi_orchestrator.experiments.interchange.data_rows import COLUMNS, Kind
from tests.conftest import Run
from tests.support.tiny_model import tiny

trl = pytest.importorskip("trl", reason="needs the extra train")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries among themselves


def rows(run: Run, folder: Path, kind: str, form: str = "json") -> Any:
    """The exported file of a game as `datasets` reads it; `form`: json or parquet."""
    from datasets import load_dataset

    code, _, err = run("play", "--graph", "compact", "--players", "2", "--seed", "3")
    assert code == 0, err
    file = {"json": "rows.jsonl", "parquet": "rows.parquet"}[form]
    code, _, err = run("export", "games/compact-2p-s3.jsonl", "--to", kind, "--out", file)
    assert code == 0, err
    return load_dataset(form, data_files=file, split="train", cache_dir=str(folder / "cache"))


def settings(folder: Path, **more: Any) -> dict[str, Any]:
    steps = {
        "max_steps": 3,
        "per_device_train_batch_size": 4,
        "logging_steps": 1,
        "save_strategy": "no",
    }
    return {
        "output_dir": str(folder),
        "use_cpu": True,
        "bf16": False,
        "report_to": [],
        **steps,
        **more,
    }


@pytest.mark.parametrize("kind", get_args(Kind))
def test_datasets_takes_both_forms_of_a_file_with_the_same_rows(
    run: Run, tmp_path: Path, kind: Kind
) -> None:
    table, lines = (rows(run, tmp_path, kind, form) for form in ("parquet", "json"))
    assert table.column_names == lines.column_names == list(COLUMNS[kind])
    assert len(table) > 20 and table.to_list() == lines.to_list()


@pytest.mark.parametrize("kind", ["sft", "dpo", "grpo"])
def test_a_trainer_takes_a_few_steps_on_an_exported_file(
    run: Run, tmp_path: Path, kind: str
) -> None:
    data = rows(run, tmp_path, kind)
    model, tokenizer = tiny([message["content"] for row in data for message in row["prompt"]])
    model.save_pretrained(tmp_path / "tiny")  # DPO's trainer reads its reference model from there
    given = {"model": str(tmp_path / "tiny"), "train_dataset": data, "processing_class": tokenizer}
    if kind == "sft":
        trainer = trl.SFTTrainer(args=trl.SFTConfig(**settings(tmp_path)), **given)
    elif kind == "dpo":
        trainer = trl.DPOTrainer(args=trl.DPOConfig(**settings(tmp_path)), **given)
    else:
        shape = {"num_generations": 4, "max_completion_length": 8}
        functions = [rewards.move_value, rewards.score_change]
        trainer = trl.GRPOTrainer(
            reward_funcs=functions, args=trl.GRPOConfig(**settings(tmp_path, **shape)), **given
        )
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert (
        trainer.state.global_step == 3 and len(losses) == 3 and all(loss == loss for loss in losses)
    )
