"""Ratings of state tracking by people, from a CSV.

Columns: `game` (the journal's path below what was judged, with or without `.jsonl`), `turn` (from
1), one column for each aspect that was rated (`deduction_accuracy`, `history_integration`,
`tracking_quality`, `overall`; 0 to 1, empty where somebody gave no rating), and `rater` where there
are several; others are left alone.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, nearby, shortened
from hanabi_orchestrator.orchestrator.values import whole_number
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS

RATER = "human"
"""The name of a rater without one."""


@dataclass(frozen=True)
class HumanRating:
    """What one person rated of one turn."""

    game: str
    turn: int
    rater: str
    ratings: Mapping[str, float]


def read(path: Path) -> tuple[HumanRating, ...]:
    """Return the ratings of a file. Raises UserError for the first row that cannot be read, or that
    rates a turn again."""
    try:
        text = regular_files.text(path, "utf-8-sig")
    except OSError as error:
        raise UserError(
            f"cannot read the ratings {str(path)!r}: {error.strerror}{nearby(path)}"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"cannot read the ratings {str(path)!r}: {regular_files.not_text(error)}"
        ) from None
    try:
        return _read(csv.DictReader(StringIO(text, newline=""), strict=True), path)
    except csv.Error as error:
        raise UserError(f"{str(path)!r} is not a CSV file: {error}") from None


def _read(table: "csv.DictReader[str]", path: Path) -> tuple[HumanRating, ...]:
    columns = [name for name in table.fieldnames or () if name]
    aspects = [aspect for aspect in ASPECTS if aspect in columns]
    if not {"game", "turn"} <= {*columns} or not aspects:
        raise UserError(
            f"{str(path)!r} needs the columns game and turn, and at least one of "
            f"{', '.join(ASPECTS)}; it has {shortened(', '.join(columns)) or 'none'}"
        )
    rows = dict[tuple[str, int, str], HumanRating]()
    for row in _rows(table, aspects, path):
        if rows.setdefault((row.game, row.turn, row.rater), row) is not row:
            raise UserError(
                f"{str(path)!r}: {row.rater} rates turn {row.turn} of {row.game} twice; keep one "
                "row"
            )
    if not rows:
        raise UserError(f"{str(path)!r} has no row below its header")
    return tuple(rows.values())


def _rows(
    table: "csv.DictReader[str]", aspects: Sequence[str], path: Path
) -> Iterator[HumanRating]:
    for row in table:
        where = f"{str(path)!r}, line {table.line_num}"
        game = (row["game"] or "").strip().removesuffix(".jsonl")
        turn = (row["turn"] or "").strip()
        if not game:
            raise UserError(f"{where}: the game is missing; name its journal")
        if not whole_number(turn):
            raise UserError(
                f"{where}: turn is {shortened(repr(turn))}; it must be a whole number from 1"
            )
        texts = {}
        for aspect in aspects:
            if text := (row[aspect] or "").strip():
                texts[aspect] = text
        if not texts:
            raise UserError(
                f"{where}: no rating stands in this row; leave it out, or fill in "
                f"{', '.join(aspects)}"
            )
        ratings = {aspect: _rating(text, aspect, where) for aspect, text in texts.items()}
        yield HumanRating(game, int(turn), (row.get("rater") or "").strip() or RATER, ratings)


def _rating(text: str, aspect: str, where: str) -> float:
    try:
        rating = float(text)
    except ValueError:
        rating = -1.0
    if not 0 <= rating <= 1:
        raise UserError(f"{where}: {aspect} is {text!r}; it must be a number from 0 to 1")
    return rating
