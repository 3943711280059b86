"""A graph as a seat: View in, Decision out, whatever happened on the way."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload

from hanabi_orchestrator.graphs import prompt_files, tracing
from hanabi_orchestrator.graphs.ablate import at, bind
from hanabi_orchestrator.graphs.answerers import Fixed, SimulatedModel
from hanabi_orchestrator.graphs.asking import SeatRuntime, resumed
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, checked, read
from hanabi_orchestrator.graphs.control_notes import NOTHING_GIVEN, OtherGame
from hanabi_orchestrator.graphs.decision import decided
from hanabi_orchestrator.graphs.walk import walk
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Memory, Result, SeatInfo
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay
from hanabi_orchestrator.orchestrator.models import simulated_settings
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer, described, is_langchain
from hanabi_orchestrator.orchestrator.models.request import Brain
from hanabi_orchestrator.orchestrator.models.settings import REPLAY, ModelSettings, settings
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings, is_simulated
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from hanabi_orchestrator.orchestrator.values import cached_by_identity

if TYPE_CHECKING:  # LangChain takes a second to import, and a game of programs needs none of it
    from langchain_core.language_models.chat_models import BaseChatModel
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from hanabi_orchestrator.graphs.state_graph_seat import StateGraphSeat

    OwnGraph: TypeAlias = StateGraph[Any, Any, Any, Any] | CompiledStateGraph[Any, Any, Any, Any]

Model: TypeAlias = "str | Mapping[str, Any] | ModelSettings | SimSettings | BaseChatModel | Brain"
"""`program`, `sim:NAME`, `openai:NAME[@URL]`, `replay:DIR`, settings with a `model`, a LangChain model, a brain."""


@dataclass(frozen=True)
class GraphSeat:
    """A graph that plays. `config` is bound: every node's model is `program` or a key of `brains`."""

    config: GraphConfig
    brains: Mapping[str, Brain | SimulatedModel]
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The settings that influence the responses of each model."""
    game: GameContext = field(default_factory=GameContext)
    fixed: Mapping[int, Fixed] = field(default_factory=dict)
    """By turn: replies that are held fixed, so that their nodes are not asked; see `recorded`."""
    callbacks: tuple[Any, ...] = ()
    """LangChain's callback handlers, which see its games."""

    async def __call__(self, view: AnyView, memory: Memory, /) -> Decision:
        """Raises ModelError when a model gave no answer, TurnError when a role's program failed."""
        engine = self.config.engine or (LANGGRAPH if tracing.listens(self.callbacks) else None)
        other_game = OtherGame.read(memory) if self.config.controls.replaced else NOTHING_GIVEN
        runtime = SeatRuntime(self.brains, self.game, self.fixed.get(view.turn, {}), other_game)
        return await _turn(self.config, view.players, engine)(view, memory, runtime)

    async def around(self, started: GameStarted, game: Callable[[], Awaitable[Result]]) -> Result:
        """Play a game in one trace, if a tracer listens: its turns nest in it."""
        return await tracing.around(started, game, self.callbacks)

    @cached_property
    def info(self) -> SeatInfo:
        return SeatInfo(
            graph=self.config.name,
            model="+".join(self.config.models),
            config=self.config.model_dump(mode="json"),
            models={
                name: dict(deciding)
                for name, deciding in self.models.items()
                if name in self.config.models
            },
            prompts=prompt_files.hashes(self.config),
            control=self.config.controls.label,
            game=self.config.game,
            own_hand=self.config.controls.own_hand,
        )

    def bind(self, context: GameContext) -> Self:
        return replace(self, game=context, brains=resumed(self.brains, context))

    async def aclose(self) -> None:
        for brain in self.brains.values():
            await brain.aclose()


PlayTurn = Callable[[AnyView, Memory, SeatRuntime], Awaitable[Decision]]


LANGGRAPH = "langgraph"


@cached_by_identity(256)
def _turn(graph: GraphConfig, players: int, engine: str | None) -> PlayTurn:
    """What plays a turn, made once for all games, and all positions, of a seat."""
    config = at(graph, players)
    if engine == LANGGRAPH or not (walked := walk(config)):
        # games of programs do not need LangGraph
        from hanabi_orchestrator.graphs import langgraph_compile

        return partial(
            langgraph_compile.play, langgraph_compile.compiled(graph.model_dump_json(), players)
        )

    async def turn(view: AnyView, memory: Memory, runtime: SeatRuntime) -> Decision:
        done = await walked({"view": view, "memory": memory, "notes": {}}, runtime)
        if runtime.failed:
            raise runtime.failed[0]
        return decided(config, view, done["notes"])

    return turn


@overload
def seat(
    graph: GraphConfig | str | Path,
    model: Model = PROGRAM,
    *,
    named: Mapping[str, Model] | None = None,
    layer: ModelLayer | None = None,
    callbacks: Sequence[Any] = (),
) -> GraphSeat: ...


@overload
def seat(graph: "OwnGraph", *, callbacks: Sequence[Any] = ()) -> "StateGraphSeat": ...


