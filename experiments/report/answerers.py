"""How the models of a run answered: as whom, and what their servers held the answers to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.record.game import Game
from experiments.record.rows import Row
from orchestrator.errors import UserError
from orchestrator.models.settings import PERSON, PROGRAM
from orchestrator.models.simulated_settings import is_simulated

HELD = {
    "fitted": "a schema with the legal moves",
    "moves": "a schema with the legal moves",
    "bounds": "a schema without the legal moves",
    "schema": "a schema without the legal moves",
    "json_object": "any JSON object",
}
"""What a server holds an answer to, in words, by the constraint of a call."""


@dataclass
class Answerer:
    """A model of a run."""

    ids: set[str] = field(default_factory=set)
    """By which its servers said that they answered."""
    held: Counter[str] = field(default_factory=Counter)
    """How many of its answers were held to what."""


def read(folder: Path, rows: Iterable[Row]) -> dict[str, Answerer]:
    """Return the models that servers answered for; a journal that cannot be read says nothing.

    A game of programs and simulated models need not be read.
    """
    answerers: dict[str, Answerer] = {}
    for row in rows:
        path = folder / row.journal
        asks = not all(model in (PROGRAM, PERSON) or is_simulated(model) for model in row.model.split("+"))
        try:
            for call in Game.open(path).briefs if asks and path.exists() else ():
                if call.of_model and not is_simulated(call.model):
                    answerer = answerers.setdefault(call.model, Answerer())
                    answerer.ids |= {call.served_by} if call.served_by else set()
                    answerer.held[HELD.get(call.constraint or "", "no schema")] += 1
        except UserError:
            continue
    return answerers


def confound(answerers: Mapping[str, Answerer]) -> Iterator[str]:
    """Say where models differ in what their answers were held to, which their games then differ in, too."""
    by_kind: dict[str, list[str]] = {}
    for model, answerer in answerers.items():
        by_kind.setdefault(answerer.held.most_common(1)[0][0], []).append(model)
    if len(by_kind) > 1:
        ways = "; ".join(f"those of {', '.join(models)} to {kind}" for kind, models in by_kind.items())
        yield (
            f"Servers held answers to different things: {ways}. So a difference between these models may be one of "
            "schemas: unreadable answers and illegal moves are rarer with one. `response_format: none` asks all alike."
        )
