"""What models are told, as readable files: a change of any prompt shows as a diff.

After a meant change: `python -m pytest tests/graphs/test_golden_prompts.py --golden`, then read the diff.
"""

import pytest

import graphs
from graphs.memory import remember
from graphs.prompt_preview import requests
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.models.request import messages
from roles import Notes
from tests.support.folders import TESTS
from tests.support.positions import GRAPHS, POSITIONS, position, turn_of

GOLDEN = TESTS / "golden"


def kept(config: graphs.GraphConfig, view: View, notes: Notes) -> Memory:
    """What a remembering seat could have kept of its last turn: the programs' notes on this position, a round ago."""
    if view.turn == 1 or not config.remembers:
        return {}
    return {**remember(config, view, notes, view.legal[0]), "turn": view.turn - view.players}


async def told(graph: str, where: str) -> str:
    view = position(where)
    config = graphs.at(graphs.read(graph), view.players)
    blocks, notes = [], await turn_of(config, view)
    for node, ask in requests(config, view, notes, kept(config, view, notes)).items():
        for message in messages(ask.parts):
            blocks.append(f"=== {node}: {message.role} message\n\n{message.content}\n")
    return "\n".join(blocks)


@pytest.mark.parametrize("where", POSITIONS)
@pytest.mark.parametrize("graph", GRAPHS)
async def test_prompts_are_as_stored(graph: str, where: str, request: pytest.FixtureRequest) -> None:
    path = GOLDEN / graph / f"{where}.md"
    text = await told(graph, where)
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
