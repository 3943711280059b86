"""Documents as Markdown."""

import re
from collections.abc import Iterable
from itertools import groupby

from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Document,
    Figure,
    Folded,
    Heading,
    Note,
    Table,
    Text,
)
from hanabi_orchestrator.orchestrator.printable import printable


def text(document: Document) -> str:
    """Return a document as a page."""
    return "\n\n".join([f"# {_inert(document.title)}", *blocks(document.blocks)]) + "\n"


def blocks(parts: Iterable[Block]) -> list[str]:
    """Return each block as Markdown; notes that follow each other are one list."""
    pairs = [(part, _block(part)) for part in parts]
    written = [(part, text) for part, text in pairs if text]
    lines: list[str] = []
    for in_list, group in groupby(
        written, lambda pair: isinstance(pair[0], Note) and pair[0].listed
    ):
        texts = [text for _, text in group]
        if in_list:
            lines.append("\n".join(texts))
        else:
            lines += texts
    return lines


def _lines(printed: Table, texts: list[list[str]]) -> str:
    rule = "".join("---|" if column.format.words else "--:|" for column in printed.columns)
    rows = [[column.title for column in printed.columns], *texts]
    lines = []
    for row in rows:
        cells = [_inert(cell).replace("|", "\\|") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([lines[0], f"|{rule}", *lines[1:]])


def _block(part: Block) -> str:
    match part:
        case Heading():
            return f"{'#' * part.level} {_inert(part.text)}"
        case Text():
            return _inert(part.text)
        case Note():
            return f"- {_inert(part.text)}" if part.listed else f"> **{_inert(part.text)}**"
        case Table():
            written = part.written(_lines, "\n\n")
            heads = [f"### {part.title}" if part.title else "", part.caption]
            return "\n\n".join(filter(None, [*map(_inert, heads), written])) if written else ""
        case Figure():
            picture = f"![{_inert(part.title)}]({part.picture})" if part.picture else ""
            caption = f"{_inert(part.caption)} [{part.csv}]({part.csv})"
            return "\n\n".join(filter(None, [f"### {_inert(part.title)}", picture, caption]))
        case Folded(page_only=True):
            return ""
        case Folded(title=title, texts=texts):
            if isinstance(texts, str):
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", texts)), default=0))
                within = f"{fence}\n{printable(texts)}\n{fence}"
            else:
                within = "\n\n".join(map(_block, texts))
            return f"<details><summary>{_inert(title)}</summary>\n\n{within}\n\n</details>"


def _inert(words: str) -> str:
    """Return the text such that names of models and arms bring no HTML, links, pictures or control
    characters of their own."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", printable(words)).replace("](", "]&#40;")
