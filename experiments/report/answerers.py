"""The models of a run: who answered, what each role took, what answers were held to, and where that
differs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from hanabi_orchestrator.experiments.analysis.statistics.clusters import groups
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.lines import CallBrief
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated

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
    """By arm and role: how many of its first answers were held to what. Second requests may have
    another format."""

    @property
    def kinds(self) -> Counter[str]:
        """How many of its first answers were held to what, over all arms and roles."""
        return sum(self.held.values(), Counter[str]())


@dataclass
class RoleUsage:
    """What the calls of a role to one model took in the finished games of an arm. Tokens and money
    are of what was paid for: a cache and simulated models cost nothing."""

    calls: int = 0
    paid: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    """Of the tokens in: those from a provider's cache."""
    reasoning_tokens: int = 0
    """Of the tokens out."""
    usd: float | None = 0.0
    """None where a call has no known price."""

    def add(self, call: CallBrief) -> None:
        self.calls += 1
        if not call.paid:
            return
        self.paid += 1
        self.tokens_in += call.tokens_in
        self.tokens_out += call.tokens_out
        self.cached_tokens += call.cached_tokens
        self.reasoning_tokens += call.reasoning_tokens
        self.usd = None if self.usd is None or call.usd is None else self.usd + call.usd


@dataclass
class Asked:
    """What the journals of a run's finished games say of its calls to models."""

    answerers: dict[str, Answerer] = field(default_factory=dict)
    """By model: those that servers answered for."""
    usage: dict[tuple[str, str, str], RoleUsage] = field(default_factory=dict)
    """By arm, role and model."""

    def add(self, arm: str, call: CallBrief) -> None:
        """Count a call of a model."""
        if call.outcome != "failed":
            self.usage.setdefault((arm, call.role, call.model), RoleUsage()).add(call)
        if is_simulated(call.model):
            return
        answerer = self.answerers.setdefault(call.model, Answerer())
        answerer.ids |= {call.served_by} if call.served_by else set()
        if call.ask == 0:
            counts = answerer.held.setdefault((arm, call.role), Counter())
            counts[HELD.get(call.constraint or "", "no schema")] += 1


def read_asked(folder: Path, rows: Iterable[Row]) -> Asked:
    """Return what models were asked; a journal that cannot be read says nothing, and one of
    programs need not be."""
    asked = Asked()
    for row in rows:
        path = folder / row.journal
        try:
            for call in Game.open(path).briefs if row.calls and path.exists() else ():
                if call.of_model:
                    asked.add(row.arm, call)
        except UserError:
            continue
    return asked


def confound(answerers: Mapping[str, Answerer]) -> Iterator[str]:
    """Say where models, or the arms of one model, differ in what their answers were held to."""
    answering = [model for model in answerers if answerers[model].kinds]
    by_kind = groups(answering, lambda model: answerers[model].kinds.most_common(1)[0][0])
    if len(by_kind) > 1:
        ways = "; ".join(
            f"those of {', '.join(models)} to {kind}" for kind, models in by_kind.items()
        )
        yield (
            f"Servers held answers to different things: {ways}. So a difference between these "
            "models may be one of schemas: unreadable answers and illegal moves are rarer with "
            "one. `response_format: none` asks all alike."
        )
    for model in answering:
        yield from _arms_apart(model, answerers[model].held)


APART = 0.05
"""The difference between two arms, in the share of a role's answers that were held to one thing,
that is said."""


def _arms_apart(model: str, held: Mapping[tuple[str, str], Counter[str]]) -> Iterator[str]:
    """Say of each role where arms differ most in what the answers of one model were held to."""
    for role, keys in groups(held, lambda key: key[1]).items():
        kinds = dict.fromkeys(chain.from_iterable(held[key] for key in keys))
        widest = None
        largest = APART
        for kind in kinds:
            by_share = sorted(keys, key=lambda key: held[key][kind] / held[key].total())
            low = by_share[0]
            high = by_share[-1]
            distance = held[high][kind] / held[high].total() - held[low][kind] / held[low].total()
            if distance > largest:
                widest = (kind, high, low)
                largest = distance
        if widest is not None:
            kind, high, low = widest
            yield (
                f"Arms of {model} differ in what the server held answers of {role} to: to {kind}, "
                f"{held[high][kind]} of {held[high].total()} in {high[0]} and {held[low][kind]} "
                f"of {held[low].total()} in {low[0]}. So a difference between these arms may be "
                "one of schemas."
            )
