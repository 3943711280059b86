"""A training: from the rows of a data set and a model to an adapter, a model that a server takes,
and a report."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.run_folder import RunFolder
from hanabi_orchestrator.experiments.record.seed_range import numbers, ranges
from hanabi_orchestrator.experiments.training import answers, trainers, weights
from hanabi_orchestrator.experiments.training.answers import Answers
from hanabi_orchestrator.experiments.training.rows import Kind, Rows
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.values import Frozen

Done = Callable[[int, int], None]
"""Takes how many steps are done, and of how many."""
CHECKPOINTS = "checkpoints"
LOG = "log.json"
ANSWERS = "answers.json"
SETTINGS = "model.yaml"


class Training(Frozen):
    """What is trained on what: `training.yaml` of its folder."""

    kind: Kind
    data: str
    """The file of its rows."""
    digest: str
    """Of that file."""
    rows: int
    answered_by: dict[str, int]
    """Who answered in the rows, and in how many."""
    model: str
    """A name on the hub, a path, or the folder of an earlier training."""
    base: str
    """The model of the first training of the chain."""
    settings: dict[str, Any]
    deals: str
    """The seeds of the rows' deals, and of earlier trainings' rows, such as `10001-10080`."""
    held_out: str = ""
    """The data set of the positions in which the model is asked, of `export --to grpo`."""
    versions: dict[str, str] = {}


HEAD = "# A training of `orchestrator train`; the same command goes on with it.\n"
FOLDER = RunFolder(
    Training,
    "training.yaml",
    "training",
    HEAD,
    ("kind", "digest", "model", "settings", "held_out"),
    files=(
        CHECKPOINTS,
        LOG,
        ANSWERS,
        SETTINGS,
        weights.ADAPTER,
        weights.MERGED,
        weights.GGUF,
        "report.*",
        "figures",
    ),
)


@dataclass(frozen=True)
class Trained:
    folder: Path
    training: Training
    model: Path
    """What a server takes."""
    log: list[dict[str, float]]
    """Of each logged step: `step`, `loss` and what else the trainer logs."""
    answers: dict[int, Answers]
    """The answers in held-out positions, by training rows seen."""


def train(
    data: Path, model: str, out: Path, changes: Mapping[str, Any], done: Done | None = None
) -> Trained:
    """Train a model on a data set, or go on with a training that was stopped; a finished one is
    read.

    Raises UserError for rows, models and settings that cannot be used, for a folder with another
    training, and for held-out positions of a deal that the model is trained on.
    """
    check_installed()
    with quiet():
        rows = Rows(data)
        held_out = Rows(Path(changes["held_out"])) if "held_out" in changes else None
        planned = _planned(
            rows,
            model,
            {key: value for key, value in changes.items() if key != "held_out"},
            held_out,
        )
        training = FOLDER.begin(out, planned, begun=(out / CHECKPOINTS).exists())
        if not (out / SETTINGS).exists():
            _run(training, rows, held_out, out, done)
    return read(out)


def check_installed() -> None:
    """Raise UserError where the extra `train` is not installed."""
    from importlib.util import find_spec

    if missing := [
        name for name in ("torch", "trl", "peft", "datasets") if find_spec(name) is None
    ]:
        raise UserError(
            f"{missing[0]} is not installed; install it with: pip install "
            "'hanabi-orchestrator[train]'"
        )


def _planned(rows: Rows, model: str, changes: Mapping[str, Any], held_out: Rows | None) -> Training:
    earlier = FOLDER.read(Path(model)) if (Path(model) / FOLDER.file).exists() else None
    seeds = set(rows.seeds)
    if earlier:
        seeds |= set(numbers(earlier.deals))
    if held_out:
        if held_out.kind != "grpo":
            raise UserError(
                f"--set held_out={held_out.path}: export held-out positions with `--to grpo`"
            )
        if shared := sorted(seeds & {*held_out.seeds}):
            raise UserError(
                f"seed {shared[0]} is a deal of the training rows and of {str(held_out.path)!r}; "
                "a model is measured on other deals than it is trained on"
            )
    return Training(
        kind=rows.kind,
        data=str(rows.path),
        digest=rows.digest,
        rows=len(rows.all),
        answered_by=dict(rows.answered_by),
        model=model,
        base=earlier.base if earlier else model,
        settings=trainers.settings(rows.kind, changes),
        deals=ranges(seeds),
        held_out=str(held_out.path) if held_out else "",
    )


def _run(
    training: Training, rows: Rows, held_out: Rows | None, out: Path, done: Done | None
) -> None:
    from transformers import PrinterCallback
    from transformers.trainer_utils import get_last_checkpoint

    model, tokenizer = _start(training)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    trainer = trainers.trainer(
        training.kind, model, tokenizer, rows.training, training.settings, out / CHECKPOINTS
    )
    batch = trainer.args.train_batch_size * trainer.args.gradient_accumulation_steps

    measured: dict[str, Any] = {}
    if (out / ANSWERS).exists():
        measured = json.loads((out / ANSWERS).read_text("utf-8"))

    def ask(seen: int) -> None:
        if held_out and (number := str(min(seen, len(rows.all)))) not in measured:
            measured[number] = asdict(answers.measure(trainer.model, tokenizer, held_out.all))
            write_atomically(out / ANSWERS, json.dumps(measured))

    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(_progress(done, ask, batch))
    (out / CHECKPOINTS).mkdir(exist_ok=True)
    ask(0)
    _go_on(trainer, get_last_checkpoint(str(out / CHECKPOINTS)))
    ask(trainer.state.global_step * batch)
    log = [entry for entry in trainer.state.log_history if "loss" in entry]
    write_atomically(out / LOG, json.dumps(log))
    path = weights.write(trainer.model, tokenizer, training.base, out)
    _write_settings(training, path, out)


def _go_on(trainer: Any, checkpoint: str | None) -> None:
    """Train from a checkpoint on; from one after the last step, where the trainer would take one
    more, only load it."""
    from transformers import TrainerState

    state = checkpoint and TrainerState.load_from_json(str(Path(checkpoint) / "trainer_state.json"))
    if state and state.global_step >= state.max_steps:
        trainer.model.load_adapter(checkpoint, "default", is_trainable=True)
        trainer.state = state
    else:
        trainer.train(resume_from_checkpoint=checkpoint)


def _start(training: Training) -> tuple[Any, Any]:
    """Return the model that the training begins with: where it follows another, with that one's
    adapters merged.

    Raises UserError for an earlier training that is not finished.
    """
    base = training.base
    folders = list[Path]()
    while training.model != base:
        folders.insert(0, folder := Path(training.model))
        if not (folder / SETTINGS).exists():
            raise UserError(
                f"the training in {str(folder)!r} is not finished; its command goes on with it"
            )
        training = FOLDER.read(folder)
    model, tokenizer = weights.load(base)
    for folder in folders:
        model = weights.adapted(model, folder / weights.ADAPTER)
    return model, tokenizer


def _write_settings(training: Training, model: Path, out: Path) -> None:
    """Write the model's settings for `--model`: a server at the port that llama.cpp and vLLM listen
    at."""
    port = 8080 if model.suffix == ".gguf" else 8000
    settings = {
        "model": f"openai:{out.name}@http://127.0.0.1:{port}/v1",
        "temperature": 0,
        "max_tokens": answers.LONGEST,
        "response_format": "none",
        "trained_on": training.deals,
    }
    write_atomically(out / SETTINGS, yaml.safe_dump(settings, sort_keys=False))


def read(folder: Path) -> Trained:
    """Return a finished training. Raises UserError for a folder that holds none."""
    training = FOLDER.read(folder)
    counted = json.loads((folder / ANSWERS).read_text("utf-8")) if training.held_out else {}
    gguf = folder / weights.GGUF
    return Trained(
        folder,
        training,
        gguf if gguf.exists() else folder / weights.MERGED,
        json.loads((folder / LOG).read_text("utf-8")),
        {int(seen): Answers(**values) for seen, values in counted.items()},
    )


def _progress(done: Done | None, seen: Callable[[int], object], batch: int) -> Any:
    """Return the callback that tells of each step, and asks the model in the held-out positions
    with each checkpoint.

    `each`: the rows of a step.
    """
    from transformers import TrainerCallback

    class Progress(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if done:
                done(state.global_step, state.max_steps)

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            seen(state.global_step * batch)

    return Progress()


@contextmanager
def quiet() -> Any:
    """Keep the libraries from printing: bars, and lines of each step."""
    import warnings

    # read when they are imported
    os.environ.update(TQDM_DISABLE="1", TOKENIZERS_PARALLELISM="false")

    import datasets
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
