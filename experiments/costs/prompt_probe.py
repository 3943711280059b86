"""What a graph's models are asked in a typical turn, without asking them: its prompts at positions of one game.

The game is one of rule players at a player count, the same for every graph, so that what arms cost can be compared;
a node that hears colleagues hears what their programs say there. Tokens are estimated as characters / 4.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import graphs
from experiments.show.graph_tree import asks as asks_of_node
from graphs.config import PROGRAM, GraphConfig
from graphs.prompting import notes_of, requests
from orchestrator import players as partners
from orchestrator.errors import TurnError, UserError
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event, GameStarted, Memory, Moved, TurnStarted
from orchestrator.journal.file import public_record
from orchestrator.models.request import estimated, messages
from orchestrator.table.game_loop import play_async
from orchestrator.table.seat import BEFORE, GameContext
from roles import Notes

PARTNER = "iggi"
"""Who plays the game: it ends at about as many turns, and as many points, as games of models do."""
POSITIONS = 6
"""Turns that are looked at: prompts grow with the history, so they lie evenly between the first and the last."""


@dataclass(frozen=True)
class Game:
    views: tuple[View, ...]
    """By turn."""
    record: Mapping[str, Any]
    """The game as a public record."""

    @property
    def turns(self) -> int:
        return len(self.views)

    @property
    def sampled(self) -> list[View]:
        return [self.views[self.turns * (2 * place + 1) // (2 * POSITIONS)] for place in range(POSITIONS)]


@cache
def game(players: int) -> Game:
    told: list[Event] = []
    asyncio.run(play_async(partners.get(PARTNER), players=players, seed=1, sink=told.append))
    views = tuple(event.view for event in told if isinstance(event, TurnStarted))
    record = public_record(event for event in told if isinstance(event, GameStarted | Moved))
    return Game(views, record.plain)


@dataclass(frozen=True)
class Asked:
    """What a model is asked in a turn, on average over the positions."""

    calls: float
    tokens_in: float


def turn(config: GraphConfig, players: int, before: int = 0) -> Mapping[str, Asked]:
    """By the model that the nodes name; `before`: how many records of past games the seat was given."""
    return asyncio.run(_turn(graphs.at(config, players), game(players), before))


async def _turn(here: GraphConfig, played: Game, before: int) -> dict[str, Asked]:
    seat, given = _programs(here), {BEFORE: [played.record] * before} if before else {}
    calls, tokens = Counter[str](), Counter[str]()
    for view in played.sampled:
        memory = {**given, **await _remembered(seat, here, view, played, given)}
        notes, _ = await _said(seat, here, view, memory)
        for name, ask in requests(here, view, notes, memory).items():
            node = name.partition("-")[0]  # of a later attempt: `generate-2`
            times, model = asks_of_node(here, node), here.nodes[node].model
            calls[model] += times
            tokens[model] += times * sum(estimated(message.content) for message in messages(ask.parts))
    return {model: Asked(calls[model] / POSITIONS, tokens[model] / POSITIONS) for model in calls}


def _programs(here: GraphConfig) -> graphs.GraphSeat | None:
    """The graph with its programs as its models; with all sections, when they cannot do without those taken away.

    None when a role has no program.
    """
    for whole in (here, here.model_copy(update={"without_sections": ()})):
        try:
            return graphs.seat(graphs.bind(whole, dict.fromkeys(whole.models, PROGRAM)))
        except UserError:
            continue
    return None


async def _remembered(
    seat: graphs.GraphSeat | None, here: GraphConfig, view: View, played: Game, given: Memory
) -> Memory:
    """What a graph that remembers its last turn remembers of it."""
    if not here.remembers or view.turn <= view.players:
        return {}
    _, memory = await _said(seat, here, played.views[view.turn - view.players - 1], given)
    return memory


async def _said(seat: graphs.GraphSeat | None, here: GraphConfig, view: View, memory: Memory) -> tuple[Notes, Memory]:
    """The notes of a turn, and what the seat keeps of it; nothing where no program can say anything."""
    if seat is None:
        return {}, {}
    events: list[Event] = []
    try:
        decision = await seat.bind(GameContext(events.append))(view, memory)
    except TurnError:
        return {}, {}
    return notes_of(here, events), decision.memory
