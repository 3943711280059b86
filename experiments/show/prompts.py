"""`graphs prompt`: the prompts that a graph would send for a position, without asking a model.

The position is from a game that the graph's programs play in self-play, or a rule player where the
deciding role has no program. A node that reads other nodes gets the outputs of their programs, and
an example, marked as a placeholder, where there is no program. Tokens are estimated as characters /
3.2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from rich.console import Console
from rich.text import Text

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import Programs, requests
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, Memory
from hanabi_orchestrator.orchestrator.models.request import Message, estimated, messages
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play_async


@dataclass(frozen=True)
class NodePrompt:
    """The prompt of a node."""

    node: str
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        return "".join(message.content for message in self.messages)

    @property
    def tokens(self) -> int:
        return estimated(self.text)

    @property
    def plain(self) -> str:
        """Its text without the outputs of nodes."""
        texts = []
        for message in self.messages:
            content = message.content
            for span in (span for span in message.spans if span.name == "notes"):
                content = content[: span.start] + content[span.end :]
            texts.append(f"{message.role}\n{content}")
        return "\n".join(texts)

    def parts(self) -> Iterator[tuple[str, int]]:
        """Return the name and tokens of each part, in prompt order."""
        for message in self.messages:
            for span in message.spans:
                yield span.name, estimated(message.content[span.start : span.end])


def node_prompts(
    config: GraphConfig, players: int, seed: int, turn: int, node: str | None = None
) -> list[NodePrompt]:
    """Return the prompts of a turn, by node. Raises UserError for a turn or a node that does not
    exist."""
    graph = at(config, players)
    programs = Programs(graph)
    view, memory = event_loop.run_anywhere(_position(programs, players, seed, turn))
    notes, _ = event_loop.run_anywhere(programs.turn(view, memory))
    by_node = requests(graph, view, notes, memory)
    if node is not None and node not in by_node:
        hint = did_you_mean(node, by_node, "it asks")
        if node in graph.nodes:
            later = "; on a later --turn it may"
        else:
            later = ""
        raise UserError(
            f"graph {config.name!r} asks no node {node!r} at turn {turn}{later}; {hint}"
        )
    prompts = list[NodePrompt]()
    for name, request in by_node.items():
        if node in (None, name):
            prompts.append(NodePrompt(name, messages(request.parts)))
    return prompts


PARTNER = "iggi"
"""The rule player whose game is taken where the graph's programs cannot decide."""


async def _position(programs: Programs, players: int, seed: int, turn: int) -> tuple[View, Memory]:
    """Return the view and the memory of the acting seat in that turn."""
    if turn < 1:
        raise UserError(f"turns are counted from 1, not {turn}")
    events = list[Event]()
    seat = programs.seat if programs.decide else partners.get(PARTNER)
    await play_async(seat, players=players, seed=seed, sink=events.append, max_turns=turn)
    game = Game.of(events)
    if len(game.turns) < turn:
        raise UserError(f"that game has turns 1 to {len(game.turns)}, not {turn}")
    return game.turns[-1].view, game.memory(turn)


def shared(prompts: list[NodePrompt]) -> float:
    """Return the share of a turn's prompt characters in prefixes that another prompt shares;
    outputs of nodes do not count."""
    plain = [prompt.plain for prompt in prompts]
    common = 0
    for place, text in enumerate(plain):
        others = (*plain[:place], *plain[place + 1 :])
        # character by character, not by path
        lengths = (len(commonprefix([text, prompt])) for prompt in others)  # noqa: RUF071
        common += max(lengths, default=0)
    return common / (sum(map(len, plain)) or 1)


def show(prompts: list[NodePrompt], console: Console) -> None:
    """Print every prompt in full, then the tokens of its parts."""
    for prompt in prompts:
        for message in prompt.messages:
            console.print(Text(f"=== {prompt.node}: {message.role} message\n", style="bold cyan"))
            console.print(Text(f"{message.content}\n"), soft_wrap=True)
    table = plain_table("node", "tokens", "parts", words=("node", "parts"))
    for prompt in prompts:
        table.add_row(
            prompt.node,
            str(prompt.tokens),
            ", ".join(f"{name} {tokens}" for name, tokens in prompt.parts()),
        )
    console.print(table)
    total = sum(prompt.tokens for prompt in prompts)
    console.print(Text(f"\n{total} tokens in all, estimated as characters / 3.2"))
    if len(prompts) > 1:
        console.print(
            Text(
                f"{shared(prompts):.0%} of it, outputs of other nodes aside, is a prefix shared "
                "with another prompt"
            )
        )


def data(prompts: list[NodePrompt]) -> dict[str, Any]:
    rows = []
    for prompt in prompts:
        messages = [message.model_dump(mode="json") for message in prompt.messages]
        rows.append({"node": prompt.node, "tokens": prompt.tokens, "messages": messages})
    return {
        "prompts": rows,
        "tokens": sum(prompt.tokens for prompt in prompts),
        "shared_prefix": round(shared(prompts), 4),
    }
