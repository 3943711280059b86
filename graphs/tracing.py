"""Traces: who listens to LangChain's callbacks, and a game as one trace whose turns nest in it."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import structlog

from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Result
from hanabi_orchestrator.orchestrator.models import llm_runs
from hanabi_orchestrator.orchestrator.table.seat import GameContext


def listens(callbacks: Sequence[Any] = ()) -> bool:
    """Return whether anybody sees what LangGraph runs: these handlers, LangSmith, or a runnable that the game is part
    of. LangChain is not imported to find out."""
    return bool(callbacks or _outer() or llm_runs.to_langsmith())


def _outer() -> Mapping[str, Any] | None:
    """The config of the runnable that the game is part of."""
    loaded = sys.modules.get("langchain_core.runnables.config")
    return loaded.var_child_runnable_config.get() if loaded is not None else None


async def around(
    started: GameStarted, game: Callable[[], Awaitable[Result]], callbacks: Sequence[Any]
) -> Result:
    """Play a game as one run, if anybody listens, who sees its turns in it; nothing hidden is in its input."""
    if not listens(callbacks):
        return await game()
    from langchain_core.runnables import RunnableLambda  # it takes a second to import
    from langchain_core.runnables.config import merge_configs

    async def played(_: Any) -> Result:
        return await game()

    facts = {
        "game": started.game,
        "repeat": started.repeat,
        "players": started.players,
        "graph": started.graph,
    }
    metadata = {**facts, **_labels(started.game, started.repeat)}
    run: Any = RunnableLambda(played)
    heard = merge_configs(
        {"callbacks": (_outer() or {}).get("callbacks")}, {"callbacks": list(callbacks) or None}
    )
    config = {**heard, "run_name": f"game {started.graph}", "metadata": metadata}
    result: Result = await run.ainvoke(facts, config)
    return result


def of_turn(view: AnyView, game: GameContext) -> dict[str, Any]:
    """Return the name and metadata of a turn's run."""
    metadata = {
        "game": game.hash,
        "seat": view.seat,
        "turn": view.turn,
        **_labels(game.hash, game.repeat),
    }
    return {"run_name": f"turn {view.turn}, P{view.seat}", "metadata": metadata}


def _labels(game: str, repeat: int) -> Mapping[str, Any]:
    """Return what tracers group the runs of a game by, and the arm of an experiment that is being played."""
    arm = structlog.contextvars.get_contextvars().get("arm")
    return {"thread_id": f"{game}-{repeat}"} | ({"arm": arm} if arm else {})
