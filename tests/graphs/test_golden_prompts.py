"""What models are told, as readable files: a change of any prompt shows as a diff.

After a meant change: `python -m pytest tests/graphs/test_golden_prompts.py --golden`, then read the diff.
"""

from itertools import product

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.decision import remember
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.determinize import determinized_game
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.models.request import messages
from hanabi_orchestrator.roles import Choice, Notes
from hanabi_orchestrator.roles.hanabi.card_words import written
from tests.support.folders import TESTS
from tests.support.positions import GRAPHS, POSITIONS, position, turn_of

GOLDEN = TESTS / "golden"


async def kept(config: graphs.GraphConfig, view: View) -> Memory:
    """What a remembering seat keeps of its last turn: the table as it was, and the notes of its programs, turn by
    turn, with the move that was made as their choice."""
    memory: Memory = {}
    for past in view.history if config.remembers else ():
        if past.seat == view.seat:
            then = determinized_game(view, past.turn).view()
            notes = await turn_of(config, then, memory)
            memory = remember(config, then, _chosen(notes, past.move), past.move)
    return memory


def _chosen(notes: Notes, move: Move) -> Notes:
    made = {"action": move, "reason": f"{move} serves the team best"}
    return {
        node: tuple(
            one.model_copy(update=made) if isinstance(one, Choice) else one for one in replies
        )
        for node, replies in notes.items()
    }


async def told(graph: str, where: str) -> str:
    view = position(where)
    config = graphs.at(graphs.read(graph), view.players)
    memory = await kept(config, view)
    blocks = []
    notes = await turn_of(config, view, memory)
    for node, ask in requests(config, view, notes, memory).items():
        for message in messages(ask.parts):
            blocks.append(f"=== {node}: {message.role} message\n\n{message.content}\n")
    return "\n".join(blocks)


@pytest.mark.parametrize(
    ("graph", "where"), [*product(GRAPHS, POSITIONS), ("house_information", "4p-code")]
)
async def test_prompts_are_as_stored(
    graph: str, where: str, request: pytest.FixtureRequest
) -> None:
    path = GOLDEN / graph / f"{where}.md"
    text = await told(graph, where)
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("where", POSITIONS)
async def test_what_mycroft_remembers_is_the_table_of_its_own_last_turn(where: str) -> None:
    view = position(where)
    memory = await kept(graphs.at(graphs.read("mycroft"), view.players), view)
    last = next((past for past in reversed(view.history) if past.seat == view.seat), None)
    assert (memory.get("turn"), memory.get("move")) == (
        (last.turn, str(last.move)) if last else (None, None)
    )
    if last:
        then = determinized_game(view, last.turn).view()
        (note,) = memory["notes"]["tracker"]
        own = next(one["slots"] for one in note["deductions"] if one["seat"] == view.seat)
        assert own == [written(known.mask) for known in then.own]
        assert memory["discards"] == [card.value for card in then.discards]
        assert memory["hands"] == {
            str(hand.seat): [card.value for card in hand.cards] for hand in then.hands
        }
