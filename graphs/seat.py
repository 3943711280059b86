"""A compiled graph as a seat: View in, Decision out, whatever happened on the way."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from langchain_core.language_models.chat_models import BaseChatModel

import prompts
from graphs.build import attempts, built
from graphs.change import bind
from graphs.config import PROGRAM, GraphConfig, read
from graphs.node import Kit, SeatState
from orchestrator import models
from orchestrator.brain import Brain
from orchestrator.events import SeatCard, Sink, nowhere
from orchestrator.seat import Decision, Memory
from orchestrator.view import View
from roles import Notes, Verdict
from roles.position import TAKES, Position
from roles.replies import AnyChoice, RatedChoice, ReasonedChoice
from roles.safety import safest
from roles.sections import cut

Model = str | BaseChatModel | Brain
"""`program`, `openai:NAME[@URL]`, any LangChain chat model, or a brain of one's own."""


@dataclass(frozen=True)
class GraphSeat:
    """A graph that plays. `config` is bound: every node's model is `program` or a key of `brains`."""

    config: GraphConfig
    brains: Mapping[str, Brain]
    emit: Sink = nowhere

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        made = built(self.config, view.players)
        state: SeatState = {"view": view, "notes": {}}
        kit = Kit(self.brains, self.emit)
        done = await made.graph.ainvoke(state, context=kit, config={"recursion_limit": len(made.graph.nodes) + 5})
        return decide(made.config, view, done["notes"])

    @property
    def card(self) -> SeatCard:
        return SeatCard(
            graph=self.config.name,
            model="+".join(self.config.models),
            config=self.config.model_dump(mode="json"),
            prompts=_prompts(self.config),
        )

    def telling(self, sink: Sink) -> Self:
        return replace(self, emit=sink)

    async def aclose(self) -> None:
        for brain in self.brains.values():
            await brain.aclose()


def decide(config: GraphConfig, view: View, notes: Notes) -> Decision:
    """The last attempt's choice if every judge let it pass; else the safest legal move, marked as forced."""
    last = [attempt for attempt in attempts(config) if attempt.name(config.decides) in notes][-1]
    (choice,) = notes[last.name(config.decides)]
    verdicts = [note for judge in last.judges for note in notes.get(last.name(judge), ())]
    refused = any(isinstance(verdict, Verdict) and not verdict.accept for verdict in verdicts)
    if isinstance(choice, AnyChoice) and not refused:
        rated = choice.ratings if isinstance(choice, RatedChoice | ReasonedChoice) else None
        ratings = None if rated is None else {str(rating.action): rating.rating for rating in rated}
        return Decision(choice.action, choice.reason, ratings, node=last.name(config.decides))
    move, why = safest(Position.of(cut(view, [(kind, {}) for kind in TAKES])))
    tries = f"{last.number} {'choice' if last.number == 1 else 'choices'}"
    cause = f"none of {tries} passed" if refused else f"{config.decides} gave no usable choice"
    return Decision(move, f"forced, {cause}: {why}", forced=True)


def seat(
    graph: GraphConfig | str | Path, model: Model = PROGRAM, *, named: Mapping[str, Model] | None = None
) -> GraphSeat:
    """A seat of a graph (a config, a name or a YAML file) with a model bound to `default`, and others by name.

    Raises UserError for a graph or a model that cannot be.
    """
    config = graph if isinstance(graph, GraphConfig) else read(graph)
    brains: dict[str, Brain] = {}
    labels: dict[str, str] = {}
    for name, bound in {"default": model, **(named or {})}.items():
        called = label(bound)
        if called != PROGRAM and called in labels.values() and not isinstance(bound, str):
            called = f"{called} ({name})"  # another object of the same class and model
        labels[name] = called
        if called != PROGRAM and called not in brains:
            brains[called] = models.brain(bound) if isinstance(bound, str | BaseChatModel) else bound
    return GraphSeat(bind(config, labels), brains)


def label(model: Model) -> str:
    """How a model is called in journals and results."""
    if isinstance(model, str):
        return model
    named: Any = getattr(model, "model_name", None) or getattr(model, "model", None)
    return f"{type(model).__name__}:{named}" if isinstance(named, str) else type(model).__name__


def _prompts(config: GraphConfig) -> str:
    """A hash of every prompt file and of the templates that this graph's roles brought along."""
    brought = [config.role(name).template or "" for name in config.nodes]
    return hashlib.sha256("\n".join((prompts.fingerprint(), *brought)).encode()).hexdigest()[:16]
