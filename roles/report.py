"""How a colleague's note is put to a model: his node's name, then his reply as plain indented text."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import BaseModel

from roles.replies import AnyChoice


def report(node: str, replies: Sequence[BaseModel]) -> str:
    """One node's replies under its name; several samples as candidates, equal choices once with their count."""
    title = f"## {node.replace('_', ' ')}"
    if len(replies) == 1:
        return f"{title}\n{plain(replies[0])}"
    choices = [reply for reply in replies if isinstance(reply, AnyChoice)]
    if len(choices) < len(replies):
        return f"{title}\n" + "\n".join(f"answer {i}:\n{plain(reply)}" for i, reply in enumerate(replies, 1))
    given = Counter(str(choice.action) for choice in choices)
    reasons = {move: [c.reason for c in choices if str(c.action) == move] for move in given}
    blocks = []
    for number, (move, times) in enumerate(given.items(), 1):
        said = "\n".join(f"  - {reason}" for reason in dict.fromkeys(reasons[move]))
        blocks.append(f"candidate {number}: {move} (given {times} of {len(choices)} times)\n{said}")
    return f"{title}\n" + "\n".join(blocks)


def plain(reply: BaseModel) -> str:
    """A reply as YAML: the form in which nested fields read most easily."""
    data = rounded(reply.model_dump(mode="json", exclude_none=True))
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000)).strip()


def rounded(value: Any) -> Any:
    """Numbers to three places, 0 and 1 kept for what is certain."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    if isinstance(value, float) and 0 < value < 1:
        return min(max(round(value, 3), 0.001), 0.999)
    return value
