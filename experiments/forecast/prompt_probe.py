"""What a graph's prompts ask for, without asking a model: the load of a typical turn, and the longest of every node.

The positions are those of `study/prompt_positions.py`, the same for every graph, so that the costs of arms can be
compared. Tokens are estimated as characters / 3.2.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from experiments.study.prompt_positions import POSITIONS, Probed, positions
from graphs.ablate import at
from graphs.attempts import base, node_calls
from graphs.config import PROGRAM, GraphConfig
from orchestrator.models.request import estimated, estimated_prompt, messages
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.replies.reply import Reply
from orchestrator.replies.writer import text_of
from roles.reply_types import Choice

WORD = 6
"""Characters of a word, with the space after it."""


@dataclass(frozen=True)
class TurnLoad:
    """What a model has to do in a turn, on average over the positions."""

    calls: float
    tokens_in: float


@dataclass(frozen=True)
class NodeNeed:
    """The longest prompt and answer of a node, to compare with a model's context and `max_tokens`."""

    node: str
    role: str
    model: str
    """The model's name in the graph."""
    prompt: int
    """Tokens."""
    answer: int | None
    """Tokens; None for a role without a program."""


def turn(config: GraphConfig, players: int, shown: int = 0) -> Mapping[str, TurnLoad]:
    """Return the load by model name of the nodes; `shown`: how many records of past games the seat was shown."""
    graph, calls, tokens = at(config, players), Counter[str](), Counter[str]()
    for probed in positions(config, players, shown):
        for name, request in probed.requests.items():
            node = base(name)
            times, model = node_calls(graph, node), graph.nodes[node].model
            calls[model] += times
            tokens[model] += times * estimated_prompt(messages(request.parts))
    return {model: TurnLoad(calls[model] / POSITIONS, tokens[model] / POSITIONS) for model in calls}


def needs(config: GraphConfig, players: int, sampled: Iterable[Probed]) -> list[NodeNeed]:
    """Return the needs of every node that may ask a model, in the graph's order, at probed positions.

    Answers are those of the roles' programs, which fill in every field, with a reason as long as the prompt asks for; a
    model may write more.
    """
    graph = at(config, players)
    prompts, answers = dict[str, int](), dict[str, int]()
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
                    reason = (context.reason_words or 0) * WORD if isinstance(reply, Choice) else 0
                    size = estimated(text_of(reply, context.answer_format) + "-" * reason)
                    answers[node] = max(size, answers.get(node, 0))
    return [
        NodeNeed(name, node.role, node.model, prompts[name], answers.get(name))
        for name, node in graph.nodes.items()
        if name in prompts and node.model != PROGRAM and not is_simulated(node.model)
    ]
