"""What the commands that put questions to a model share: who is asked, how, and how a run that is not over ends."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.cli.shared_options import Evaluation, print_blocks
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from experiments.tasks.question_task import Model
    from orchestrator.models.settings import ModelSettings


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


def print_estimate(asked: AskedModel, unit: str, units: int, calls: int, tokens_in: int, as_json: bool) -> None:
    """Print what questions would cost."""
    from experiments.costs import asked as costs
    from experiments.costs.prompt_probe import TurnLoad
    from orchestrator.models.settings import PROGRAM

    models = {asked.name: PROGRAM if asked.replay else asked.model}
    rows = [costs.Asked(asked.name, units, {asked.name: TurnLoad(calls, tokens_in)})]
    print_blocks(costs.data(rows, models, unit), costs.blocks(rows, models, unit), as_json=as_json)


def asked_model(asked: Evaluation, recorded: "Callable[[Path], ModelSettings]") -> AskedModel:
    """Return who is asked: `recorded` reads the model of a folder whose answers are replayed.

    Raises UserError for several models, and for a model beside a replay.
    """
    from experiments.running import single_game
    from experiments.tasks.question_task import model_of
    from orchestrator.models.settings import PROGRAM, REPLAY

    model, replay = asked.model, asked.replay
    if model and model.startswith(REPLAY):
        replay, model = Path(model.removeprefix(REPLAY)), None
    if replay is not None:
        if model is not None:
            raise UserError("replay:DIR takes the model of the recorded run; leave --model out")
        return AskedModel(recorded(replay), replay)
    named = single_game.resampled(single_game.models([], model or PROGRAM), **asked.settings)
    if len(named) > 1 and "default" not in named:
        raise UserError(f"{model} names several models, {', '.join(named)}; questions are asked of one, `default`")
    return AskedModel(model_of(named.get("default") or next(iter(named.values()))), None)
