"""Positions at which the prompts of graphs are compared without asking a model, and what the
prompts ask for there.

They are of one game of rule players per player count, the same for every graph. A node that reads
other nodes gets the outputs of their programs, and a reply's example where there is none. Tokens
are estimated as characters / 3.2.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import base, node_calls
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import Programs, requests
from hanabi_orchestrator.graphs.replaced_texts import Position
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import TurnError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Event,
    GameStarted,
    Memory,
    Moved,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.journal.file import public_record
from hanabi_orchestrator.orchestrator.models.request import (
    ModelRequest,
    estimated,
    estimated_prompt,
    messages,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.replies.writer import text_of
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles import Choice, Notes

PARTNER = "iggi"
"""The rule player of the game: its games have about as many turns and points as games of models."""
POSITIONS = 6
"""Turns that are sampled, evenly spaced over the game, since prompts grow with its history."""
WORD = 6
"""Characters of a word, with the space after it."""


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
        return [
            self.views[self.turns * (2 * place + 1) // (2 * POSITIONS)]
            for place in range(POSITIONS)
        ]


@cache
def game(players: int) -> ProbeGame:
    events: list[Event] = []
    event_loop.run_anywhere(
        play_async(partners.get(PARTNER), players=players, seed=1, sink=events.append)
    )
    views = tuple(event.view for event in events if isinstance(event, TurnStarted))
    record = public_record(event for event in events if isinstance(event, GameStarted | Moved))
    return ProbeGame(views, record.plain)


@dataclass(frozen=True)
class Probed(Position):
    """A sampled position: what the nodes would be asked there, and their programs' answers, or
    roles' examples."""

    requests: Mapping[str, ModelRequest]
    """By the node's name in its attempt."""


def positions(config: GraphConfig, players: int, shown: int = 0) -> list[Probed]:
    """Return the sampled positions of the game at a player count; `shown`: how many past games the
    seat was shown."""
    return event_loop.run_anywhere(_positions(at(config, players), game(players), shown))


async def _positions(graph: GraphConfig, played: ProbeGame, shown: int) -> list[Probed]:
    programs = Programs(graph)
    probed = list[Probed]()
    start: Memory = {BEFORE: [played.record] * shown} if shown else {}
    for view in played.sampled:
        memory = dict(start)
        # what the seat remembers of its previous turn
        if graph.remembers and view.turn > view.players:
            _, remembered = await _play_turn(
                programs, played.views[view.turn - view.players - 1], start
            )
            memory |= remembered
        notes, _ = await _play_turn(programs, view, memory)
        probed.append(Probed(view, notes, memory, requests(graph, view, notes, memory)))
    return probed


async def _play_turn(programs: Programs, view: View, memory: Memory) -> tuple[Notes, Memory]:
    """Return the outputs of the nodes in a turn, and the memory after it; both empty where a
    program fails."""
    try:
        notes, decision = await programs.turn(view, memory)
    except TurnError:
        return {}, {}
    return notes, decision.memory


@dataclass(frozen=True)
class TurnLoad:
    """What a model has to do in a turn, on average over the positions."""

    calls: float
    tokens_in: float
    answers: float = 0.0
    """Tokens of the answers of the nodes' programs, where they have one."""


@dataclass(frozen=True)
class NodeNeed:
    """The longest prompt and answer of a node, to compare with a model's context and
    `max_tokens`."""

    node: str
    role: str
    model: str
    """The model's name in the graph."""
    prompt: int
    """Tokens."""
    answer: int | None
    """Tokens; None for a role without a program."""


def turn_load(config: GraphConfig, players: int, shown: int = 0) -> Mapping[str, TurnLoad]:
    """Return the load of a turn by the name of the model; `shown`: how many past games the seat was
    shown."""
    graph = at(config, players)
    sums = dict[str, tuple[float, float, float]]()
    for probed in positions(config, players, shown):
        for name, request in probed.requests.items():
            node = base(name)
            times = node_calls(graph, node)
            model = graph.nodes[node].model
            form = graph.context_of(node).answer_format
            replies = [reply for reply in probed.notes.get(name, ()) if isinstance(reply, Reply)]
            if replies:
                answer = fmean(estimated(text_of(reply, form)) for reply in replies)
            else:
                answer = 0.0
            calls, tokens, answers = sums.get(model, (0.0, 0.0, 0.0))
            tokens += times * estimated_prompt(messages(request.parts))
            sums[model] = calls + times, tokens, answers + times * answer
    loads = {}
    for model, values in sums.items():
        loads[model] = TurnLoad(*(value / POSITIONS for value in values))
    return loads


def needs(config: GraphConfig, players: int, sampled: Iterable[Probed]) -> list[NodeNeed]:
    """Return the needs of every node that may ask a model, in the graph's order, at probed
    positions.

    Answers are those of the roles' programs, with every field and as long a reason as asked for;
    models may write more.
    """
    graph = at(config, players)
    prompts = dict[str, int]()
    answers = dict[str, int]()
    for probed in sampled:
        for name, request in probed.requests.items():
            node = base(name)
            prompts[node] = max(estimated_prompt(messages(request.parts)), prompts.get(node, 0))
        for name, replies in probed.notes.items():
            node = base(name)
            if node not in prompts or graph.role(node).solve is None:
                continue  # what stands there is a placeholder
            for reply in replies:
                if isinstance(reply, Reply):
                    context = graph.context_of(node)
                    # a decision's reason is as long as its prompt asks for
                    if isinstance(reply, Choice):
                        reason = (context.reason_words or 0) * WORD
                    else:
                        reason = 0
                    size = estimated(text_of(reply, context.answer_format) + "-" * reason)
                    answers[node] = max(size, answers.get(node, 0))
    return [
        NodeNeed(name, node.role, node.model, prompts[name], answers.get(name))
        for name, node in graph.nodes.items()
        if name in prompts and node.model != PROGRAM and not is_simulated(node.model)
    ]
