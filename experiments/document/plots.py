"""The style of all figures: one width, colour-blind safe colours, and colours that a page replaces
by its own."""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from hanabi_orchestrator.orchestrator.printable import printable

WIDTH = 4.8
"""Inches, the same for all figures, so that their text has one size; a phone shows them nearly in
full size."""

INK = "#1b1b1b"
MUTED = "#6f6f6f"
FAINT = "#d4d4d4"
PAPER = "#fffffe"
BLUE = "#0072b2"
OF_THE_PAGE = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    FAINT: "var(--line)",
    PAPER: "var(--paper)",
    BLUE: "var(--blue)",
}
"""Colours that a page replaces by its own."""

COLOURS = (BLUE, "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#b3a100")
"""Okabe and Ito's palette, without black and with a darker yellow."""
VERMILLION, GREEN, PURPLE, ORANGE, SKY = COLOURS[1:6]
DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


SETTINGS: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a name is a dollar
    "svg.hashsalt": "hanabi",
    "font.family": "sans-serif",
    "font.size": 8.5,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.facecolor": "none",
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
"""With these the same figure always has the same bytes."""


def canvas(wide: float, tall: float) -> Any:
    """Return an empty figure of this size in inches."""
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    return Figure(figsize=(wide, tall), layout="constrained")


def panels(heights: Sequence[float], *, share: bool = True) -> tuple[Any, list[Any]]:
    """Return a figure with panels below one another, of these heights in inches; and the panels."""
    figure = canvas(WIDTH, sum(heights) + 0.62 + 0.3 * len(heights))
    figure.get_layout_engine().set(h_pad=0.03, w_pad=0.03)
    axes = figure.subplots(
        len(heights), 1, squeeze=False, sharex=share, height_ratios=list(heights)
    )
    return figure, [row[0] for row in axes]


def row_panels(
    groups: Mapping[Any, Collection[Any]], xlabel: str, taller: float = 1
) -> tuple[Any, list[Any]]:
    """Return a figure with a panel for each group of rows, below its player count or title; and the
    panels."""
    figure, axes = panels([height(len(rows)) * taller for rows in groups.values()])
    for ax, title in zip(axes, groups, strict=True):
        ax.set_title(title if isinstance(title, str) else headed(title))
    axes[-1].set_xlabel(xlabel)
    return figure, axes


def rows(axes: Any, names: Sequence[str]) -> None:
    """Write names of rows on the left side, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def stacked(
    axes: Any, rows: Sequence[Mapping[str, Any]], whole: str, parts: Mapping[str, tuple[str, str]]
) -> None:
    """Draw a bar for each row: its `parts`, each with its label and colour, in percent of the
    `whole`."""
    starts = [0.0] * len(rows)
    for part, (label, colour) in parts.items():
        wide = [100 * row[part] / row[whole] for row in rows]
        axes.barh(range(len(rows)), wide, 0.7, starts, color=colour, linewidth=0, label=label)
        starts = [start + width for start, width in zip(starts, wide, strict=True)]
    axes.set_xlim(0, 100)


def height(count: int) -> float:
    """Inches of a panel with this number of rows."""
    return 0.1 + 0.24 * count


def interval(
    ax: Any,
    place: float,
    mean: float,
    low: float | None,
    high: float | None,
    color: str = INK,
    **options: Any,
) -> None:
    """Draw a mean with its interval."""
    if low is not None and high is not None:
        ax.plot(
            [low, high], [place, place], color=color, linewidth=1.3, zorder=4, solid_capstyle="butt"
        )
    look = {
        "color": color,
        "marker": "o",
        "linestyle": "none",
        "markersize": 4,
        "zorder": 5,
        **options,
    }
    ax.plot([mean], [place], **look)


def headed(players: int | None) -> str:
    if players is None:
        return "all player counts"
    return f"{players} players"


def legend(figure: Any, panels: Sequence[Any], ncols: int, **options: Any) -> None:
    """Explain the marks of these panels above the figure, each once."""
    marks = {}
    for ax in panels:
        for mark, label in zip(*ax.get_legend_handles_labels(), strict=True):
            marks[label] = mark
    look = {"ncols": ncols, "handlelength": 1, "columnspacing": 1.2, **options}
    figure.legend(marks.values(), marks.keys(), loc="outside upper center", **look)


def picture(paint: Callable[[], Any], note: str = "", png: Path | None = None) -> str:
    """Draw a figure and return it as SVG; `note`: small print below it; `png`: the file to which it
    is also written."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # a letter that the font of the picture lacks; the SVG has it
        warnings.filterwarnings("ignore", "Glyph")
        figure = paint()
        svg = StringIO()
        if note:
            figure.supxlabel(note, fontsize=7.5, color=MUTED, x=0.99, ha="right")
        figure.get_layout_engine().execute(figure)  # once for both files
        figure.set_layout_engine("none")
        svg_writer: Any = FigureCanvasSVG(figure)  # `savefig` would draw the figure twice
        svg_writer.print_svg(svg, metadata={"Date": None, "Creator": None})
        if png:
            png.parent.mkdir(parents=True, exist_ok=True)
            figure.set_dpi(200)
            png_writer: Any = FigureCanvasAgg(figure)
            png_writer.print_png(png, metadata={"Software": None})
    return printable(svg.getvalue())


def inline(svg: str, name: str, alt: str) -> str:
    """Return an SVG for embedding in a page: with unique ids, and with the colours of the page."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", body)
    opening = (
        rf'<svg viewBox="\1" role="img" aria-label="{escape(alt)}" '
        r'xmlns="http://www.w3.org/2000/svg" '
        r'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    body = re.sub(r'<svg\b[^>]*?viewBox="([^"]*)"[^>]*>', opening, body, count=1)
    for colour, variable in OF_THE_PAGE.items():
        body = body.replace(colour, variable)
    return body
