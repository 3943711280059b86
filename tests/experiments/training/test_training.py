"""A training as a user runs it: export, train, go on, train further, and what is refused.

It needs the extra `train`, which `make test` does not install; `make train-small` does, and runs this file.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hanabi_orchestrator.experiments.training import answers, weights
from hanabi_orchestrator.experiments.training.rows import Rows
from tests.conftest import Run
from tests.support.tiny_model import write_tiny

pytest.importorskip("trl", reason="needs the extra train")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries among themselves

QUICK = (
    "--set",
    "max_steps=4",
    "--set",
    "logging_steps=1",
    "--set",
    "save_steps=2",
    "--set",
    "warmup_steps=0",
)


@pytest.fixture
def model(run: Run, tmp_path: Path) -> str:
    """A tiny model beside data sets of every kind from a game, and positions of another deal."""
    for seed in (3, 4):
        assert run("play", "--graph", "compact", "--players", "2", "--seed", str(seed))[0] == 0
    for kind in ("sft", "dpo", "grpo"):
        assert (
            run("export", "games/compact-2p-s3.jsonl", "--to", kind, "--out", f"{kind}.jsonl")[0]
            == 0
        )
    where = ("--where", "turn <= 12")
    assert (
        run(
            "export", "games/compact-2p-s4.jsonl", "--to", "grpo", "--out", "held-out.jsonl", *where
        )[0]
        == 0
    )
    rows = [json.loads(line) for line in Path("sft.jsonl").read_text("utf-8").splitlines()]
    return str(
        write_tiny(
            [message["content"] for row in rows for message in row["prompt"]], tmp_path / "tiny"
        )
    )


@pytest.mark.parametrize(
    "kind, samples",
    [
        ("sft", ()),
        ("sft", ("--set", "bf16=true")),
        ("dpo", ()),
        ("grpo", ("--set", "num_generations=4", "--set", "per_device_train_batch_size=4")),
    ],
)
def test_a_model_is_trained_on_rows_of_each_kind(
    run: Run, model: str, kind: str, samples: tuple[str, ...]
) -> None:
    code, out, err = run(
        "train", f"{kind}.jsonl", model, "out", *QUICK, *samples, "--set", "held_out=held-out.jsonl"
    )
    assert code == 0, err
    assert "Held-out positions" in out and "seeds 3" in out
    log = json.loads(Path("out/log.json").read_text("utf-8"))
    assert [entry["step"] for entry in log] == [1, 2, 3, 4]
    counts = json.loads(Path("out/answers.json").read_text("utf-8"))
    assert len(counts) == 3 and all(each["positions"] == 12 for each in counts.values())
    assert Path("out/figures/loss.svg").exists() and "loss.svg" in Path("out/report.md").read_text(
        "utf-8"
    )
    again = run(
        "train", f"{kind}.jsonl", model, "out", *QUICK, *samples, "--set", "held_out=held-out.jsonl"
    )
    assert again[:2] == (code, out)


def test_prompts_of_different_lengths_are_answered_together_as_alone(run: Run, model: str) -> None:
    network, tokenizer = weights.load(model)
    rows = Rows(Path("held-out.jsonl")).all
    lengths = {len(str(row["prompt"])) for row in rows}
    alone = [
        answers.asked(network, tokenizer, rows.select([place]), 0)[0] for place in range(len(rows))
    ]
    assert answers.asked(network, tokenizer, rows, 0) == alone and len(lengths) > 3


@pytest.mark.parametrize("lost", ["checkpoints/checkpoint-4", "log.json"])
def test_a_stopped_training_ends_as_an_undisturbed_one_does(
    run: Run, model: str, lost: str
) -> None:
    both = ("--set", "save_total_limit=2")
    assert run("train", "sft.jsonl", model, "out", *QUICK, *both)[0] == 0
    log = _losses(Path("out"))
    adapter = _adapter(Path("out"))
    for path in (Path("out/model.yaml"), Path("out") / lost):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert run("train", "sft.jsonl", model, "out", *QUICK, *both)[0] == 0
    assert _losses(Path("out")) == pytest.approx(log)
    assert all(
        np.allclose(_adapter(Path("out"))[name], values, atol=1e-6)
        for name, values in adapter.items()
    )


def _losses(folder: Path) -> list[float]:
    return [entry["loss"] for entry in json.loads((folder / "log.json").read_text("utf-8"))]


def _adapter(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file

    return dict(load_file(folder / weights.ADAPTER / "adapter_model.safetensors"))


def test_another_training_in_a_folder_is_refused(run: Run, model: str) -> None:
    assert run("train", "sft.jsonl", model, "out", *QUICK)[0] == 0
    for changed in (
        ("sft.jsonl", model, "out", *QUICK, "--set", "learning_rate=1e-5"),
        ("dpo.jsonl", model, "out"),
    ):
        code, _, err = run("train", *changed)
        assert code == 2 and "'out' holds a run with another" in err


def test_a_trained_model_is_trained_further_and_keeps_its_deals(run: Run, model: str) -> None:
    assert run("train", "sft.jsonl", model, "first", *QUICK)[0] == 0
    assert run("export", "games/compact-2p-s4.jsonl", "--to", "dpo", "--out", "pairs.jsonl")[0] == 0
    code, _, err = run("train", "pairs.jsonl", "first", "second", *QUICK)
    assert code == 0, err
    assert yaml.safe_load(Path("second/model.yaml").read_text("utf-8"))["trained_on"] == "3-4"
    code, _, err = run(
        "experiment", "run", "trained", "--set", "arms.after.models.default=second/model.yaml"
    )
    assert code == 2 and "seed 3 is a deal" in err


@pytest.mark.parametrize(
    "changes, complaint",
    [
        (("--set", "held_out=grpo.jsonl"), "seed 3 is a deal of the training rows"),
        (("--set", "held_out=dpo.jsonl"), "--to grpo"),
        (("--set", "learning_rat=1"), "did you mean 'learning_rate'?"),
        (("--set", "lora.rank=1"), "lora."),
        (("--set", "learning_rate"), "KEY=VALUE"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    run: Run, model: str, changes: tuple[str, ...], complaint: str
) -> None:
    code, _, err = run("train", "sft.jsonl", model, "out", *changes)
    assert code == 2 and complaint in err and "Traceback" not in err and not Path("out").exists()


def test_no_data_set_and_no_model(run: Run, model: str) -> None:
    for arguments, complaint in (
        (("missing.jsonl", model), "'missing.jsonl' is no data set"),
        (("held-out.jsonl", "missing"), "'missing' is no model that transformers reads"),
        (("held-out.jsonl", "missing.gguf"), "there is no model at 'missing.gguf'"),
    ):
        code, _, err = run("train", *arguments, "out")
        assert code == 2 and complaint in err, err


def test_llamas_weights_are_the_same_in_a_gguf_file(tmp_path: Path) -> None:
    import gguf
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }
    model = LlamaForCausalLM(
        LlamaConfig(vocab_size=64, num_key_value_heads=2, tie_word_embeddings=True, **shape)
    )
    writer = gguf.GGUFWriter(tmp_path / "base.gguf", "llama")
    for add, value in (
        (writer.add_block_count, 2),
        (writer.add_embedding_length, 64),
        (writer.add_feed_forward_length, 96),
        (writer.add_head_count, 4),
        (writer.add_head_count_kv, 2),
        (writer.add_context_length, 128),
        (writer.add_vocab_size, 64),
        (writer.add_layer_norm_rms_eps, 1e-6),
        (writer.add_rope_freq_base, 10000.0),
    ):
        add(value)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    for key in model.state_dict():
        if name := names.get_name(key, try_suffixes=(".weight",)):
            shape_of = model.state_dict()[key].shape
            if "lm_head" not in key:
                writer.add_tensor(name, np.zeros(shape_of, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    weights.write_gguf(model, tmp_path / "base.gguf", tmp_path / "model.gguf")
    read = LlamaForCausalLM.from_pretrained(tmp_path, gguf_file="model.gguf", dtype=torch.float32)
    for key, value in model.state_dict().items():
        assert torch.allclose(
            read.state_dict()[key], value, atol=0.01 * float(value.abs().max())
        ), key
