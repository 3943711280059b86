"""How long the prompts and answers of a graph's nodes become, to compare with a model's context and `max_tokens`.

The longest at the positions of the prompt probe. Answers are those of the roles' programs, which fill in every field; a
model may write more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from experiments.costs.prompt_probe import Probed
from graphs.ablate import at
from graphs.config import PROGRAM, GraphConfig
from orchestrator.models.request import estimated, messages
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.replies.reply import Reply
from orchestrator.replies.text_format import text_of


@dataclass(frozen=True)
class NodeNeed:
    """The longest prompt and answer of a node, in tokens as `request.estimated` counts them."""

    node: str
    role: str
    model: str
    """The model's name in the graph."""
    prompt: int
    answer: int | None
    """None for a role without a program."""


def needs(config: GraphConfig, players: int, positions: Iterable[Probed]) -> list[NodeNeed]:
    """The needs of every node that may ask a model, in the graph's order, at positions of `prompt_probe`."""
    here = at(config, players)
    prompts, answers = dict[str, int](), dict[str, int]()
    for probed in positions:
        for name, request in probed.requests.items():
            node = name.partition("-")[0]
            size = sum(estimated(message.content) for message in messages(request.parts))
            prompts[node] = max(size, prompts.get(node, 0))
        for name, replies in probed.notes.items():
            node = name.partition("-")[0]
            for reply in replies:
                if node in prompts and isinstance(reply, Reply):
                    text = text_of(reply, here.context_of(node).answer_format)
                    answers[node] = max(estimated(text), answers.get(node, 0))
    return [
        NodeNeed(name, node.role, node.model, prompts[name], answers.get(name))
        for name, node in here.nodes.items()
        if name in prompts and node.model != PROGRAM and not is_simulated(node.model)
    ]
