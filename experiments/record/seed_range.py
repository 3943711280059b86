"""Consecutive seeds of HLE's deals, as experiments name them."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated, Self

from pydantic import Field, model_validator

from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED
from hanabi_orchestrator.orchestrator.values import Frozen

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
MOST_SEEDS = 100_000
SPANS = r"\d+(-\d+)?(,\d+(-\d+)?)*"
"""How `ranges` writes seeds."""


class Range(Frozen):
    """`count` seeds from `first` on."""

    first: Seed = 1
    count: int = Field(ge=1, le=MOST_SEEDS)

    @model_validator(mode="after")
    def _deals(self) -> Self:
        if (last := self.first + self.count - 1) > MAX_SEED:
            raise ValueError(
                f"{self.count} seeds from {self.first} on end with {last}; seeds go up to {MAX_SEED}"
            )
        return self

    @property
    def seeds(self) -> list[int]:
        return list(range(self.first, self.first + self.count))


def ranges(seeds: Iterable[int]) -> str:
    """Return seeds in words, such as `1-50,60`."""
    runs = groupby(enumerate(sorted(set(seeds))), lambda pair: pair[1] - pair[0])
    spans = [[seed for _, seed in run] for _, run in runs]
    return ",".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


def numbers(text: str) -> Iterator[int]:
    """Yield the seeds of words such as `1-50,60`; `re.fullmatch(SPANS, text)` says whether a text is such."""
    for span in text.split(",") if text else ():
        first, _, last = span.partition("-")
        yield from range(int(first), int(last or first) + 1)
