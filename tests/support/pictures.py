"""Empty pictures for reports of tests that are not about pictures, for a whole one takes a third of a second."""

from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.figures.drawing import Drawable
from hanabi_orchestrator.experiments.report.figures.figure import Figure


def blank(figure: Figure, table: object, data: Drawable, *, png: bool) -> str:
    """Write an empty picture."""
    svg = '<svg viewBox="0 0 9 9"></svg>'
    write_atomically(data.folder / drawing.FOLDER / f"{figure.name}.svg", svg)
    return svg
