"""Graphs as nodes of graphs: the same moves by both engines, and all that is known of other nodes."""

from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.tasks.fork.decision import decide
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from tests.conftest import Run
from tests.support.positions import position, turn_of
from tests.support.prove import FULL

HOUSE = graphs.read("house")
HELPED = graphs.add(HOUSE, helper={"graph": "cac", "feeds": ["aggregator"]})
SMALL = """
name: small
context: sherlock
nodes:
  first: {role: proposer, samples: 3}
  pick:  {role: selector, reads: [first]}
  judge: {role: self_verifier, reads: [pick], context: cac_verifier}
decides: pick
check: {judge: judge, redo: pick}
verify: safety
without_sections: [next_playable]
options: {rules: {scoring: kept}}
reports: raw
"""
OUTER = "{name: outer, context: house, nodes: {whole: {graph: ./small.yaml}}, decides: whole, verify: none}"


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/small.yaml").write_text(SMALL, "utf-8")
    Path("mine/outer.yaml").write_text(OUTER, "utf-8")


@pytest.mark.parametrize("players", [2, 3, 4, 5] if FULL else [5])
@pytest.mark.parametrize("graph", ["house", "small"])
def test_whole_games_are_the_same_by_both_engines(graph: str, players: int) -> None:
    config = HELPED if graph == "house" else graphs.read("mine/outer.yaml")
    walked, scheduled = (
        play(graphs.seat(graphs.setting(config, engine=engine)), players=players, seed=players)
        for engine in ("walk", "langgraph")
    )
    assert walked.turns > 20 and walked.moves_digest == scheduled.moves_digest


def test_an_inner_graph_plays_as_it_does_alone_without_its_verifiers_and_redos() -> None:
    whole = graphs.read("mine/outer.yaml")
    alone = graphs.verified(graphs.without(parse(SMALL), "judge"), "none")
    inner, outer = (play(graphs.seat(config), players=3, seed=3) for config in (alone, whole))
    assert inner.moves_digest == outer.moves_digest
    assert [*whole.nodes] == ["whole.first", "whole"] and not whole.judges and whole.at_most == 0
    assert HELPED.at_most == 2, "the outer graph's own rule judges, and has its redos"


@pytest.mark.parametrize("where", ["2p-opening", "3p-middle", "5p-last-round"])
async def test_the_prompts_of_both_graphs_are_those_that_they_have_alone(where: str) -> None:
    view = position(where)
    cac = graphs.read("cac")
    small = parse(SMALL)
    whole = graphs.read("mine/outer.yaml")
    asked = {
        config.name: requests(config, view, await turn_of(config, view))
        for config in (HELPED, HOUSE, cac, small, whole)
    }
    helped = asked[HELPED.name]
    for node in ("history_analyst", "tom_interpreter", "discard_strategist"):
        assert helped[node].parts == asked["house"][node].parts
    assert helped["aggregator"].parts != asked["house"]["aggregator"].parts
    assert helped["helper.interpret"].parts == asked["cac"]["interpret"].parts
    assert helped["helper"].parts == asked["cac"]["generate"].parts
    assert asked["outer"]["whole.first"].parts == asked["small"]["first"].parts


@pytest.mark.parametrize("section", ["partner_deductions", "own_deductions", "history"])
async def test_a_section_that_an_arm_removes_reaches_no_inner_prompt(section: str) -> None:
    view = position("3p-middle")
    notes = await turn_of(HELPED, view)
    full, less = (
        requests(config, view, notes)
        for config in (HELPED, graphs.without_sections(HELPED, section))
    )
    inner = [node for node in full if node.startswith("helper")]
    words = {part.text for node in inner for part in full[node].parts if part.name == section}
    assert words and inner == ["helper.interpret", "helper"]
    assert not [
        node
        for node in less
        if any(part.name == section or part.text in words for part in less[node].parts)
    ]


