"""How a run reaches its models, as plain data: every process builds its model layer from it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hanabi_orchestrator.orchestrator.errors import UserError, shortened
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.cache import Cache
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter

OFF = "off"


@dataclass(frozen=True)
class ModelOptions:
    """The cache, recording and budget of a run."""

    cache: str = OFF
    """A folder that keeps responses, or `off`."""
    replay: Path | None = None
    """A folder of journals that answers instead of every model."""
    max_tokens: int | None = None
    max_usd: float | None = None

    def __post_init__(self) -> None:
        """Raise UserError for an impossible budget."""
        Budget(self.max_tokens, self.max_usd)

    @property
    def limited(self) -> bool:
        return self.max_tokens is not None or self.max_usd is not None

    def layer(self, budget: Budget | None = None, share: int = 1) -> ModelLayer:
        """Return the model layer of a process.

        `share`: how many processes divide the limit of each model among them. `budget`: one that is
        shared with other processes; its own if not given. Raises UserError for a recording that
        does not exist.
        """
        if budget is None and self.limited:
            budget = Budget(self.max_tokens, self.max_usd)
        return ModelLayer(
            cache=None if self.cache == OFF else Cache(Path(self.cache)),
            budget=budget,
            replay=None if self.replay is None else Replay(Recording.read(self.replay)),
            limit=lambda server, model, most: Limiter(max(1, most // share)),
        )


def budget(amounts: Sequence[str]) -> tuple[int | None, float | None]:
    """Read the budgets of a command line, `2000000tokens` and `5usd`: the most tokens, and the most
    dollars.

    Raises UserError.
    """
    limits = dict[str, float]()
    for text in amounts:
        amount = re.fullmatch(r"(-?\d[\d_,]*(?:\.\d+)?) ?(tokens|usd)", text.strip().lower())
        if amount is None or (amount[2] == "tokens" and "." in amount[1]):
            raise UserError(f"--budget {text!r} is no budget: write e.g. 2000000tokens or 5usd")
        if amount[2] in limits:
            raise UserError(f"--budget is given twice in {amount[2]}")
        limits[amount[2]] = float(re.sub("[_,]", "", amount[1]))
        if math.isinf(limits[amount[2]]):
            raise UserError(f"--budget {shortened(text)!r} is no budget, but a number without end")
    tokens = limits.get("tokens")
    return None if tokens is None else int(tokens), limits.get("usd")
