"""Tables for LaTeX, in the style of booktabs."""

import re
from collections.abc import Iterable, Sequence

WIDE = 9
"""Columns that fit the width of a text at the size of its tables."""
ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": r"$-$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def escape(text: str) -> str:
    """Return plain text for LaTeX on one line, with every special character as it is read."""
    return "".join(ESCAPED.get(sign, sign) for sign in " ".join(text.split()))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str, label: str, words: int = 1) -> str:
    """A table environment; `heads` are LaTeX already, all else is plain text. A wide one is scaled to the text."""
    lines = [" & ".join(map(escape, row)) + r" \\" for row in rows]
    wide = len(heads) > WIDE
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering\small",
            rf"  \caption{{{escape(caption)}}}",
            rf"  \label{{tab:{re.sub('[^A-Za-z0-9-]', '-', label)}}}",
            *([r"  \resizebox{\textwidth}{!}{%"] if wide else []),
            rf"  \begin{{tabular}}{{{'l' * words}{'r' * (len(heads) - words)}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            *(f"    {line}" for line in lines),
            r"    \bottomrule",
            r"  \end{tabular}" + ("}" if wide else ""),
            r"\end{table}",
            "",
        ]
    )
