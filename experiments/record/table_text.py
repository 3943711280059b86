"""Tables as text: CSV and Markdown."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def as_csv(lines: Sequence[Mapping[str, Any]]) -> str:
    """Rows of equal keys as CSV; what is not known is empty."""
    written = io.StringIO()
    table = csv.DictWriter(written, list(lines[0]) if lines else [], lineterminator="\n")
    table.writeheader()
    table.writerows({key: "" if value is None else value for key, value in line.items()} for line in lines)
    return written.getvalue()


def as_markdown(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    every = [columns, ["---"] * len(columns), *lines]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in every)