def test_settings_of_the_outer_graph_replace_the_inner_ones() -> None:
    config = graphs.dotted(
        graphs.read("mine/outer.yaml"),
        ["reports=typed", "options.rules.scoring=zero", "order=cache"],
    )
    context = config.context_of("whole.first")
    assert (context.reports, context.order) == ("typed", "cache")
    assert {entry.section: entry.options for entry in context.sections}["rules"][
        "scoring"
    ] == "zero"
    assert graphs.read("mine/outer.yaml").context_of("whole.first").reports == "raw"


def test_controls_and_settings_name_inner_nodes() -> None:
    for text, node, field, value in (
        ("nodes.helper.interpret.samples=3", "helper.interpret", "samples", 3),
        ("helper.interpret=sim:average", "helper.interpret", "model", "sim:average"),
        ("helper.interpret.model=program", "helper.interpret", "model", "program"),
        ("helper=program", "helper", "model", "program"),
    ):
        assert getattr(graphs.dotted(HELPED, [text]).nodes[node], field) == value
    assert graphs.dotted(HELPED, ["placebo:helper.interpret"]).controls.placebo == (
        "helper.interpret",
    )
    assert "helper.interpret" not in graphs.dotted(HELPED, ["removed:helper.interpret"]).nodes
    assert (
        graphs.dotted(HELPED, ["removed:helper"]).nodes
        == HOUSE.nodes
        == graphs.without(HELPED, "helper").nodes
    )


def test_a_graph_gives_its_nodes_a_model_and_player_counts() -> None:
    text = (
        "nodes: {helper: {graph: moa_sherlock, model: small, players: [2, 3], feeds: aggregator}}"
    )
    config = parse(f"name: mine\nextends: house\n{text}")
    assert {node.model for name, node in config.nodes.items() if name.startswith("helper")} == {
        "small"
    }
    assert config.nodes["helper.history_analyst"].players == (3,)
    assert "helper.history_analyst" not in graphs.at(config, 2).nodes and graphs.at(
        config, 4
    ).nodes.keys() == (HOUSE.nodes.keys())
    shuffled = graphs.add(HOUSE, helper={"graph": "cac", "model": "shuffled"})
    assert (
        shuffled.controls.shuffled == ("helper",)
        and shuffled.nodes["helper.interpret"].model == "default"
    )


async def test_what_it_remembers_is_shown_to_its_own_nodes_alone() -> None:
    outer = graphs.setting(
        graphs.add(HOUSE, helper={"graph": "mycroft"}), remembers=["aggregator", "helper"]
    )
    view = position("3p-middle")
    alone = graphs.read("mycroft")
    note = [{"reason": "because", "action": "discard slot 0"}]
    turn = {
        "turn": 1,
        "move": "discard slot 0",
        "lives": 3,
        "tokens": 8,
        "deck_size": 9,
        "fireworks": [0] * 5,
    }
    memory = {**turn, "own": [], "notes": {"aggregator": note, "helper": [{"reason": "a secret"}]}}
    tracker = {**memory, "notes": {"tracker": [{"reason": "a secret"}]}}
    asked = requests(outer, view, {}, memory)
    own = requests(alone, view, {}, tracker)
    assert "a secret" in str(asked["helper"].parts) and "because" not in str(asked["helper"].parts)
    assert "because" in str(asked["history_analyst"].parts) and "a secret" not in str(
        asked["history_analyst"].parts
    )
    assert "a secret" in str(own["tracker"].parts)
    once = graphs.add(HOUSE, helper={"graph": "mycroft"})
    asked = requests(once, view, {}, memory)
    bare = requests(HOUSE, view, {})
    assert (
        once.remembers == ("helper",)
        and asked["history_analyst"].parts == bare["history_analyst"].parts
    )


