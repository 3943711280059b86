"""What the commands that put questions to a model share: who is asked, and how a run that is not whole ends."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.cli.shared_options import Interrupted
from orchestrator.errors import Suspended, UserError

if TYPE_CHECKING:
    from experiments.running.question_run import Done, Model
    from orchestrator.models.request import Brain
    from orchestrator.models.settings import ModelSettings

Recorded = Callable[[Path], "tuple[ModelSettings, Brain]"]


def asked(
    model: str | None, replay: Path | None, sampling: Mapping[str, object], recorded: Recorded
) -> "tuple[Model, Brain | None]":
    """Who is asked, and what answers instead of a server: `recorded` reads a folder whose answers are replayed.

    Raises UserError for several models, and for a model beside a replay.
    """
    from experiments.running import single_game
    from experiments.running.question_run import model_of
    from orchestrator.models.settings import PROGRAM, REPLAY

    if model and model.startswith(REPLAY):
        replay, model = Path(model.removeprefix(REPLAY)), None
    if replay is not None:
        if model is not None:
            raise UserError("--replay takes the model of the recorded run; leave --model out")
        return recorded(replay)
    named = single_game.resampled(single_game.models([], model or PROGRAM), **sampling)
    if len(named) > 1 and "default" not in named:
        raise UserError(f"{model} names several models, {', '.join(named)}; questions are asked of one, `default`")
    return model_of(named.get("default") or next(iter(named.values()))), None


def slug(model: str) -> str:
    """A model's name as that of a folder: without its server."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model.partition("@http")[0]).strip("-")


def check_whole(done: "Done") -> None:
    """Raises what a run that is not whole ends a command with."""
    if done.interrupted and done.left:
        raise Interrupted(f"{done.left} of {done.trials} answers are left; the same command goes on")
    if done.left:
        onward = "a larger budget" if done.over_budget else "the same command"
        raise Suspended(f"{done.problem}; {done.left} of {done.trials} answers are left, and {onward} goes on", 0)


def say(line: str) -> None:
    """Print a line as it is."""
    from rich.text import Text

    from experiments.document.terminal import console

    console().print(Text(line), soft_wrap=True)
