"""A small graph to vary, and turns of scripted models: what the tests of graphs share."""

from typing import Any

import yaml

import graphs
from orchestrator.brain import Scripted
from orchestrator.events import Event
from orchestrator.seat import Chair, Decision
from orchestrator.view import View
from tests.tables import position

LAST = position("5p-last-round")
OPENING = position("2p-opening")

SMALL = {
    "name": "small",
    "context": "sherlock",
    "nodes": {"proposer": {"role": "proposer"}, "aggregator": {"role": "aggregator", "reads": ["proposer"]}},
    "decides": "aggregator",
}


def small(**changes: Any) -> str:
    return yaml.safe_dump({**SMALL, **changes}, sort_keys=False)


def nodes(**more: Any) -> dict[str, Any]:
    return {**SMALL["nodes"], **more}  # type: ignore[dict-item]


def scripted(**answers: Any) -> Scripted:
    plain = {
        role: {"ratings": [], "reason": "r", "action": 0}
        for role in ("proposer", "generator", "aggregator", "selector")
    }
    return Scripted({**plain, **answers})


async def turn(
    config: graphs.GraphConfig | str, brain: Scripted | str, view: View = LAST
) -> tuple[Decision, list[Event]]:
    events: list[Event] = []
    seat = graphs.seat(config, brain) if isinstance(brain, Scripted) else graphs.seat(config)
    return await seat.sitting(Chair(events.append))(view, {}), events
