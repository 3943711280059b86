"""What a role's task asks stands in its prompt, whatever an arm takes away; else the node is named before a run."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice

import pytest

from hanabi_orchestrator import graphs, prompts
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig, names
from hanabi_orchestrator.graphs.prompt_facts import blind_nodes, missing_facts
from hanabi_orchestrator.graphs.prompt_preview import Programs, requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.roles import Notes
from hanabi_orchestrator.roles.hanabi.sections.table import OWN_HAND
from hanabi_orchestrator.roles.sections import FACTS, SECTIONS
from tests.support.positions import partners_game


@cache
def position() -> View:
    return next(islice(partners_game(("smart",) * 3, 5), 12, None)).view()


def reduced(config: GraphConfig) -> Iterator[tuple[str, GraphConfig]]:
    """The graph, and it without each node and each section that can be taken away."""
    yield "whole", config
    for node in config.nodes:
        with suppress(UserError):
            yield f"no {node}", ablate.without(config, node)
    for section in dict.fromkeys(
        name for node in config.nodes for name in config.context_of(node).names
    ):
        with suppress(UserError):
            yield f"without {section}", ablate.without_sections(config, section)


GRAPHS = [name for name in names("hanabi") if name != "house_planner"]
"""Without the one that asks what `house` asks, and searches."""


def asked(config: GraphConfig, whole: str) -> dict[str, ModelRequest]:
    """The requests of a graph, whose nodes read what those of the whole one say."""
    return requests(at(config, 3), position(), notes_of(whole))


@cache
def notes_of(name: str) -> Notes:
    return asyncio.run(Programs(at(graphs.read(name), 3)).turn(position(), {}))[0]


def stated(request: ModelRequest) -> set[str]:
    """The facts that the parts of a prompt state, by what stands in them."""
    parts = {part.name: part.text for part in request.parts}
    facts = (
        {"table"}
        if "state" in parts or "fireworks" in parts.get("convention_facts", "").lower()
        else set()
    )
    own = [parts.get("state", "").count(OWN_HAND), "own_deductions" in parts]
    own.append(
        bool(
            re.search(
                r"^(- )?(you|your|slot|[0-9]+[.])", parts.get("convention_facts", ""), re.M | re.I
            )
        )
    )
    facts |= {"own_hand"} if any(own) else set()
    partners = ("partner_knowledge", "partner_deductions")
    heard = any(part in parts for part in partners) or re.search(
        r"\bP\d", parts.get("convention_facts", "")
    )
    facts |= {"partner_knowledge"} if heard else set()
    return facts | ({"past_moves"} if "history" in parts else set())


@pytest.mark.parametrize("name", GRAPHS)
def test_every_prompt_holds_what_its_task_asks_or_its_node_is_named(name: str) -> None:
    for change, config in reduced(graphs.read(name)):
        graph = at(config, 3)
        sentences = list(blind_nodes(at(config, 3)))
        assert change != "whole" or not sentences
        for node, request in (asked(config, name)).items():
            role = graph.role(node)
            reads = graph.nodes[node].reads
            reported = {fact for read in reads for fact in graph.role(read).asks}
            missing = {*role.asks} - stated(request) - reported
            assert {*missing_facts(graph, node)} == missing, (change, node)
            named = [
                sentence for sentence in sentences if sentence.startswith(f"{node} is asked about ")
            ]
            assert bool(named) == bool(missing) and all(FACTS[fact] in named[0] for fact in missing)


@pytest.mark.parametrize("name", GRAPHS)
def test_no_prompt_names_a_section_that_it_does_not_have(name: str) -> None:
    headings = {
        kind.wording().splitlines()[0].removeprefix("# ")
        for kind in SECTIONS.values()
        if kind.wording()
    }
    for change, config in reduced(graphs.read(name)):
        for node, request in (asked(config, name)).items():
            text = "\n".join(part.text for part in request.parts)
            quoted = {heading for heading in headings if f'"{heading}"' in text}
            assert all(f"# {heading}" in text for heading in quoted), (change, node, quoted)


def test_no_text_says_that_colleagues_see_the_same() -> None:
    """Nodes of a graph may get different sections, so the words would be false."""
    assert not [
        name
        for name, text in prompts.contents().items()
        if "see just what" in text or "看到的和" in text
    ]


def test_a_strategist_without_conventions_sees_what_hints_and_counting_leave_of_their_hand() -> (
    None
):
    """By words and program alike: the program counts the same cards."""
    house = graphs.read("house")
    less = ablate.without_sections(house, "convention_facts")
    before, after = (asked(config, "house") for config in (house, less))
    whole, parts = (
        {part.name: part.text for part in p["discard_strategist"].parts} for p in (before, after)
    )
    assert whole["own_deductions"] == parts["own_deductions"] and "convention_facts" in whole
    assert "convention_facts" not in parts and "by counting" not in parts["own_deductions"]
    assert (
        "By hints and counting alone" in parts["own_deductions"]
        and parts["own_deductions"].count("dead") >= 2
    )
