"""Prompts as wholes: what an ablation takes away, what a turn costs, how much of it a provider's cache can hold."""

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.show.prompts import NodePrompt, shared
from hanabi_orchestrator.graphs.context import OWN_PARTS
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.request import messages
from tests.support.positions import POSITIONS, position, turn_of


async def pictures(config: graphs.GraphConfig, where: str) -> list[NodePrompt]:
    view = position(where)
    here = graphs.at(config, view.players)
    made = requests(here, view, await turn_of(here, view))
    return [NodePrompt(node, messages(request.parts)) for node, request in made.items()]


def parts(picture: NodePrompt) -> dict[str, str]:
    return {
        s.name: message.content[s.start : s.end]
        for message in picture.messages
        for s in message.spans
    }


SHERLOCK = graphs.read("sherlock")
SPEAK_OF = {
    "discards": {"step_by_step", "probability_advice"},
    "card_counts": {"probability_advice"},
}
"""By section: the others that speak of it, and no longer do without it."""


@pytest.mark.parametrize("section", SHERLOCK.context_of("proposer").names)
@pytest.mark.parametrize("where", POSITIONS)
async def test_dropping_a_section_of_sherlock_drops_its_text_and_nothing_else(
    section: str, where: str
) -> None:
    """A model cannot do without its legal moves: this one is refused."""
    if section == "legal_moves":
        with pytest.raises(UserError, match="needs the section legal_moves"):
            graphs.without_sections(SHERLOCK, section)
        return
    (before,) = await pictures(SHERLOCK, where)
    less = graphs.without_sections(SHERLOCK, section)
    view = position(where)
    (ask,) = requests(less, view, {}).values()
    after = NodePrompt("proposer", messages(ask.parts))
    left = parts(before)
    gone = left.pop(section, None)
    text = before.text if gone is None else _cut(before.text, gone)
    for name in SPEAK_OF.get(section, ()):
        assert parts(after)[name] != left[name]
        text = text.replace(left[name], parts(after)[name])
        left[name] = parts(after)[name]
    assert parts(after) == left and list(parts(after)) == list(left)
    assert (gone is None) == (section == "final_round" and view.turns_left is None)
    assert after.text == text


def _cut(text: str, gone: str) -> str:
    return (
        text.replace(f"{gone}\n\n", "", 1)
        if f"{gone}\n\n" in text
        else text.replace(f"\n\n{gone}", "", 1)
    )


@pytest.mark.parametrize("where", POSITIONS)
async def test_a_turn_of_cac_fits_in_4300_tokens(where: str) -> None:
    made = await pictures(graphs.setting(graphs.read("cac"), order="cache"), where)
    assert len(made) == 3
    assert sum(picture.tokens for picture in made) <= 4300


@pytest.mark.parametrize("where", POSITIONS)
@pytest.mark.parametrize("graph", ["house", "moa_sherlock", "moa_watson"])
async def test_most_of_a_turns_prompts_are_a_beginning_they_share(graph: str, where: str) -> None:
    """Of the mixtures' contexts less is there to share on the first turn; house tells each role what it needs."""
    made = await pictures(graphs.setting(graphs.read(graph), order="cache"), where)
    assert shared(made) >= (0.3 if graph == "house" else 0.6 if where == "2p-opening" else 0.7)


@pytest.mark.parametrize("graph", graphs.names("hanabi"))
async def test_in_the_order_of_caches_a_nodes_own_parts_come_last(graph: str) -> None:
    for picture in await pictures(graphs.setting(graphs.read(graph), order="cache"), "3p-middle"):
        names = [name for name in parts(picture) if parts(picture)[name]]
        own = [name for name in names if name in OWN_PARTS]
        assert names[-len(own) :] == own == [name for name in OWN_PARTS if name in own]


@pytest.mark.parametrize("graph", graphs.names("hanabi"))
async def test_every_section_can_be_taken_from_every_graph(graph: str) -> None:
    """No text of it is left in any prompt; what a program cannot do without is refused in a sentence."""
    config = graphs.read(graph)
    for section in dict.fromkeys(
        told for node in config.nodes for told in config.context_of(node).names
    ):
        try:
            less = graphs.at(graphs.without_sections(config, section), 3)
        except UserError as error:
            assert "needs the section" in str(error)
            continue
        for ask in requests(less, position("3p-middle"), {}).values():
            assert section not in [part.name for part in ask.parts]


@pytest.mark.parametrize(
    ("pack", "said"),
    [
        ("basic", "A save hint"),
        ("newest", "the newest (highest slot)"),
        ("hgroup_1", "Your chop is"),
        ("none", ""),
    ],
)
async def test_conventions_are_packs_that_cacs_generator_alone_is_told(
    pack: str, said: str
) -> None:
    config = graphs.setting(graphs.read("cac"), options={"conventions": pack})
    interpret, generate, _ = await pictures(config, "3p-middle")
    told = parts(generate).get("conventions", "")
    assert said in told and bool(told) == (pack != "none")
    assert "conventions" not in parts(interpret) and "legal_moves" in parts(interpret)


SCORING = {
    "zero": "scores 0",
    "kept": "also for a team that loses its third life",
    "unsaid": "has failed",
}


@pytest.mark.parametrize("scoring", SCORING)
@pytest.mark.parametrize("graph", ["sherlock", "cac", "house", "moa_sherlock", "mycroft"])
async def test_every_graph_can_be_told_another_way_of_scoring(graph: str, scoring: str) -> None:
    config = graphs.setting(graphs.read(graph), options={"rules": {"scoring": scoring}})
    for picture in await pictures(config, "3p-middle"):
        assert [way for way, words in SCORING.items() if words in parts(picture)["rules"]] == [
            scoring
        ]


async def test_an_option_of_a_node_is_its_alone() -> None:
    less = graphs.change(graphs.read("moa_watson"), proposer={"options": {"history": {"moves": 1}}})
    lines = {
        p.node: parts(p)["history"].count("\n- turn") for p in await pictures(less, "3p-middle")
    }
    assert lines.pop("proposer") == 1 and set(lines.values()) == {10}
