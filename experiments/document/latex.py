"""Tables of documents for LaTeX, in the style of booktabs."""

import re
from collections.abc import Iterable

from hanabi_orchestrator.experiments.document.blocks import Block, Table, plain
from hanabi_orchestrator.orchestrator.printable import printable

WIDE = 9
"""Columns that fit the width of a text at the size of its tables."""
ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": r"$-$",
    "–": "--",
    "Δ": r"$\Delta$",
    "<": r"$<$",
    ">": r"$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def escape(text: str) -> str:
    """Return plain text for LaTeX on one line, with every special character as it is read."""
    return "".join(ESCAPED.get(sign, sign) for sign in " ".join(printable(text).split()))


def tables(parts: Iterable[Block], head: str, name: str) -> str:
    """Return all tables of a document, to be read with \\input; `head`: a comment, LaTeX already.

    `name`: the first part of the labels.
    """
    texts = (table(part, f"{name}-{part.key}") for part in parts if isinstance(part, Table))
    return "\n".join([f"% {head}\n", *filter(None, texts)])


def table(part: Table, label: str) -> str:
    """Return a table environment, a wide one scaled to the width of the text."""
    if (printed := part.printed()) is None:
        return ""
    titles = [escape(column.title).replace(r"95 \%", r"95\,\%") for column in printed.columns]
    caption = ". ".join(filter(None, (plain(part.title).rstrip("."), plain(part.caption))))
    places = "".join("l" if column.format.words else "r" for column in printed.columns)
    wide = len(titles) > WIDE
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering\small",
            rf"  \caption{{{escape(caption)}}}",
            rf"  \label{{tab:{re.sub('[^A-Za-z0-9-]', '-', label)}}}",
            *([r"  \resizebox{\textwidth}{!}{%"] if wide else []),
            rf"  \begin{{tabular}}{{{places}}}",
            r"    \toprule",
            f"    {' & '.join(titles)} \\\\",
            r"    \midrule",
            *(f"    {' & '.join(map(escape, row))} \\\\" for row in printed.texts()),
            r"    \bottomrule",
            r"  \end{tabular}" + ("}" if wide else ""),
            r"\end{table}",
            "",
        ]
    )
