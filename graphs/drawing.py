"""A compiled graph as a picture in SVG, drawn on this machine: LangGraph itself has a server of Mermaid's draw what a
notebook shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from xml.sax.saxutils import escape

from langchain_core.runnables.graph import Edge, Graph

WIDTH = 150
HEIGHT = 30
"""Of a node, in pixels."""
ACROSS = 26
DOWN = 44
"""Pixels between nodes beside and below each other."""
MARGIN = 16
LOOP = 60
"""Pixels by which a loop goes around the nodes."""
LETTER = 7.3
"""Pixels of a letter, at most."""
BOXES = '<g fill="#f4f6fb" stroke="#7a86a8">'
LINES = '<g fill="none" stroke="#66708a">'
WORDS = '<g fill="#222" font-family="sans-serif" font-size="12" text-anchor="middle">'
ARROW = (
    '<defs><marker id="arrow-of-a-turn" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="#66708a" stroke="none"/></marker></defs>'
)


@dataclass(frozen=True)
class Place:
    """The middle of a node."""

    x: float
    y: float


def svg(graph: Graph) -> str:
    """Return a picture of a graph, its first nodes at the top; an edge that depends on an answer is dashed."""
    loops = _loops(graph)
    rows = _rows(graph, loops)
    width = max(WIDTH, *(round(LETTER * len(name)) + 16 for name in graph.nodes))
    across = max(len(row) for row in rows) * (width + ACROSS) - ACROSS
    places = _places(rows, width, across)
    right = MARGIN + across
    paths = [_path(edge, places, width, right if edge in loops else None) for edge in graph.edges]
    boxes = [_box(place, width) for place in places.values()]
    words = [_words(name, place) for name, place in places.items()]
    size = f'width="{right + LOOP + MARGIN}" height="{2 * MARGIN + len(rows) * (HEIGHT + DOWN) - DOWN}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', ARROW]
    for group, shapes in ((LINES, paths), (BOXES, boxes), (WORDS, words)):
        lines += [group, *shapes, "</g>"]
    return "\n".join([*lines, "</svg>"])


def _loops(graph: Graph) -> list[Edge]:
    """Return the edges that lead back to a node from which they can be reached."""
    following: Mapping[str, list[Edge]] = {
        name: [edge for edge in graph.edges if edge.source == name] for name in graph.nodes
    }
    loops = []
    finished = set[str]()

    def follow(name: str, path: Sequence[str]) -> None:
        for edge in following[name]:
            if edge.target in path:
                loops.append(edge)
            elif edge.target not in finished:
                follow(edge.target, [*path, edge.target])
        finished.add(name)

    for name in graph.nodes:
        if name not in finished:
            follow(name, [name])
    return loops


def _rows(graph: Graph, loops: Sequence[Edge]) -> list[list[str]]:
    """Return the nodes by how many steps precede them."""
    sources: Mapping[str, list[str]] = {
        name: [edge.source for edge in graph.edges if edge.target == name and edge not in loops]
        for name in graph.nodes
    }
    depths: dict[str, int] = {}
    for name in TopologicalSorter(sources).static_order():
        depths[name] = max((depths[source] + 1 for source in sources[name]), default=0)
    rows: list[list[str]] = [[] for _ in range(max(depths.values()) + 1)]
    for name in graph.nodes:
        rows[depths[name]].append(name)
    return rows


def _places(rows: Sequence[Sequence[str]], width: float, across: float) -> dict[str, Place]:
    places = {}
    for number, row in enumerate(rows):
        begin = MARGIN + (across - len(row) * (width + ACROSS) + ACROSS) / 2
        y = MARGIN + HEIGHT / 2 + number * (HEIGHT + DOWN)
        for column, name in enumerate(row):
            places[name] = Place(begin + width / 2 + column * (width + ACROSS), y)
    return places


def _path(edge: Edge, places: Mapping[str, Place], width: float, right: float | None) -> str:
    """Draw an edge; a loop goes around by the right."""
    source = places[edge.source]
    target = places[edge.target]
    if right is None:
        begin = source.y + HEIGHT / 2
        end = target.y - HEIGHT / 2
        middle = (begin + end) / 2
        curve = f"M{source.x} {begin}C{source.x} {middle} {target.x} {middle} {target.x} {end}"
    else:
        bend = right + LOOP
        curve = f"M{source.x + width / 2} {source.y}C{bend} {source.y} {bend} {target.y} {target.x + width / 2} {target.y}"
    dashed = ' stroke-dasharray="5 4"' if edge.conditional else ""
    return f'<path{dashed} marker-end="url(#arrow-of-a-turn)" d="{curve}"/>'


def _box(place: Place, width: float) -> str:
    corner = f'x="{place.x - width / 2}" y="{place.y - HEIGHT / 2}"'
    return f'<rect {corner} width="{width}" height="{HEIGHT}" rx="6"/>'


def _words(name: str, place: Place) -> str:
    return f'<text x="{place.x}" y="{place.y + 4}">{escape(name.strip("_"))}</text>'
