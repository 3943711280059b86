"""The calls and prompt tokens of a graph's typical turn, found without asking a model: its prompts at a few positions.

The positions are those of `design/prompt_positions.py`, the same for every graph, so that the costs of arms can be
compared. Tokens are estimated as characters / 3.2.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from experiments.study.prompt_positions import POSITIONS, ProbeGame, at_positions, game
from graphs.ablate import at
from graphs.attempts import base, node_calls
from graphs.config import GraphConfig
from orchestrator.models.request import estimated, messages
from orchestrator.table.seat import BEFORE


@dataclass(frozen=True)
class TurnLoad:
    """What a model has to do in a turn, on average over the positions."""

    calls: float
    tokens_in: float


def turn(config: GraphConfig, players: int, shown: int = 0) -> Mapping[str, TurnLoad]:
    """By model name of the nodes; `shown`: how many records of past games the seat was shown."""
    return asyncio.run(_turn(at(config, players), game(players), shown))


async def _turn(here: GraphConfig, played: ProbeGame, shown: int) -> dict[str, TurnLoad]:
    calls, tokens = Counter[str](), Counter[str]()
    async for probed in at_positions(here, played, {BEFORE: [played.record] * shown} if shown else {}):
        for name, request in probed.requests.items():
            node = base(name)
            times, model = node_calls(here, node), here.nodes[node].model
            calls[model] += times
            tokens[model] += times * sum(estimated(message.content) for message in messages(request.parts))
    return {model: TurnLoad(calls[model] / POSITIONS, tokens[model] / POSITIONS) for model in calls}
