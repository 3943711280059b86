"""Consecutive seeds of HLE's deals, as experiments name them."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from orchestrator.hanabi.referee import MAX_SEED
from orchestrator.values import Frozen

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
MOST_SEEDS = 100_000


class Range(Frozen):
    """`count` seeds from `first` on."""

    first: Seed = 1
    count: int = Field(ge=1, le=MOST_SEEDS)

    @model_validator(mode="after")
    def _deals(self) -> Self:
        if (last := self.first + self.count - 1) > MAX_SEED:
            raise ValueError(f"{self.count} seeds from {self.first} on end with {last}; seeds go up to {MAX_SEED}")
        return self

    @property
    def seeds(self) -> list[int]:
        return list(range(self.first, self.first + self.count))
