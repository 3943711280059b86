"""The recipe of docs/train.md from end to end on a small real model, with neither key nor accelerator: about an hour.

Programs play, their moves train SmolLM2-135M by supervised fine-tuning and then by DPO, and the model plays 50 other
deals before the trainings and after each. Every step is a command that is printed; run again, it goes on.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from benchmarks import real_server
from benchmarks.real_server import Wheels
from experiments.training import weights

HELD_OUT = "1-50"
CONTEXT = 1024
"""Tokens of a prompt, a second ask and their answers."""


def commands(model: Path, folder: Path, steps: int, settings: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the commands up to the trained models; `settings` of both trainings as `train --set` takes them."""
    data = folder / "data"
    games, rows, pairs, asked = folder / "teacher", data / "sft.jsonl", data / "dpo.jsonl", data / "held-out.jsonl"
    yield ("experiment", "run", "teacher", "--set", "seeds.count=30", "--out", f"{games}")
    yield ("export", f"{games}", "--to", "sft", "--held-out", HELD_OUT, "--out", f"{rows}")
    yield ("export", f"{games}", "--to", "dpo", "--held-out", HELD_OUT, "--out", f"{pairs}")
    yield ("experiment", "run", "teacher", "--set", "seeds=[20001,20002]", "--out", f"{folder / 'positions'}")
    yield ("export", f"{folder / 'positions'}", "--to", "grpo", "--where", "turn % 3 == 0", "--out", f"{asked}")
    shared = (f"held_out={asked}", *settings)
    for data_set, start, kind, count in ((rows, model, "sft", steps), (pairs, folder / "sft", "dpo", steps // 5)):
        given = (f"max_steps={count}", f"save_steps={max(1, count // 5)}", *shared)
        yield (
            "train",
            f"{data_set}",
            f"{start}",
            f"{folder / kind}",
            *(word for each in given for word in ("--set", each)),
        )


def measured(wheels: Wheels, folder: Path) -> None:
    """Play the held-out deals with the three models, each on a server of its own."""
    models = {"before": wheels.model, "after": folder / "sft" / weights.GGUF, "then-dpo": folder / "dpo" / weights.GGUF}
    with ExitStack() as stack:
        given = list[str]()
        for name, path in models.items():
            url = stack.enter_context(real_server.serving(replace(wheels, model=path), context=CONTEXT, slots=2))
            given += ["--set", f"arms.{name}.models.default=openai:{real_server.NAME}@{url}"]
        run(("experiment", "run", "trained", *given, "--out", f"{folder / 'games'}"))


def run(command: Sequence[str]) -> None:
    """Run a command of `orchestrator`. Raises SystemExit where it fails."""
    print("$ orchestrator", *command, flush=True)
    if code := subprocess.run((sys.executable, "-m", "experiments", *command)).returncode:
        raise SystemExit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".venv/real"), help="where the wheels are kept")
    parser.add_argument("--out", type=Path, default=Path("runs/train-small"))
    parser.add_argument("--steps", type=int, default=200, help="of supervised fine-tuning, with 4 rows each")
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", help="of both trainings, such as bf16=true"
    )
    asked = parser.parse_args()
    wheels = real_server.fetch(asked.cache)
    for command in commands(wheels.model, asked.out, asked.steps, asked.settings):
        run(command)
    measured(wheels, asked.out)


if __name__ == "__main__":
    main()
