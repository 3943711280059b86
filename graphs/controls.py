"""Controls of an experiment, as settings of a graph: what is changed on purpose beside the roles.

Each rules out another reading of what a role is worth: that the difference is chance (`draw`), the length of a prompt
(`placebo`, `padded`), that there is any plausible note (`shuffled`), the place of a report (`permuted`). A graph
without controls stores nothing of them.
"""

from collections.abc import Collection, Mapping
from typing import Any, Literal, Self, get_args

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore

OWN_HAND = "own_hand"
"""The control that cheats: a seat sees its own cards."""

NoteControl = Literal["placebo", "padded", "shuffled"]
NOTES: tuple[NoteControl, ...] = get_args(NoteControl)
"""The controls that stand in the place of a node's note."""
NODES = (*NOTES, "advise", "gate")
"""The controls that name nodes."""


class Controls(Frozen):
    draw: int = Field(default=0, ge=0, le=1_000_000)
    """Another number asks models with other seeds, past the cache: the same seat again."""
    placebo: OneOrMore[str] = ()
    """Nodes that are not asked: their note says nothing of the position, as long as a recorded one."""
    padded: OneOrMore[str] = ()
    """Nodes that are not asked: their note is absent, and its readers see a text as long that says so."""
    shuffled: OneOrMore[str] = ()
    """Nodes that are not asked: their note is that of another game, in the same phase."""
    permuted: bool = False
    """Whether colleagues' reports stand in another order in every prompt."""
    advise: OneOrMore[str] = ()
    """Recommenders whose list is shown as a report: their readers still choose from all legal moves."""
    gate: OneOrMore[str] = ()
    """Nodes whose moves are the only ones that their readers may choose from."""
    own_hand: bool = False
    """Whether the seat sees its own cards, which the rules forbid: an upper line."""

    @model_serializer(mode="wrap")
    def _set(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in plain(self).items() if value}

    @model_validator(mode="after")
    def _one_note_each(self) -> Self:
        if several := [node for node in self.replaced if self.replaced.count(node) > 1]:
            kinds = " and ".join(kind for kind in NOTES if several[0] in getattr(self, kind))
            raise ValueError(f"node {several[0]!r} cannot have several notes: {kinds}; name one")
        if both := sorted({*self.advise} & {*self.gate}):
            raise ValueError(f"node {both[0]!r} either advises or is a gate, not both")
        return self

    @property
    def replaced(self) -> tuple[str, ...]:
        """The nodes that are not asked, because their notes are made from those of other games."""
        return tuple(node for kind in NOTES for node in getattr(self, kind))

    def answerer(self, node: str) -> NoteControl | None:
        """Return the control that answers in a node's place, if there is one."""
        return next((kind for kind in NOTES if node in getattr(self, kind)), None)

    @property
    def named(self) -> tuple[str, ...]:
        """All nodes that it names."""
        return (*self.replaced, *self.advise, *self.gate)

    def without(self, nodes: Collection[str]) -> "Controls":
        """The same for a graph without some nodes."""
        lists = {
            key: tuple(name for name in getattr(self, key) if name not in nodes) for key in NODES
        }
        return self.model_copy(update=lists)

    def called(self, names: Mapping[str, str]) -> "Controls":
        """The same where some nodes have other names."""
        lists = {
            key: tuple(names.get(node, node) for node in getattr(self, key))
            for key in ("advise", "gate")
        }
        return self.model_copy(update=lists) if self.advise or self.gate else self

    @property
    def label(self) -> str | None:
        """In journals and tables: `noise_floor`, `placebo analyst`, `own_hand`; None without controls."""
        lists = {key: ", ".join(getattr(self, key)) for key in NODES}
        labels = [
            *([OWN_HAND] if self.own_hand else []),
            *(["noise_floor"] if self.draw else []),
            *(f"{key} {nodes}" for key, nodes in lists.items() if nodes),
            *(["permuted"] if self.permuted else []),
        ]
        return "; ".join(labels) or None


NONE = Controls()
