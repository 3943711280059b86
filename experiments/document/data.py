"""Tables and documents as data: JSON and CSV, with values where the other forms have words."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from hanabi_orchestrator.experiments.document.blocks import Block, Document, Note, Table, Text
from hanabi_orchestrator.orchestrator.cells import defused


def records(table: Table) -> list[dict[str, Any]]:
    """Return a table's rows by the keys of its columns; a value of several parts has a key for each
    of them."""
    rows = []
    for row in table.rows:
        values = dict[str, Any]()
        for column, cell in zip(table.columns, row, strict=True):
            parts = column.format.parts or ("",)
            cells: Sequence[Any] = [cell] * len(parts)
            if column.format.parts and isinstance(cell, tuple):
                cells = cell
            keys = []
            for part in parts:
                keys.append(f"{column.key}_{part}" if part else column.key)
            values |= zip(keys, cells, strict=True)
        rows.append(values)
    return rows


def csv_text(rows: Table | Iterable[Mapping[str, Any]], *, digits: int | None = None) -> str:
    """Return a table, or rows of equal keys, as CSV; what is not known is empty. `digits`: decimals
    of fractions."""
    lines: Sequence[Mapping[str, Any]]
    if isinstance(rows, Table):
        lines = records(rows)
    else:
        lines = list(rows)
    text = StringIO()
    writer = csv.DictWriter(text, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()

    def written(value: Any) -> Any:
        rounded = isinstance(value, float) and digits is not None
        if value is None:
            return ""
        if rounded:
            return f"{value:.{digits}f}"
        return defused(value)

    for line in lines:
        writer.writerow({key: written(value) for key, value in line.items()})
    return text.getvalue()


def csv_words(table: Table) -> str:
    """Return a table as it is read, titles and written cells, as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.title for column in table.columns)
    writer.writerows(map(defused, row) for row in table.texts())
    return text.getvalue()


def json_value(document: Document | Iterable[Block]) -> dict[str, Any]:
    """Return a document as plain data: its tables by their keys, and its sentences."""
    if isinstance(document, Document):
        parts = document.blocks
    else:
        parts = tuple(document)
    title = {"title": document.title} if isinstance(document, Document) else {}
    return {
        **title,
        **{part.key: records(part) for part in parts if isinstance(part, Table)},
        "notes": [part.text for part in parts if isinstance(part, Note | Text)],
    }
