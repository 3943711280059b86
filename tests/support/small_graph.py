"""A small graph to vary, and turns of scripted models: what the tests of graphs share."""

from typing import Any

import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from tests.support.positions import position

LAST = position("5p-last-round")
OPENING = position("2p-opening")

SMALL = {
    "name": "small",
    "context": "sherlock",
    "nodes": {
        "proposer": {"role": "proposer"},
        "aggregator": {"role": "aggregator", "reads": ["proposer"]},
    },
    "decides": "aggregator",
}


def small(**changes: Any) -> str:
    return yaml.safe_dump({**SMALL, **changes}, sort_keys=False)


def nodes(**more: Any) -> dict[str, Any]:
    return {**SMALL["nodes"], **more}  # type: ignore[dict-item]


def scripted(**answers: Any) -> Scripted:
    """Every choice is the first of the list, unless answered otherwise."""
    return Scripted({**dict.fromkeys(DECIDING, _first), **answers})


DECIDING = (
    "proposer",
    "generator",
    "aggregator",
    "watson_aggregator",
    "sherlock_aggregator",
    "selector",
)


def _first(request: ModelRequest) -> dict[str, Any]:
    return {"ratings": [], "reason": "r", "action": next(iter(request.moves))}


async def turn(
    config: graphs.GraphConfig | str, brain: Scripted | str, view: View = LAST
) -> tuple[Decision, list[Event]]:
    events: list[Event] = []
    seat = graphs.seat(config, brain) if isinstance(brain, Scripted) else graphs.seat(config)
    return await seat.bind(GameContext(events.append))(view, {}), events
