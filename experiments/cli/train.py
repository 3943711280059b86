"""`train`: a language model learns from exported rows."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli.shared_options import Interrupted, Output, progress
from hanabi_orchestrator.orchestrator.errors import UserError


def train(
    data: Annotated[Path, Argument(help="A file of `export --to sft`, `--to dpo` or `--to grpo`.")],
    model: Annotated[
        str,
        Argument(
            help="A name on Hugging Face's hub, a folder, a .gguf file, or an earlier training's "
            "OUT."
        ),
    ],
    out: Annotated[Path, Argument(help="The folder to write; the same command goes on with it.")],
    settings: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="A field of TRL's config, learning_rate=2e-4; of the adapter, lora.r=8; "
            "held_out=FILE, positions of other deals (`export --to grpo`) in which the model is "
            "asked; rewards=move_value, of GRPO. Repeatable.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Train a model on exported rows by LoRA (extra `train`).

    By supervised fine-tuning, DPO or GRPO, as the rows are. Writes the adapter, the model for a
    server, model.yaml for --model, and a report with the curve of losses.
    """
    from dataclasses import asdict

    from hanabi_orchestrator.experiments.training import training, training_report

    try:
        trained = training.train(data, model, out, _read(settings or ()), progress("step"))
    except KeyboardInterrupt:
        raise Interrupted(
            f"checkpoints are kept in {out}; the same command goes on with it"
        ) from None
    training_report.write(trained)
    answers = {str(rows): asdict(each) for rows, each in trained.answers.items()}
    facts = {
        **trained.training.model_dump(mode="json"),
        "out": str(trained.model),
        "answers": answers,
    }
    output.show(facts, training_report.blocks(trained))


def _read(settings: Sequence[str]) -> dict[str, Any]:
    import yaml

    values: dict[str, Any] = {}
    for key, equals, text in (setting.partition("=") for setting in settings):
        if not (key and equals and text):
            raise UserError(f"--set {key}: write KEY=VALUE, such as learning_rate=2e-4")
        values[key] = yaml.safe_load(text)
        with suppress(ValueError):  # YAML takes 2e-4 for a text
            values[key] = float(values[key]) if isinstance(values[key], str) else values[key]
    return values
