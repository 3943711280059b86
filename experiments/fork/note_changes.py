"""What changed in each node's note between two decisions of a turn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from experiments.fork.decision import Fork
from experiments.results.story import StoryTurn

Status = Literal["kept", "edited", "same", "changed", "only then", "only now"]
Reply = dict[str, Any] | None
"""A reply as plain data; None where it was unusable."""


@dataclass(frozen=True)
class NoteChange:
    node: str
    """With the number of its attempt from the second on."""
    status: Status
    """`kept`: held fixed as it was recorded; `edited`: put in its place; the others were asked."""
    old: tuple[Reply, ...]
    """By sample; empty where the node was not asked."""
    new: tuple[Reply, ...]


def changes(fork: Fork, sample: int = 0) -> list[NoteChange]:
    """Of every node that was asked then or now, in the order in which they answered."""
    old, new = replies(fork.old), replies(fork.new[sample])
    return [
        NoteChange(node, _status(fork, node, old, new), old.get(node, ()), new.get(node, ()))
        for node in dict.fromkeys((*_order(fork, new), *new, *old))
        if node in old or node in new
    ]


def _order(fork: Fork, new: Mapping[str, Any]) -> Iterator[str]:
    """The config's nodes first, then those of later attempts."""
    yield from (name for name in fork.config.nodes if name in new)


def _status(fork: Fork, node: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Status:
    if node in fork.edited:
        return "edited"
    if node not in new:
        return "only then"
    if node not in old:
        return "only now"
    if node in fork.kept:
        return "kept"
    return "same" if old[node] == new[node] else "changed"


def replies(turn: StoryTurn) -> dict[str, tuple[Reply, ...]]:
    """The last reply of every sample of the nodes of a turn."""
    found: dict[str, dict[int, Reply]] = {}
    for call in turn.calls:
        if call.outcome != "failed":
            found.setdefault(call.node, {})[call.sample] = call.reply
    return {node: tuple(by_sample[n] for n in sorted(by_sample)) for node, by_sample in found.items()}
