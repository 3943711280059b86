"""Positions at which the prompts of graphs are compared without asking a model.

They are of one game of rule players per player count, the same for every graph. A node that reads other nodes gets the
outputs of their programs, and a reply's example where there is none.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from graphs.ablate import at
from graphs.config import GraphConfig
from graphs.prompt_preview import Programs, requests
from graphs.replaced_texts import Position
from orchestrator.errors import TurnError
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event, GameStarted, Memory, Moved, TurnStarted
from orchestrator.journal.file import public_record
from orchestrator.models.request import ModelRequest
from orchestrator.players import partners
from orchestrator.table.game_loop import play_async
from orchestrator.table.seat import BEFORE
from roles import Notes

PARTNER = "iggi"
"""The rule player of the game: its games have about as many turns and points as games of models."""
POSITIONS = 6
"""Turns that are sampled, evenly spaced over the game, since prompts grow with its history."""


@dataclass(frozen=True)
class ProbeGame:
    views: tuple[View, ...]
    """By turn."""
    record: Mapping[str, Any]
    """The public record of the game."""

    @property
    def turns(self) -> int:
        return len(self.views)

    @property
    def sampled(self) -> list[View]:
        return [self.views[self.turns * (2 * place + 1) // (2 * POSITIONS)] for place in range(POSITIONS)]


@cache
def game(players: int) -> ProbeGame:
    events: list[Event] = []
    asyncio.run(play_async(partners.get(PARTNER), players=players, seed=1, sink=events.append))
    views = tuple(event.view for event in events if isinstance(event, TurnStarted))
    record = public_record(event for event in events if isinstance(event, GameStarted | Moved))
    return ProbeGame(views, record.plain)


@dataclass(frozen=True)
class Probed(Position):
    """A sampled position: what the nodes would be asked there, and what their programs answered (an example where a
    role has none)."""

    requests: Mapping[str, ModelRequest]
    """By the node's name in its attempt."""


def positions(config: GraphConfig, players: int, shown: int = 0) -> list[Probed]:
    """The sampled positions of the game at a player count; `shown`: how many past games the seat was shown."""
    return asyncio.run(_positions(at(config, players), game(players), shown))


async def _positions(graph: GraphConfig, played: ProbeGame, shown: int) -> list[Probed]:
    programs, probed = Programs(graph), list[Probed]()
    start: Memory = {BEFORE: [played.record] * shown} if shown else {}
    for view in played.sampled:
        memory = dict(start)
        if graph.remembers and view.turn > view.players:  # what the seat remembers of its previous turn
            _, remembered = await _play_turn(programs, played.views[view.turn - view.players - 1], start)
            memory |= remembered
        notes, _ = await _play_turn(programs, view, memory)
        probed.append(Probed(view, notes, memory, requests(graph, view, notes, memory)))
    return probed


async def _play_turn(programs: Programs, view: View, memory: Memory) -> tuple[Notes, Memory]:
    """The outputs of the nodes in a turn, and the memory after it; both empty where a program fails."""
    try:
        notes, decision = await programs.turn(view, memory)
    except TurnError:
        return {}, {}
    return notes, decision.memory
