"""The models of a run: who answered, what their answers were held to, and where arms or models differ in that."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.analysis.statistics.clusters import groups
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
    held: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By arm and role: how many of its first answers were held to what. Second requests may have another format."""

    @property
    def kinds(self) -> Counter[str]:
        """How many of its first answers were held to what, over all arms and roles."""
        return sum(self.held.values(), Counter[str]())


def read_answerers(folder: Path, rows: Iterable[Row]) -> dict[str, Answerer]:
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
                    if call.ask == 0:
                        counts = answerer.held.setdefault((row.arm, call.role), Counter())
                        counts[HELD.get(call.constraint or "", "no schema")] += 1
        except UserError:
            continue
    return answerers


def confound(answerers: Mapping[str, Answerer]) -> Iterator[str]:
    """Say where models, or the arms of one model, differ in what their answers were held to."""
    answering = [model for model in answerers if answerers[model].kinds]
    by_kind = groups(answering, lambda model: answerers[model].kinds.most_common(1)[0][0])
    if len(by_kind) > 1:
        ways = "; ".join(f"those of {', '.join(models)} to {kind}" for kind, models in by_kind.items())
        yield (
            f"Servers held answers to different things: {ways}. So a difference between these models may be one of "
            "schemas: unreadable answers and illegal moves are rarer with one. `response_format: none` asks all alike."
        )
    for model in answering:
        yield from _arms_apart(model, answerers[model].held)


APART = 0.05
"""The difference between two arms, in the share of a role's answers that were held to one thing, that is said."""


def _arms_apart(model: str, held: Mapping[tuple[str, str], Counter[str]]) -> Iterator[str]:
    """Say of each role where arms differ most in what the answers of one model were held to."""
    for role, keys in groups(held, lambda key: key[1]).items():
        kinds = dict.fromkeys(kind for key in keys for kind in held[key])
        widest, largest = None, APART
        for kind in kinds:
            by_share = sorted(keys, key=lambda key: held[key][kind] / held[key].total())
            low, high = by_share[0], by_share[-1]
            distance = held[high][kind] / held[high].total() - held[low][kind] / held[low].total()
            if distance > largest:
                widest, largest = (kind, high, low), distance
        if widest is not None:
            kind, high, low = widest
            yield (
                f"Arms of {model} differ in what the server held answers of {role} to: to {kind}, "
                f"{held[high][kind]} of {held[high].total()} in {high[0]} and {held[low][kind]} of {held[low].total()} "
                f"in {low[0]}. So a difference between these arms may be one of schemas."
            )
