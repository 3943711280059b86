"""What a notebook shows of a compiled graph is drawn on this machine."""

from xml.etree import ElementTree

import pytest
from langchain_core.runnables.graph import Edge, Graph, Node

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import drawing

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["house", "cac", "moa_watson"])
def test_a_graph_in_a_notebook_is_drawn_here_with_all_its_nodes_and_edges(name: str) -> None:
    app = graphs.build(name, 3)
    shown = app._repr_mimebundle_()
    assert set(shown) == {"text/plain", "image/svg+xml"}
    picture = ElementTree.fromstring(shown["image/svg+xml"])
    graph = app.get_graph()
    words = [word.text for word in picture.iter(f"{SVG}text")]
    assert words and sorted(map(str, words)) == sorted(node.strip("_") for node in graph.nodes)
    edges = [path for path in picture.iter(f"{SVG}path") if "marker-end" in path.attrib]
    assert len(edges) == len(graph.edges)
    dashed = [path for path in edges if "stroke-dasharray" in path.attrib]
    assert len(dashed) == sum(edge.conditional for edge in graph.edges)


def test_a_node_stands_below_those_it_waits_for_and_loops_are_told_from_steps() -> None:
    nodes = {
        name: Node(id=name, name=name, data=None, metadata=None)
        for name in ("__start__", "a<b", "check", "end")
    }
    back = Edge("check", "a<b", conditional=True)
    graph = Graph(
        nodes, [Edge("__start__", "a<b"), Edge("a<b", "check"), back, Edge("check", "end")]
    )
    picture = ElementTree.fromstring(drawing.svg(graph))
    heights = [float(word.attrib["y"]) for word in picture.iter(f"{SVG}text")]
    assert heights == sorted(set(heights)) and "a<b" in [
        word.text for word in picture.iter(f"{SVG}text")
    ]
