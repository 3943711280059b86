"""What the commands that put questions to a model share: who is asked, how, and how a run that is not over ends."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli.shared_options import Interrupted
from orchestrator.errors import Suspended, TurnError, UserError

if TYPE_CHECKING:
    from experiments.running.runner import Done, RunOptions
    from experiments.tasks.question_task import Model
    from orchestrator.models.settings import ModelSettings

Workers = Annotated[int, typer.Option(min=1, help="Worker processes.")]
ShardOf = Annotated[str | None, typer.Option("--shard", help="I/N: only this part, for job arrays.")]


@dataclass(frozen=True)
class AskedModel:
    """Who is asked."""

    model: "Model"
    replay: Path | None
    """The folder of a run whose answers are taken."""

    @property
    def name(self) -> str:
        return self.model if isinstance(self.model, str) else self.model.model

    @property
    def slug(self) -> str:
        """The model's name as that of a folder: without its server."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", self.name.partition("@http")[0]).strip("-")
        return f"replay-{name}" if self.replay else name


def asked(
    model: str | None,
    replay: Path | None,
    sampling: Mapping[str, object],
    recorded: "Callable[[Path], ModelSettings]",
) -> AskedModel:
    """Return who is asked: `recorded` reads the model of a folder whose answers are replayed.

    Raises UserError for several models, and for a model beside a replay.
    """
    from experiments.running import single_game
    from experiments.tasks.question_task import model_of
    from orchestrator.models.settings import PROGRAM, REPLAY

    if model and model.startswith(REPLAY):
        replay, model = Path(model.removeprefix(REPLAY)), None
    if replay is not None:
        if model is not None:
            raise UserError("--replay takes the model of the recorded run; leave --model out")
        return AskedModel(recorded(replay), replay)
    named = single_game.resampled(single_game.models([], model or PROGRAM), **sampling)
    if len(named) > 1 and "default" not in named:
        raise UserError(f"{model} names several models, {', '.join(named)}; questions are asked of one, `default`")
    return AskedModel(model_of(named.get("default") or next(iter(named.values()))), None)


def run_options(
    cache: str, max_tokens: int | None, max_usd: float | None, workers: int, shard: str | None
) -> "RunOptions":
    """Return how a run of questions is asked. Raises UserError."""
    from experiments.running.model_options import ModelOptions
    from experiments.running.runner import RunOptions
    from experiments.running.shard import Shard

    models = ModelOptions(cache, None, max_tokens, max_usd)
    return RunOptions(models, workers, shard=Shard.read(shard) if shard else None)


def check_done(done: "Done", things: str) -> None:
    """Raise what a run that is not over ends a command with."""
    left = f"{done.left} of {done.total} {things} are left"
    if done.interrupted and done.left:
        raise Interrupted(f"{left}; the same command goes on")
    if done.suspended and done.left:
        onward = "a larger budget" if done.over_budget else "the same command"
        raise Suspended(f"{done.suspended}; {left}, and {onward} goes on", 0)
    if done.failed:
        name, why = next(iter(done.failed.items()))
        raise TurnError(f"{len(done.failed)} of {done.total} {things} failed, the first: {name}: {why}")
    if done.left:
        raise Suspended(f"{left}, and the same command goes on", 0)


def say(line: str) -> None:
    """Print a line as it is."""
    from rich.text import Text

    from experiments.document.terminal import console

    console().print(Text(line), soft_wrap=True)
