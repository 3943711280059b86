"""A part of a run for a job array, `--shard 2/8`; all shards write into one shared folder."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from experiments.study.job import Job
from orchestrator.errors import UserError


@dataclass(frozen=True)
class Shard:
    number: int
    """1 to `of_all`."""
    of_all: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises UserError."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError(f"--shard is {text!r}; it must be I/N with I from 1 to N, e.g. 1/8")
        return cls(int(found[1]), int(found[2]))

    def select(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs of this shard: whole deals, each with all its arms."""
        deals = list(dict.fromkeys((job.deal.seed, job.deal.players) for job in jobs))
        mine = set(deals[self.number - 1 :: self.of_all])
        return [job for job in jobs if (job.deal.seed, job.deal.players) in mine]