def seat(
    graph: "GraphConfig | str | Path | OwnGraph",
    model: Model = PROGRAM,
    *,
    named: Mapping[str, Model] | None = None,
    layer: ModelLayer | None = None,
    callbacks: Sequence[Any] = (),
) -> "GraphSeat | StateGraphSeat":
    """Return a seat for a graph (a config, a name or a YAML file) with a model bound to `default`, and others by name.

    A LangGraph `StateGraph` over `TurnState` takes a seat, too; its nodes have their models already.

    `callbacks`: LangChain's callback handlers, which then see every game as one trace (LangGraph runs it). `layer`
    makes the brains of models; seats that share one share its limits, cache, budget and recording. Raises UserError for
    an unknown graph, and for a model that cannot be used.
    """
    if not isinstance(graph, GraphConfig | str | Path):
        from hanabi_orchestrator.graphs.state_graph_seat import of_graph

        return of_graph(graph, callbacks=callbacks)
    config = graph if isinstance(graph, GraphConfig) else read(graph)
    layer = layer or ModelLayer()
    written = {model_of: model_of for model_of in config.models if is_simulated(model_of)}
    bound = {
        name: _opened(model_of)
        for name, model_of in {**written, "default": model, **(named or {})}.items()
    }
    labels = _labels(bound)
    config = bind(config, labels)
    asked_models = {*config.models} - {PROGRAM}
    models = {
        labels[name]: model_of for name, model_of in bound.items() if labels[name] in asked_models
    }
    unbound = GraphSeat(
        config,
        {called: _brain(model_of, layer) for called, model_of in models.items()},
        {called: _deciding(model_of) for called, model_of in models.items()},
        callbacks=tuple(callbacks),
    )
    if unbound.config.engine == "walk" and walk(unbound.config) is None:
        raise UserError(
            "engine: walk is for programs alone; a graph that asks models runs on LangGraph"
        )
    brains = {  # a recording answers with what such a seat was answered
        called: Replay(brain.recording.of_seat(unbound.info))
        if isinstance(brain, Replay)
        else brain
        for called, brain in unbound.brains.items()
    }
    return replace(unbound, brains=brains)


def seat_again(
    info: SeatInfo, *, models: Mapping[str, Model] | None = None, layer: ModelLayer | None = None
) -> GraphSeat:
    """The seat of a graph as a journal describes it; its models keep the names that they have there.

    `models`: how to reach a model, by its name, instead of by the settings in the journal. Raises UserError for a graph
    or a model that cannot be used now.
    """
    layer = layer or ModelLayer()
    config = checked(dict(info.config or {}), f"the journal's graph {info.graph!r}")
    recorded: dict[str, Model] = {
        name: deciding for name, deciding in info.models.items() if deciding
    }
    # a journal alone opens no recording
    replacements = {name: _opened(model) for name, model in (models or {}).items()}
    used = {
        name: {**recorded, **replacements}.get(name, name)
        for name in config.models
        if name != PROGRAM
    }
    return GraphSeat(
        config, {name: _brain(model, layer) for name, model in used.items()}, dict(info.models)
    )


def _brain(model: Model, layer: ModelLayer) -> Brain | SimulatedModel:
    if (sim := simulated_settings.settings(model)) and layer.replay is None:
        return SimulatedModel(sim)
    if isinstance(model, str | Mapping | ModelSettings) or is_langchain(model):
        return layer.brain(model)
    if not (callable(model) and hasattr(model, "aclose")):
        raise UserError(
            f"{model!r} is no model: a string, settings, a LangChain chat model, or a brain"
        )
    return model


def _opened(model: Model) -> Model:
    """The recording of a `replay:DIR`; any other model as it is."""
    if isinstance(model, str) and model.startswith(REPLAY):
        return Replay(Recording.read(Path(model.removeprefix(REPLAY))))
    return model


def _deciding(model: Model) -> Mapping[str, Any]:
    """The settings that decide what it answers, as far as they are known."""
    if isinstance(model, Replay):
        return model.recording.model[1]
    if is_langchain(model):
        return described(model).deciding
    if sim := simulated_settings.settings(model):
        return sim.deciding
    if isinstance(model, str | Mapping | ModelSettings) and model != PROGRAM:
        return settings(model).deciding
    return {}


def _labels(bound: Mapping[str, Model]) -> dict[str, str]:
    """The names of the bound models in journals: two that answer differently never share one."""
    labels: dict[str, str] = {}
    seen: dict[str, Model] = {}
    for name, model in bound.items():
        called = label(model)
        first = seen.setdefault(called, model)
        alike = (
            isinstance(model, str)
            or first is model
            or (bool(_deciding(model)) and _deciding(model) == _deciding(first))
        )
        labels[name] = called if alike else f"{called} ({name})"
    return labels


def label(model: Model) -> str:
    """A model's name in journals and results; a replay has the name of the model that was recorded."""
    if isinstance(model, str):
        return model
    if isinstance(model, Replay):
        return model.recording.model[0]
    if sim := simulated_settings.settings(model):
        return sim.model
    if isinstance(model, Mapping | ModelSettings):
        return settings(model).model
    named: Any = getattr(model, "model_name", None) or getattr(model, "model", None)
    return f"{type(model).__name__}:{named}" if isinstance(named, str) else type(model).__name__
