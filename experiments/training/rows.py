"""The rows of a data set that a training reads, and the deals they come from."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from hanabi_orchestrator.orchestrator.errors import UserError, nearby

Kind = Literal["sft", "dpo", "grpo"]
READ: dict[Kind, tuple[str, ...]] = {
    "sft": ("prompt", "completion"),
    "dpo": ("prompt", "chosen", "rejected"),
    "grpo": (
        "prompt",
        "reader",
        "legal_moves",
        "values",
        "ratings",
        "move",
        "score_change",
        "score_kept",
    ),
}
"""By kind of data set, the columns that a trainer reads; no other kind of `export` has the
second."""


@dataclass(frozen=True)
class Rows:
    """A data set of `export --to sft|dpo|grpo`."""

    path: Path

    @cached_property
    def all(self) -> Any:
        """The rows as a `datasets.Dataset`. Raises UserError for a file that is no such data
        set."""
        from datasets import load_dataset

        if self.path.suffix not in (".jsonl", ".parquet") or not self.path.is_file():
            raise UserError(
                f"{str(self.path)!r} is no data set: name a .jsonl or .parquet file of "
                f"`orchestrator export --to sft`, dpo or grpo{nearby(self.path)}"
            )
        if self.path.suffix == ".jsonl":
            builder = "json"
        else:
            builder = "parquet"
        rows = load_dataset(builder, data_files=str(self.path), split="train")
        if not len(rows):
            raise UserError(f"{str(self.path)!r} has no row")
        return rows

    @cached_property
    def kind(self) -> Kind:
        for kind, columns in READ.items():
            if {*columns, "seed"} <= {*self.all.column_names}:
                return kind
        raise UserError(
            f"{str(self.path)!r} has no columns to train on; export it with `--to sft`, `--to "
            "dpo` or `--to grpo`"
        )

    @property
    def training(self) -> Any:
        """The rows with only the columns that the kind's trainer reads."""
        return self.all.select_columns([*READ[self.kind]])

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the deals that the rows come from."""
        return tuple(sorted(set(self.all["seed"])))

    @cached_property
    def digest(self) -> str:
        return blake2b(self.path.read_bytes(), digest_size=8).hexdigest()

    @property
    def answered_by(self) -> Counter[str]:
        return Counter(self.all["answered_by"])
