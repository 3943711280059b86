"""How long the prompts and answers of a graph's nodes become, to compare with a model's context and `max_tokens`.

The longest at the positions of the prompt probe. Answers are those of the roles' programs, which fill in every field,
with a reason as long as the prompt asks for; a model may write more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from experiments.study.prompt_positions import Probed
from graphs.ablate import at
from graphs.attempts import base
from graphs.config import PROGRAM, GraphConfig
from graphs.context import Context
from orchestrator.models.request import estimated, messages
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.replies.reply import Reply
from orchestrator.replies.writer import text_of
from roles.reply_types import Choice


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


WORD = 6
"""Characters of a word, with the space after it."""


def _answer(reply: Reply, context: Context) -> int:
    """The tokens of an answer. A decision has as long a reason as its prompt asks for, not a program's short one."""
    asked = (context.reason_words or 0) * WORD if isinstance(reply, Choice) else 0
    return estimated(text_of(reply, context.answer_format) + "-" * asked)


def needs(config: GraphConfig, players: int, positions: Iterable[Probed]) -> list[NodeNeed]:
    """The needs of every node that may ask a model, in the graph's order, at positions of `prompt_probe`."""
    here = at(config, players)
    prompts, answers = dict[str, int](), dict[str, int]()
    for probed in positions:
        for name, request in probed.requests.items():
            node = base(name)
            size = sum(estimated(message.content) for message in messages(request.parts))
            prompts[node] = max(size, prompts.get(node, 0))
        for name, replies in probed.notes.items():
            node = base(name)
            if node not in prompts or here.role(node).solve is None:
                continue  # what stands there is a placeholder
            for reply in replies:
                if isinstance(reply, Reply):
                    answers[node] = max(_answer(reply, here.context_of(node)), answers.get(node, 0))
    return [
        NodeNeed(name, node.role, node.model, prompts[name], answers.get(name))
        for name, node in here.nodes.items()
        if name in prompts and node.model != PROGRAM and not is_simulated(node.model)
    ]
