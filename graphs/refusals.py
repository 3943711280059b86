"""Who may refuse a decision, as a graph's config says it: judges of its own, and the exact safety rule."""

from typing import Literal

from pydantic import Field, field_serializer, field_validator

from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore
from hanabi_orchestrator.roles.hanabi.safety import LIMITS


class Check(Frozen):
    """Ask `redo` again while a judge does not accept the decision."""

    judge: OneOrMore[str] = Field(min_length=1)
    """In the order in which a decision must pass them: the second is asked about what the first accepts."""
    redo: str
    at_most: int = Field(default=2, ge=0, le=10)
    """Redos in one turn, those after a safety refusal included."""
    unreadable: Literal["refuse", "accept"] = "refuse"
    """What it counts as when a judge gives no verdict that can be read."""

    @field_serializer("judge")
    def _alone(self, judge: tuple[str, ...]) -> str | tuple[str, ...]:
        """A judge alone as journals have always held it."""
        return judge[0] if len(judge) == 1 else judge


class Verify(Frozen):
    """The exact safety rule between decision and table."""

    rule: Literal["none", "safety"] = "none"
    place: Literal["last", "first"] = Field(
        default="last", exclude_if=lambda value: value == "last"
    )
    """Where it stands in the row of the graph's own judges."""
    limits: dict[int, float] = Field(default_factory=lambda: dict(LIMITS))
    """Lives left -> the probability that a play needs; 1.0 never gambles."""
    trust: Literal["programs", "models"] = "programs"
    """Whose notes on the past count as knowledge: those made by programs, or those made by models too."""
    conventions: bool = Field(default=True, exclude_if=bool)
    """Whether, where no note is trusted, the exact reading of the public moves counts: by the conventions of the pack
    `newest` or `information`, if the prompts of models hold it."""
    at_most: int = Field(default=2, ge=0, le=10)
    """Redos in one turn, for a graph without a check of its own."""
    knows: Literal["seat", "all"] = "seat"
    """`seat`: the rule judges by what the seat may know. `all`: by every section, also those that the seat does not
    get; then a refusal gives no reason that the seat may not know."""

    @field_validator("limits")
    @classmethod
    def _every_life(cls, limits: dict[int, float]) -> dict[int, float]:
        if set(limits) != set(LIMITS) or not all(0 <= limit <= 1 for limit in limits.values()):
            raise ValueError(
                f"limits give each of 1, 2 and 3 lives a probability from 0 to 1, not {limits}"
            )
        return limits
