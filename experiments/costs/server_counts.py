"""The tokens that servers counted in recorded calls, also of games that are not finished.

From them an estimate learns how many tokens a model's characters take, and how long its answers are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from experiments.record.rows import Peeked
from orchestrator.errors import UserError
from orchestrator.journal import file
from orchestrator.models.request import estimated
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated

JOURNALS = 5
"""Journals that are read for each model with its sampling."""
CALLS = 40
"""Calls that are read of each."""


@dataclass(frozen=True)
class ServerCounts:
    """Sums over calls to one model."""

    calls: int = 0
    guessed: int = 0
    """Tokens of the prompts, as `request.estimated` counts them."""
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: "ServerCounts") -> "ServerCounts":
        return ServerCounts(
            self.calls + other.calls,
            self.guessed + other.guessed,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )

    @property
    def density(self) -> float:
        """The server's tokens per estimated token."""
        return self.tokens_in / self.guessed


def read(games: Mapping[Path, Peeked]) -> list[tuple[dict[str, Any], ServerCounts]]:
    """By journal, the settings of its only model and what was counted; other journals, and those without, are left out.

    A game of several models does not say which of them counted what.
    """
    found: list[tuple[dict[str, Any], ServerCounts]] = []
    for path, peeked in games.items():
        model = _only_model(peeked)
        if model is None or sum(model == other for other, _ in found) >= JOURNALS:
            continue
        counts = sum(islice(_calls(path), CALLS), ServerCounts())
        if counts.guessed:
            found.append((model, counts))
    return found


def _only_model(peeked: Peeked) -> dict[str, Any] | None:
    """The settings of the one model on a server that the seats of a game ask."""
    seats = peeked.started.seats if peeked.started else ()
    models = [one for seat in seats for name, one in seat.models.items() if name != PROGRAM and not is_simulated(name)]
    return models[0] if models and all(one == models[0] for one in models) else None


def _calls(path: Path) -> Iterator[ServerCounts]:
    """The counts of the calls that a server answered and counted."""
    try:
        for line in file.lines(path):
            if b'"call"' in line and (call := file.data(line)).get("event") == "call" and _counted(call):
                guessed = sum(estimated(message["content"]) for message in call["messages"])
                yield ServerCounts(1, guessed, call["tokens_in"], call["tokens_out"])
    except (ValueError, KeyError, UserError):
        return  # whoever reads the journal for its game says what is wrong with it


def _counted(call: dict[str, Any]) -> bool:
    return bool(call.get("messages") and call.get("tokens_in") and not call.get("estimated"))
