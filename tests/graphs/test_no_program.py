"""Roles without a program, which only models play: prompts, estimates, and a sentence where a program is needed."""

import asyncio

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.show.prompts import node_prompts
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.graphs.prompt_preview import Programs
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.roles import Choice, LegalMoves, State
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport

MARK = "PLACEHOLDER, not an answer"


class Risk(roles.Reply):
    example = {"worst": "slot 3 may be a five"}
    worst: str


def graph(deciding: str = "aggregator") -> GraphConfig:
    nodes = {
        "risk": {"role": "risk"},
        "past": {"role": "guess_history"},
        "analyst": {"role": "analyst", "reads": ["past"]},
        "decider": {"role": deciding, "reads": ["risk", "past", "analyst"]},
    }
    return checked(
        {"name": "mine", "context": "house", "nodes": nodes, "decides": "decider"}, "mine"
    )


@pytest.fixture
def prompt_only(own_roles: None) -> None:
    takes = (State, LegalMoves)
    roles.add(roles.Role("risk", Risk, takes, template="# Name the risk"))
    roles.add(
        roles.Role("guess_history", HistoryReport, takes, template="# Say what the past means")
    )
    roles.add(roles.Role("gut", Choice, takes, template="# Choose a move"))


@pytest.mark.usefixtures("prompt_only")
def test_prompts_show_a_marked_example_where_no_program_answers() -> None:
    made = {prompt.node: prompt.text for prompt in node_prompts(graph(), 2, 1, 5)}
    assert set(made) == {"risk", "past", "analyst", "decider"}
    assert (
        MARK not in made["risk"]
        and made["analyst"].count(MARK) == 1
        and made["decider"].count(MARK) == 2
    )
    assert "worst: slot 3 may be a five" in made["decider"] and "role 'risk'" in made["decider"]


@pytest.mark.usefixtures("prompt_only")
def test_a_deciding_role_without_a_program_has_a_prompt_in_a_rule_players_game() -> None:
    (prompt,) = node_prompts(graph("gut"), 3, 1, 9, "decider")
    assert "# Choose a move" in prompt.text and "turn 9" in prompt.text.lower()


@pytest.mark.usefixtures("prompt_only")
def test_programs_never_read_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, decision = asyncio.run(Programs(graph()).turn(_view(), {}))
    assert notes["risk"][0].model_dump()["worst"] == Risk.example["worst"]
    monkeypatch.setattr(HistoryReport, "example", {})
    others, again = asyncio.run(Programs(graph()).turn(_view(), {}))
    assert others["past"] != notes["past"]
    assert (others["analyst"], again.move) == (notes["analyst"], decision.move)


def _view() -> View:
    return prompt_positions.game(2).views[8]


@pytest.mark.usefixtures("prompt_only")
def test_an_estimate_never_rises_when_a_node_is_removed() -> None:
    whole = prompt_positions.turn_load(graph(), 2)["default"].tokens_in
    for node in ("risk", "past", "analyst"):
        assert (
            prompt_positions.turn_load(graphs.without(graph(), node), 2)["default"].tokens_in
            < whole
        )


@pytest.mark.usefixtures("prompt_only")
@pytest.mark.parametrize("model", ["program", "sim:average"])
def test_one_sentence_says_where_a_model_is_needed(model: str) -> None:
    with pytest.raises(UserError) as caught:
        graphs.seat(graph(), model)
    said = str(caught.value)
    assert (
        "nodes.risk: role 'risk' has no program" in said
        and "give --model openai:NAME" in said
        and "\n" not in said
    )
