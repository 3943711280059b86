"""Documents as HTML: parts of a page, and a whole page that needs no other file."""

import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import groupby

from hanabi_orchestrator.experiments.document.blocks import (
    EMPHASIS,
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


def page(document: Document) -> str:
    """Return a document as a page of its own."""
    template = files(__package__).joinpath("page.html").read_text("utf-8")
    sections = []
    for part in document.blocks:
        if isinstance(part, Heading) and part.level == 2 and part.key:
            sections.append(part)
    links = " ".join(f'<a href="#{escape(part.key)}">{escape(part.text)}</a>' for part in sections)
    if sections:
        first = document.blocks.index(sections[0])
    else:
        first = 0
    lead = blocks(document.blocks[:first])
    main = blocks(document.blocks[first:])
    texts = {"title": escape(document.title), "lead": lead, "links": links, "main": main}
    return printable(re.sub(r"\{\{ (\w+) \}\}", lambda match: texts[match[1]], template))


def fragment(parts: Iterable[Block]) -> str:
    """Return blocks as a part of somebody else's page, such as a notebook: with the colours of ours."""
    template = files(__package__).joinpath("page.html").read_text("utf-8")
    colours = re.search(r":root \{ (.+?) \}", template)
    assert colours is not None
    style = f"{colours[1]} background: var(--paper); color: var(--ink); padding: .5rem 1rem"
    return f'<div style="{style}">\n{blocks(parts)}\n</div>'


def blocks(parts: Iterable[Block]) -> str:
    """Return blocks as HTML without control characters; notes that follow each other are one
    list."""
    lines: list[str] = []
    for level, group in groupby(parts, _list_level):
        items = filter(None, map(_block, group))
        if level:
            opening = '<ul class="quiet">' if level == "aside" else "<ul>"
            lines += [opening, *items, "</ul>"]
        else:
            lines += items
    return printable("\n".join(lines))


def _list_level(part: Block) -> str:
    """Return the level of the list that a block is an item of; empty for none."""
    if isinstance(part, Note) and part.listed:
        return part.level
    return ""


def inline(words: str) -> str:
    """Return a text with its emphasis, code and links."""
    words = EMPHASIS.sub(r"<em>\1</em>", escape(words, quote=False))
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", words)


WIDE = 60
"""Characters of the longest cell from which a column of words is broken."""


def _lines(printed: Table, texts: list[list[str]]) -> str:
    kinds = []
    for column in printed.columns:
        kinds.append("" if column.format.words else ' class="number"')
    wide = []
    for place, kind in enumerate(kinds):
        wide.append(
            ' class="wide"'
            if not kind and max((len(row[place]) for row in texts), default=0) > WIDE
            else kind
        )
    says = []
    for column in printed.columns:
        says.append(f' title="{escape(column.says)}"' if column.says else "")
    head = "".join(
        f'<th scope="col"{kind}{about}>{escape(column.title)}</th>'
        for column, kind, about in zip(printed.columns, kinds, says, strict=True)
    )
    rows = []
    for row in texts:
        cells = [f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(wide, row, strict=True)]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = (
        [f"<thead><tr>{head}</tr></thead>"]
        if any(column.title for column in printed.columns)
        else []
    )
    return "\n".join(
        [
            '<div class="box" tabindex="0">',
            "<table>",
            *heads,
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
            "</div>",
        ]
    )


def _block(part: Block) -> str:
    match part:
        case Heading():
            key = f' id="{escape(part.key)}"' if part.key else ""
            return f"<h{part.level}{key}>{inline(part.text)}</h{part.level}>"
        case Text():
            return f"<p>{inline(part.text)}</p>"
        case Note(listed=True):
            return f"<li>{inline(part.text)}</li>"
        case Note():
            return f'<p class="warning" role="note">{inline(part.text)}</p>'
        case Table():
            if not (written := part.written(_lines, "\n")):
                return ""
            title = (
                f'<h3 id="table-{escape(part.key)}">{inline(part.title)}</h3>' if part.title else ""
            )
            caption = f"<p>{inline(part.caption)}</p>" if part.caption else ""
            return "\n".join(filter(None, (title, caption, written)))
        case Figure():
            box = ' class="box broad" tabindex="0"' if part.broad else ""
            picture = f"<div{box}>\n{part.svg}\n</div>" if part.svg else ""
            link = f'<a href="{escape(part.csv)}">{escape(part.csv)}</a>'
            lines = [f'<figure id="{escape(part.key)}">', f"<h3>{inline(part.title)}</h3>", picture]
            caption = f"<figcaption>{inline(part.caption)} {link}</figcaption>"
            return "\n".join(filter(None, [*lines, caption, "</figure>"]))
        case Folded(title=title, texts=texts):
            within = (
                f"<pre>{escape(texts)}</pre>"
                if isinstance(texts, str)
                else "\n".join(map(_block, texts))
            )
            opening = f"<details{' open' * part.open}><summary>{escape(title)}</summary>"
            return f"{opening}{within}</details>"
