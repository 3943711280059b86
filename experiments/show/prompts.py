"""The prompts that a graph would send for a position, without asking anybody: `graphs prompt`.

The position is one of a game that the graph's programs play with themselves; a node that hears colleagues hears what
their programs say there. Tokens are estimated as characters / 4.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import graphs
from graphs.config import PROGRAM, GraphConfig
from graphs.prompting import notes_of, requests
from orchestrator.errors import UserError
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Decided, Event, Memory, TurnStarted
from orchestrator.models.request import Message, estimated, messages
from orchestrator.table.game_loop import play_async
from orchestrator.table.seat import GameContext


@dataclass(frozen=True)
class Picture:
    """One node's prompt."""

    node: str
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        return "".join(message.content for message in self.messages)

    @property
    def tokens(self) -> int:
        return estimated(self.text)

    def parts(self) -> Iterator[tuple[str, int]]:
        """Each part with its tokens, in prompt order."""
        for message in self.messages:
            for span in message.spans:
                yield span.name, estimated(message.content[span.start : span.end])


def pictures(config: GraphConfig, players: int, seed: int, turn: int, node: str | None = None) -> list[Picture]:
    """The prompts of a turn, by node. Raises UserError for a turn or a node that there is not."""
    view, memory = asyncio.run(_position(config, players, seed, turn))
    here = graphs.at(graphs.bind(config, dict.fromkeys(config.models, PROGRAM)), players)
    events: list[Event] = []
    asyncio.run(_once(graphs.seat(here), view, memory, events))
    asked = requests(here, view, notes_of(here, events), memory)
    if node is not None and node not in asked:
        raise UserError(f"graph {config.name!r} asks no node {node!r} there; it asks: {', '.join(asked)}")
    return [Picture(name, messages(ask.parts)) for name, ask in asked.items() if node in (None, name)]


async def _once(seat: graphs.GraphSeat, view: View, memory: Memory, events: list[Event]) -> None:
    await seat.bind(GameContext(events.append))(view, memory)


async def _position(config: GraphConfig, players: int, seed: int, turn: int) -> tuple[View, Memory]:
    """What the acting seat sees on that turn, and what it remembers."""
    if turn < 1:
        raise UserError(f"turns count from 1, not {turn}")
    views: list[View] = []
    memories: dict[int, Memory] = {}

    def sink(event: Event) -> None:
        if isinstance(event, TurnStarted):
            views.append(event.view)
        if isinstance(event, Decided) and event.turn < turn:
            memories[event.seat] = event.memory

    bound = graphs.bind(config, dict.fromkeys(config.models, PROGRAM))
    await play_async(graphs.seat(bound), players=players, seed=seed, sink=sink, max_turns=turn)
    if len(views) < turn:
        raise UserError(f"that game has turns 1 to {len(views)}, not {turn}")
    return views[-1], memories.get(views[-1].seat, {})


def shared(made: list[Picture]) -> float:
    """The share of a turn's prompt characters that are a beginning shared with another prompt; notes are left aside."""
    plain = [_without_notes(picture) for picture in made]
    begun = sum(
        max((_alike(text, other) for other in (*plain[:i], *plain[i + 1 :])), default=0) for i, text in enumerate(plain)
    )
    return begun / (sum(map(len, plain)) or 1)


def _alike(one: str, other: str) -> int:
    return len(commonprefix([one, other]))  # noqa: RUF071  # letter by letter is what is meant


def _without_notes(picture: Picture) -> str:
    kept = []
    for message in picture.messages:
        cut = [span for span in message.spans if span.name == "notes"]
        content = message.content
        for span in cut:
            content = content[: span.start] + content[span.end :]
        kept.append(f"{message.role}\n{content}")
    return "\n".join(kept)


def show(made: list[Picture], console: Console) -> None:
    """Every prompt in full, then what it is made of."""
    for picture in made:
        for message in picture.messages:
            console.print(Text(f"=== {picture.node}: {message.role} message\n", style="bold cyan"))
            console.print(Text(f"{message.content}\n"), soft_wrap=True)
    table = Table("node", "tokens", "parts", box=None, header_style="dim", pad_edge=False)
    for picture in made:
        table.add_row(
            picture.node, str(picture.tokens), ", ".join(f"{name} {tokens}" for name, tokens in picture.parts())
        )
    console.print(table)
    total = sum(picture.tokens for picture in made)
    console.print(Text(f"\n{total} tokens in all, estimated as characters / 4"))
    if len(made) > 1:
        console.print(
            Text(f"{shared(made):.0%} of it, colleagues' notes aside, is a beginning shared with another prompt")
        )


def data(made: list[Picture]) -> dict[str, Any]:
    return {
        "prompts": [
            {
                "node": picture.node,
                "tokens": picture.tokens,
                "messages": [message.model_dump(mode="json") for message in picture.messages],
            }
            for picture in made
        ],
        "tokens": sum(picture.tokens for picture in made),
        "shared_prefix": round(shared(made), 4),
    }
