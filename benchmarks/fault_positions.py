"""One role's errors at given positions: at turns of a game in which nobody erred, it answers again, alone.

View, memory and the notes of all nodes that do not read it are those of the game; who reads it answers again, too. The
game goes on as it was recorded, so an error never changes a later position.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.recorded import depending, recorded
from hanabi_orchestrator.orchestrator.journal.events import Event
from hanabi_orchestrator.orchestrator.table.seat import GameContext

EVERY = 4
"""Rounds from one in which seats are asked again to the next. Never two in a row, so that what a seat wrote last, and
keeps, is what it was given; and a deal's turns are alike, so more deals are worth more than more of its turns."""


def asked_again(story: Game) -> Collection[int]:
    """The turns at which the role answers again: whole rounds, others from deal to deal."""
    players = story.started.players
    seed = story.started.seed or 0
    return [
        turn
        for turn in range(players + 1, len(story.moves) + 1)
        if ((turn - 1) // players - seed) % EVERY == 0
    ]


@dataclass(frozen=True)
class Again:
    """A seat that is asked again at turns of a game."""

    story: Game
    seat: GraphSeat
    """The game's graph, in which the nodes that are asked have another model."""
    nodes: Sequence[str]
    """Of the first attempt, by name. What reads them is asked, too."""

    def at(self, turns: Collection[int]) -> Game:
        """The game with what is replied at these turns."""
        made = [self._turn(turn) if turn.number in turns else turn for turn in self.story.turns]
        started = self.story.started
        seats = (self.seat.info,) * started.players
        events = (event for turn in made for event in (turn.started, *turn.events))
        return Game.of((started.model_copy(update={"seats": seats}), *events))

    def _turn(self, old: Turn) -> Turn:
        """The new replies and verdicts, then the old decision, with the memory of then, and the old move."""
        started = self.story.started
        events = list[Event]()
        config = at(self.seat.config, started.players)
        fixed = recorded(config, old.events, {*self.nodes, *depending(config, self.nodes)})
        context = GameContext(events.append, started.game, started.repeat)
        seat = replace(self.seat, fixed={old.number: fixed}, game=context)
        asyncio.run(_decided(seat, old, self.story))
        return Turn.of(old.view, (*events, *_then(old)))


async def _decided(seat: GraphSeat, old: Turn, story: Game) -> None:
    await seat(old.view, story.memory(old.number))


def _then(old: Turn) -> Iterator[Event]:
    yield from (event for event in (old.decided, old.moved) if event)
