"""A part of a run for a job array, `--shard 2/8`; all shards write into one shared folder."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from experiments.study.job import Unit
from orchestrator.errors import UserError

U = TypeVar("U", bound=Unit)


@dataclass(frozen=True)
class Shard:
    number: int
    """1 to `shards`."""
    shards: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `2/8`. Raises UserError."""
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise UserError(f"--shard is {text!r}; it must be I/N with I from 1 to N, e.g. 1/8")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.shards}"

    def select(self, units: Sequence[U]) -> list[U]:
        """Return the units of this shard: whole clusters, such as a deal with all its arms."""
        clusters = list(dict.fromkeys(unit.cluster for unit in units))
        mine = set(clusters[self.number - 1 :: self.shards])
        return [unit for unit in units if unit.cluster in mine]