def test_a_game_goes_on_is_replayed_and_decided_again() -> None:
    whole = Path("whole.jsonl")
    cut = Path("cut.jsonl")
    again = Path("again.jsonl")
    play(graphs.seat(HELPED, "sim:average"), players=3, seed=4, journal=whole, max_turns=8)
    text = whole.read_bytes()
    cut.write_bytes(text[: len(text) // 2])
    play(graphs.seat(HELPED, "sim:average"), players=3, seed=4, journal=cut, max_turns=8)
    play(graphs.seat(HELPED, f"replay:{whole}"), players=3, seed=4, journal=again, max_turns=8)
    first, *others = (journal.comparable(journal.read(path)) for path in (whole, cut, again))
    assert others == [first, first]
    asked = {event.node for event in journal.read(whole) if isinstance(event, Call)}
    assert {"helper", "helper.interpret"} < asked
    fork = decide(whole, 5, settings=["helper.interpret=program"], ask=["helper.interpret"])
    assert {call.node for call in fork.new[0].calls if call.fixed is None} >= {
        "helper.interpret",
        "helper",
    }
    assert {"history_analyst", "tom_interpreter"} <= {
        call.node for call in fork.new[0].calls if call.fixed
    }


def test_the_commands_name_the_inner_nodes(run: Run) -> None:
    added = ("--set", "add.helper={graph: cac, feeds: [aggregator]}")
    assert run("play", "--graph", "house", *added, "--players", "2", "--out", "g", "-q")[0] == 0
    (path,) = map(str, Path("g").glob("*.jsonl"))
    shown = run("show", path, "--turn", "3")[1]
    marks = run("report", "--marks", path)[1]
    assert (
        "helper.interpret" in shown
        and "reads     helper.interpret" in shown
        and "cac_interpreter" in marks
    )
    drawn = run("graphs", "show", "house", *added, "--as", "mermaid")[1]
    tree = run("graphs", "show", "house", *added)[1]
    assert "helper --> aggregator" in drawn and "decides for graph cac" in tree
    assert (
        "graphs inside: helper (cac, without its check and redos); this graph alone judges moves"
        in tree
    )
    prompt = run(
        "graphs",
        "prompt",
        "house",
        *added,
        "--players",
        "2",
        "--turn",
        "4",
        "--node",
        "helper.interpret",
    )
    assert prompt[0] == 0 and "=== helper.interpret: user message" in prompt[1]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("{graph: no_such}", "unknown graph 'no_such'"),
        (
            "{graph: circle.yaml}",
            "graphs need each other in a circle: mine/circle.yaml -> mine/circle.yaml",
        ),
        (
            "{graph: cac, role: proposer}",
            "nodes.x: 'role' is a setting of nodes, and it is a graph",
        ),
        ("{graph: cac, samples: 3}", "nodes.x: 'samples' is a setting of nodes, and it is a graph"),
        (
            "{graph: own.yaml}",
            "nodes.x: graph 'own' has controls, which only the outer graph can have",
        ),
        ("{graph: three.yaml, players: 2}", "nodes.x: graph 'three' is for 3 players"),
    ],
)
def test_what_cannot_stand_inside_is_refused_in_a_sentence(node: str, message: str) -> None:
    Path("mine/own.yaml").write_text(
        "{name: own, extends: house, nodes: {tom_interpreter: {model: placebo}}}", "utf-8"
    )
    Path("mine/three.yaml").write_text("{name: three, extends: cac, players: 3}", "utf-8")
    Path("mine/circle.yaml").write_text(
        f"{{name: circle, context: house, nodes: {{x: {node}}}, decides: x}}", "utf-8"
    )
    with pytest.raises(UserError) as refused:
        graphs.read("mine/circle.yaml")
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_a_dot_stands_in_the_name_of_an_inner_node_alone() -> None:
    for nodes in ("{a.b: {role: proposer}}", "{a.b: {role: proposer}, c: {role: proposer}}"):
        with pytest.raises(UserError, match=r"'a\.b' cannot name a node"):
            parse(f"{{name: mine, context: house, nodes: {nodes}, decides: a.b}}")
