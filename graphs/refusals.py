"""Who may refuse a decision, as a graph's config says it: a judge of its own, and the exact safety rule."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from orchestrator.values import Frozen
from roles.hanabi.safety import LIMITS


class Check(Frozen):
    """Ask `redo` again while `judge` does not accept the decision."""

    judge: str
    redo: str
    at_most: int = Field(default=2, ge=0, le=10)
    """Redos in one turn, those after a safety refusal included."""
    unreadable: Literal["refuse", "accept"] | None = "refuse"
    """What it counts as when the judge gives no verdict that can be read. None in data that were stored before there
    was a choice, when it counted as accepted."""

    @model_serializer(mode="wrap")
    def _as_stored(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        return {key: value for key, value in data.items() if key != "unreadable" or value is not None}


WRITTEN_NOW: dict[str, dict[str, Any]] = {"check": {"unreadable": "refuse"}, "verify": {"knows": "seat"}}
"""What keys of a graph say where they are written now without these, in contrast to stored ones."""


def given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a graph as they are written now, in contrast to stored ones: an unreadable verdict refuses, and the
    safety rule knows what the seat does."""
    return {
        key: {**WRITTEN_NOW[key], **value} if key in WRITTEN_NOW and isinstance(value, dict) else value
        for key, value in settings.items()
    }


class Verify(Frozen):
    """The exact safety rule between decision and table."""

    rule: Literal["none", "safety"] = "none"
    limits: dict[int, float] = Field(default_factory=lambda: dict(LIMITS))
    """Lives left -> the probability that a play needs; 1.0 never gambles."""
    trust: Literal["programs", "models"] = "programs"
    """Whose notes on the past count as knowledge: those made by programs, or those made by models too."""
    conventions: bool = True
    """Whether, where no note is trusted, the exact reading of the public moves counts: by the conventions of the pack
    `newest`, if the prompts of models hold it."""
    at_most: int = Field(default=2, ge=0, le=10)
    """Redos in one turn, for a graph without a check of its own."""
    knows: Literal["seat", "all"] | None = "seat"
    """`seat`: the rule judges by what the seat may know. `all`: by every section, also those that the seat does not
    get; then a refusal gives no reason that the seat may not know. None in data that were stored before there was a
    choice, when the rule knew all and said so."""

    @model_serializer(mode="wrap")
    def _as_before(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without `conventions` and `knows` while they say nothing, so that games and runs from before go on."""
        written: dict[str, Any] = plain(self)
        unsaid = {"conventions": self.conventions, "knows": self.knows is None}
        return {key: value for key, value in written.items() if not unsaid.get(key)}

    @field_validator("limits")
    @classmethod
    def _every_life(cls, limits: dict[int, float]) -> dict[int, float]:
        if set(limits) != set(LIMITS) or not all(0 <= limit <= 1 for limit in limits.values()):
            raise ValueError(f"limits give each of 1, 2 and 3 lives a probability from 0 to 1, not {limits}")
        return limits
