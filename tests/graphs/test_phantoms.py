"""A prompt names only the colleagues and the sections that are there: whatever is taken away is not spoken of."""

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.roles import Notes
from tests.support.positions import GRAPHS, literal_views, position, random_views, turn_of
from tests.support.prove import FULL

GIVEN = {
    "rules",
    "state",
    "notes",
    "answer_format",
    "history",
    "remembered",
    "legal_moves",
    "final_round",
}
"""Parts that state the game and the position, or what others wrote: they ask for nothing."""

COLLEAGUES = {
    "proposer": r"a proposal$|a strategist, with|your answers are listed",
    "rank_proposer": "prefers to hint ranks",
    "sherlock_analyst": "analysed every move",
    "sherlock_discard_strategist": "judged your discards",
    "sherlock_history_analyst": "read the past$",
    "watson_analyst": "the analyst",
    "watson_discard_strategist": "the discard report",
    "watson_history_analyst": "insights from the past$",
    "cac_interpreter": "use the report on",
    "first_order": "report of what the others know|a report above",
    "second_order": "believe of you",
    "history_analyst": "the history analyst",
    "tom_interpreter": "the tom interpreter",
    "discard_strategist": "the discard strategist lists",
}
"""What only a prompt with the report of such a role may say."""

SECTIONS = {
    "discards": "discard pile|in the pile",
    "history": "moves reveal|latest moves in|each move that matters|since that player's last move|since then",
    "card_counts": "how many copies of each card there are;",
    "conventions": "the conventions",
    "own_actions": "your earlier moves",
    "remembered": "get (it )?back on|you get back",
}
"""What only a prompt with such a section may ask for."""

VIEW = position("3p-middle")


def asked(config: GraphConfig, notes: Notes) -> str:
    """What all nodes of a graph are asked to do, as one text."""
    asks = requests(
        config, VIEW, {name: replies for name, replies in notes.items() if name in config.nodes}
    )
    parts = [part for ask in asks.values() for part in ask.parts]
    return "\n".join(part.text for part in parts if part.name not in GIVEN)


def removals(config: GraphConfig) -> Iterator[tuple[str, str, Callable[[], GraphConfig]]]:
    """Every node and section: its name, the words that go with it, and how it is taken away."""
    for node in config.nodes:
        yield (
            node,
            COLLEAGUES.get(config.nodes[node].role, ""),
            partial(graphs.without, config, node),
        )
    for section in sorted(
        {name for node in config.nodes for name in config.context_of(node).names}
    ):
        yield section, SECTIONS.get(section, ""), partial(graphs.without_sections, config, section)


@pytest.mark.parametrize("graph", GRAPHS)
async def test_no_prompt_speaks_of_what_is_taken_away(graph: str) -> None:
    whole = graphs.at(graphs.read(graph), 3)
    notes = await turn_of(whole, VIEW)
    removed = []
    for name, words, without in removals(whole):
        try:
            text = asked(without(), notes)
        except UserError:
            continue  # the graph cannot do without it
        removed.append(name)
        title = name.replace("_", " ")
        gone = "|".join(
            part for part in (words, title if name in whole.nodes and " " in title else "") if part
        )
        spoken = re.search(gone, text, re.I | re.M) if gone else None
        assert not spoken, f"{graph} without {name} says {spoken[0]!r}"
    assert len(removed) > 3


async def test_the_words_that_go_are_there_while_their_part_is() -> None:
    wholes = [graphs.at(graphs.read(graph), 3) for graph in GRAPHS]
    text = "\n".join([asked(whole, await turn_of(whole, VIEW)) for whole in wholes])
    words = [
        word
        for several in (*COLLEAGUES.values(), *SECTIONS.values())
        for word in several.split("|")
    ]
    assert not [word for word in words if not re.search(word, text, re.I | re.M)]


def test_a_fact_of_the_conventions_is_told_to_one_role_of_house_alone() -> None:
    house = graphs.at(graphs.read("house"), 3)
    facts = 0
    for view in [*literal_views(3, 1), *random_views(3, 1)][:: 1 if FULL else 3]:
        asks = requests(house, view, {})
        texts = {name: {part.name: part.text for part in ask.parts} for name, ask in asks.items()}
        informed = [name for name in texts if "convention_facts" in texts[name]]
        assert informed == [node for node in [*house.nodes][:3] if node in texts]
        for name in informed:
            lines = [
                line
                for line in texts[name]["convention_facts"].splitlines()
                if re.search("slot|danger", line)
            ]
            elsewhere = {
                line
                for other in texts
                if other != name
                for line in "\n".join(texts[other].values()).split("\n")
            }
            assert not elsewhere.intersection(lines), (name, view.turn)
            facts += len(lines)
    assert facts > (1000 if FULL else 300)
