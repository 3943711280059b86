"""What changed in each node's note between two decisions of a turn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from experiments.show.side_by_side import Reply, replies
from experiments.tasks.fork.decision import Fork

Status = Literal["kept", "edited", "same", "changed", "only then", "only now"]


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
