"""A seat's graph as a LangGraph app: for code of one's own, and for LangGraph's tools (`langgraph.json`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from typing_extensions import TypedDict  # before Python 3.12 no form can be made of typing's own

from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.asking import SeatRuntime
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.graph_seat import GraphSeat, Model, seat
from hanabi_orchestrator.graphs.langgraph_compile import TurnBuilder, TurnGraph, wired
from hanabi_orchestrator.orchestrator.game.registry import get
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM


def build(
    graph: GraphConfig | str | Path,
    players: int | None = None,
    model: Model = PROGRAM,
    *,
    named: Mapping[str, Model] | None = None,
    layer: ModelLayer | None = None,
    **options: Any,
) -> TurnGraph:
    """Return the compiled LangGraph graph of a turn.

    Its input is `{"view": view, "memory": {...}}`, its output has `decision`, `memory` and `notes`.

    `players`: the usual number of its game where nobody says one. `graph`, `model`, `named` and `layer` are those of
    `seat`, `options` those of LangGraph's `compile`, such as
    `checkpointer` and `interrupt_before`. Raises UserError for an unknown graph or model and a wrong player count.
    """
    seated = seat(graph, model, named=named, layer=layer)
    return _builder(seated, players).compile(name=seated.config.name, **options)


def _builder(seated: GraphSeat, players: int | None, form: type | None = None) -> TurnBuilder:
    runtime = SeatRuntime(seated.brains, seated.game, models=seated.models)
    game = get(seated.config.game)
    count = game.usual if players is None else game.check_players(players)
    return wired(at(seated.config, count), runtime, count, form)


class Form(TypedDict, total=False):
    """What LangGraph's tools let people choose."""

    graph: str
    """A name, or the path of a YAML file."""
    model: str
    """As on the command line."""
    players: int
    """2 to 5, as in the view."""


def house(config: RunnableConfig) -> TurnGraph:
    """The graph that LangGraph's tools open; `configurable` may name `graph`, `model` and `players`.

    Raises UserError likewise.
    """
    chosen = config.get("configurable") or {}
    seated = seat(chosen.get("graph", "house"), chosen.get("model", PROGRAM))
    return _builder(seated, chosen.get("players"), Form).compile(name=seated.config.name)
