"""A picture that a command writes where it is told to, outside a report."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.record.provenance import Provenance
from experiments.record.rows import Row
from experiments.report.figures import drawing, style
from orchestrator.errors import UserError

KINDS = (".svg", ".png")


def check(path: Path) -> None:
    """Raise UserError for a file that cannot be written as a picture, before anything is reckoned."""
    if path.suffix not in KINDS:
        raise UserError(f"--figure writes {' or '.join(KINDS)} files, not {path.name!r}")
    if not drawing.available():
        raise UserError(drawing.MISSING)


def write(path: Path, paint: Callable[[], Any], rows: Sequence[Row]) -> None:
    """Draw a picture of games into a file; the note below it says where no language model played.

    Raises UserError when the file cannot be written.
    """
    with style.set_up():
        painted = paint()
        style.footnote(painted, label(rows))
        style.settle(painted)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".png":
                style.write_png(painted, path)
            else:
                with path.open("w", encoding="utf-8") as file:
                    style.write_svg(painted, file)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from None


def label(rows: Sequence[Row]) -> str:
    """Return which of these games no language model played, for the foot of a picture or a table; else empty."""
    return Provenance.union(row.provenance for row in rows).note
