"""Figures of a run, each drawn from a table that lies beside it as CSV."""

import re
from dataclasses import dataclass
from io import StringIO

from experiments.report.figures import best_of_k, choices, cost, cross_play, curves, ends, scores, style
from experiments.report.figures.figure import Figure, Table
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.results.files import write_atomically
from orchestrator.errors import UserError
from orchestrator.logs import log

FIGURES = "figures"
MISSING = "figures need matplotlib, which is not installed: `pip install 'hanabi-orchestrator[figures]'`"


@dataclass(frozen=True)
class Drawn:
    """A figure and its table, as they lie in the folder."""

    kind: Figure
    table: Table
    svg: str | None
    """None when it could not be drawn."""

    @property
    def csv(self) -> str:
        return f"{FIGURES}/{self.kind.name}.csv"

    @property
    def picture(self) -> str:
        return f"{FIGURES}/{self.kind.name}.svg"


@dataclass(frozen=True)
class LeftOut:
    title: str
    why: str


def kinds(data: RunData) -> list[Figure]:
    """In the order in which a report shows them."""
    return [
        *scores.KINDS,
        *cross_play.kinds(data),
        best_of_k.KIND,
        curves.KIND,
        *ends.KINDS,
        cost.KIND,
        *choices.KINDS,
    ]


def there() -> bool:
    """Whether figures can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def draw(data: RunData, *, png: bool = True) -> tuple[list[Drawn], list[LeftOut]]:
    """Write all figures that there is data for, and their tables; and say which were left out, and why.

    A figure that fails loses no other.
    """
    drawn, left = [], []
    for kind in kinds(data):
        try:
            table = kind.data(data)
        except NothingToDrawError as reason:
            left.append(LeftOut(kind.title, str(reason)))
            continue
        except Exception as error:
            left.append(_failed(kind, error))
            continue
        write_atomically(data.folder / FIGURES / f"{kind.name}.csv", table.csv())
        drawn.append(Drawn(kind, table, None))
    if not there():
        return drawn, left
    painted = []
    for one in drawn:
        try:
            painted.append(Drawn(one.kind, one.table, _picture(one.kind, one.table, data, png=png)))
        except Exception as error:
            left.append(_failed(one.kind, error))
            painted.append(one)
    return painted, left


def _failed(figure: Figure, error: Exception) -> LeftOut:
    if isinstance(error, UserError):
        return LeftOut(figure.title, str(error))
    log.warning("a figure failed", figure=figure.name, exc_info=True)
    return LeftOut(figure.title, f"it failed: {type(error).__name__}: {error}")


def _picture(kind: Figure, table: Table, data: RunData, *, png: bool) -> str:
    """Draw a figure into its files; returns the SVG."""
    with style.set_up():
        figure = kind.paint(table, data)
        style.footnote(figure, data.label)
        style.settle(figure)
        out = StringIO()
        style.write_svg(figure, out)
        stem = data.folder / FIGURES / kind.name
        write_atomically(stem.with_suffix(".svg"), out.getvalue())
        if png:
            style.write_png(figure, stem.with_suffix(".png"))
    return out.getvalue()


def inline(svg: str, name: str, alt: str) -> str:
    """An SVG as part of a page: its ids its own, its ink and paper the page's."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", body)
    body = re.sub(r'<svg\b[^>]*?viewBox="([^"]*)"[^>]*>', _opening(alt), body, count=1)
    for ink, said in style.OF_THE_PAGE.items():
        body = body.replace(ink, said)
    return body


def _opening(alt: str) -> str:
    from html import escape

    return (
        rf'<svg viewBox="\1" role="img" aria-label="{escape(alt)}" xmlns="http://www.w3.org/2000/svg" '
        r'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
