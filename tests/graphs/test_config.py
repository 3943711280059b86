"""Graph configs: what a file may say, and what an ablation leaves."""

from collections.abc import Callable

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.request import Scripted
from tests.support.positions import GRAPHS, position
from tests.support.small_graph import LAST, nodes, small


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            small(nodes=nodes(proposer={"role": "nope"})),
            "unknown role 'nope': a role of your own needs --import FILE; known: action_recommender, aggregator",
        ),
        (small(color="red"), "unknown key 'color'; known: name, context, nodes"),
        (
            small(nodes=nodes(proposer={"role": "proposer", "sample": 3})),
            "nodes.proposer: unknown key 'sample'; did you mean 'samples'. Known: role",
        ),
        (
            small(nodes=nodes(proposer={"role": "proposer", "samples": 0})),
            "nodes.proposer.samples: .* not 0",
        ),
        (
            small(nodes=nodes(proposer={"role": "proposer", "reads": ["x"]})),
            "reads: 'x' is not a node; the nodes are: ",
        ),
        (
            small(nodes=nodes(proposer={"role": "proposer", "reads": ["aggregator"]})),
            "read in a circle: ",
        ),
        (small(nodes=nodes(notes={"role": "proposer"})), "'notes' cannot name a node"),
        (
            small(decides="nobody"),
            "decides: 'nobody' is not a node; the nodes are: proposer, aggregator",
        ),
        (
            small(nodes=nodes(a={"role": "analyst"}), decides="a"),
            "role 'analyst', which does not reply with a Choice",
        ),
        (
            small(nodes=nodes(proposer={"role": "proposer", "samples": 2}), decides="proposer"),
            "let a selector read it",
        ),
        (
            small(context="nope"),
            "unknown context 'nope'; known: cac, cac_interpreter, cac_verifier, capture, ",
        ),
        (small(verify="nope"), "verify.rule: .* not 'nope'"),
        (
            small(verify={"rule": "safety", "limits": {1: 2}}),
            "limits give each of 1, 2 and 3 lives a probability",
        ),
        (
            small(verify={"rule": "safety", "limits": {1: 1, 2: 0.5}}),
            "limits give each of 1, 2 and 3 lives a",
        ),
        (
            small(verify={"rule": "safety", "limits": {1: 1, 2: 0.5, 3: 60}}),
            "limits give each of 1, 2 and 3 lives a",
        ),
        (
            small(check={"judge": "proposer", "redo": "proposer"}),
            "'proposer' does not reply with a Judgement",
        ),
        (
            small(
                nodes=nodes(j={"role": "self_verifier"}), check={"judge": "j", "redo": "aggregator"}
            ),
            "'j' does not read 'aggregator', the node that decides",
        ),
        (
            small(
                nodes=nodes(
                    j={"role": "self_verifier", "reads": ["aggregator"]}, lone={"role": "analyst"}
                ),
                check={"judge": "j", "redo": "lone"},
            ),
            "nothing that 'lone' says reaches 'aggregator'",
        ),
        (
            small(nodes=nodes(s={"role": "safety", "model": "openai:m"})),
            "only a program plays role 'safety'; say `model: program`",
        ),
        (
            small(without_sections=["legal_move"]),
            "without_sections: unknown section 'legal_move'; did you mean 'legal_moves'. Known: card_counts, ",
        ),
        (
            small(without_sections=["strategy"]),
            "mine.yaml has no section 'strategy'; .*t has: rules, state, ",
        ),
        ("name: a\nname: b\n", "says 'name' twice"),
        (
            small(without_sections=["legal_moves"]),
            "role 'proposer' names moves, so it needs the section legal_moves",
        ),
        (small(players=[7]), "players.0: .* not 7"),
        (
            small(nodes=nodes(aggregator={"role": "aggregator", "players": [2, 3]})),
            "is missing at some",
        ),
        (small(nodes=nodes(__x={"role": "proposer"})), "'__x' cannot name a node"),
        (small(context="../contexts/cac"), "unknown context '../contexts/cac'"),
        (
            small(
                nodes=nodes(j={"role": "self_verifier", "reads": ["aggregator"], "samples": 3}),
                check={"judge": "j", "redo": "aggregator"},
            ),
            "'j' answers 3 times, not once",
        ),
        (f"name: {'9' * 5000}", "is not YAML: "),
        ("name: [", "is not YAML, line 1"),
        ("just words", "is not a graph: a YAML mapping with the keys name"),
        (small(players=["two"]), "players.0: .* not 'two'"),
    ],
)
def test_a_wrong_config_is_one_sentence_that_names_the_value(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        parse(text, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml") and "\n" not in str(caught.value)


def test_an_unknown_graph_is_named_with_the_known_ones() -> None:
    with pytest.raises(
        UserError, match=r"unknown graph 'huose'; did you mean 'house'\? Known: best_of_k, cac, "
    ):
        graphs.read("huose")
    with pytest.raises(UserError, match=r"cannot read graph 'no/such\.yaml'"):
        graphs.read("no/such.yaml")


def test_the_named_graphs_are_there() -> None:
    assert set(GRAPHS) <= set(graphs.names())


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_every_graph_compiles_at_every_count(graph: str, players: int) -> None:
    config = graphs.bind(graphs.read(graph), {"default": "program"})
    picture = graphs.build(config, players).get_graph().draw_mermaid()
    assert graphs.read(graph).decides in picture


def test_mixture_of_agents_has_no_historian_at_two_players() -> None:
    config = graphs.read("moa_sherlock")
    assert "history_analyst" not in graphs.at(config, 2).nodes
    assert "history_analyst" in graphs.at(config, 3).nodes
    assert "history_analyst" not in graphs.at(config, 2).nodes["aggregator"].reads


def test_house_is_two_calls_deep_and_ends_in_safety() -> None:
    from hanabi_orchestrator.graphs.attempts import calls, depth

    config = graphs.read("house")
    assert (depth(config), calls(config)) == (2, "4 to 6")
    assert (
        "safety" in graphs.build(graphs.bind(config, {"default": "program"}), 3).get_graph().nodes
    )


# Ablations


def test_without_a_node_nobody_hears_it() -> None:
    config = graphs.without(graphs.read("house"), "tom_interpreter", "discard_strategist")
    assert not {"tom_interpreter", "discard_strategist"} & {
        *config.nodes,
        *config.nodes["aggregator"].reads,
    }
    assert config.name == "house-without-tom_interpreter-discard_strategist"


def test_every_ablation_has_a_name_of_its_own() -> None:
    house = graphs.read("house")
    assert graphs.replace(house, aggregator="program").name == "house-aggregator-program"
    assert (
        graphs.change(house, tom_interpreter={"samples": 3}).name
        == "house-tom_interpreter-samples-3"
    )
    assert graphs.without_sections(house, "discards").name == "house-without-discards"
    given = ["nodes.tom_interpreter.samples=3", "order=faithful"]
    assert graphs.dotted(house, given).name == "house-tom_interpreter-samples-3-order-faithful"
    assert (
        graphs.dotted(graphs.read("mycroft"), ["options.history.moves=5"]).name
        == "mycroft-history-moves-5"
    )


def test_without_its_judge_a_graph_has_no_check() -> None:
    assert graphs.without(graphs.read("cac"), "check").check is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda c: graphs.without(c, "history_analist"),
            "no node 'history_analist'; did you mean 'history_analyst'. It has: history_analyst",
        ),
        (lambda c: graphs.without(c, "aggregator"), "decides: 'aggregator' is not a node"),
        (
            lambda c: graphs.without_sections(c, "strategy"),
            "graph 'house' has no section 'strategy'; .*t has: rules",
        ),
        (lambda c: graphs.replace(c, analist="program"), "has no node 'analist'"),
        (
            lambda c: graphs.change(c, aggregator={"samples": "many"}),
            "nodes.aggregator.samples: .* not 'many'",
        ),
        (lambda c: graphs.verified(c, "maybe"), "verify.rule: .* not 'maybe'"),
        (
            lambda c: graphs.bind(graphs.replace(c, aggregator="other"), {"default": "program"}),
            "no model is bound to 'other'",
        ),
    ],
)
def test_a_wrong_ablation_is_named(
    change: Callable[[graphs.GraphConfig], object], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        change(graphs.read("house"))


def test_a_program_that_lacks_a_section_is_refused() -> None:
    config = graphs.without_sections(graphs.read("house"), "state")
    with pytest.raises(
        UserError, match="the program of role 'tom_interpreter' needs the sections state"
    ):
        graphs.bind(config, {"default": "program"})
    graphs.bind(config, {"default": "openai:some"})  # a model may be asked without it


async def test_without_a_section_no_prompt_tells_it() -> None:
    config = graphs.without_sections(graphs.read("sherlock"), "discards", "probability_advice")
    full, less = (requests(c, LAST, {})["proposer"] for c in (graphs.read("sherlock"), config))
    names = {part.name for part in less.parts}
    assert {part.name for part in full.parts} - names == {"discards", "probability_advice"}
    changed = [part for part in less.parts if part not in full.parts]
    assert [part.name for part in changed] == ["step_by_step"] and "discarded" not in changed[
        0
    ].text


async def test_without_a_colleague_their_work_is_gone() -> None:
    """On the first turn the house gives the interpreter's hint; without them no hint helps by a simple rule."""
    whole = graphs.read("house")
    for config, why in (
        (whole, "the interpreter's hint"),
        (graphs.without(whole, "tom_interpreter"), "the discard strategist's safest card"),
    ):
        decision = await graphs.seat(config)(position("2p-opening"), {})
        assert why in decision.why


async def test_a_replaced_node_is_a_program_and_the_others_are_asked() -> None:
    brain = Scripted({"aggregator": {"reason": "r", "action": 0}})
    config = graphs.replace(graphs.read("moa_sherlock"), analyst="program")
    await graphs.seat(config, brain)(LAST, {})
    assert "analyst" not in {ask.node for ask in brain.asked}
    assert "discard_strategist" in {ask.node for ask in brain.asked}
