"""A graph that extends another: nodes and edges added, changed and removed, and the prompts that stay as they are."""

from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.support.positions import POSITIONS, position

HOUSE = graphs.read("house")
FULL = """
name: mine
extends: house
verify: none
options: {rules: {scoring: kept}}
nodes:
  second:             {role: proposer, samples: 2, feeds: [aggregator, tom_interpreter]}
  history_analyst:    {options: {history: {moves: 5}}}
  discard_strategist: null
"""


def test_an_extending_graph_is_its_base_with_what_it_says_itself() -> None:
    mine = parse(FULL)
    assert [*mine.nodes] == ["history_analyst", "second", "tom_interpreter", "aggregator"]
    assert mine.nodes["aggregator"].reads == ("history_analyst", "tom_interpreter", "second")
    assert mine.nodes["tom_interpreter"].reads == ("second",) and mine.nodes["second"].samples == 2
    before = HOUSE.nodes["history_analyst"].options
    assert mine.nodes["history_analyst"].options == {**before, "history": {"moves": 5}}
    assert (mine.name, mine.verify.rule, mine.decides) == ("mine", "none", "aggregator")


def test_an_edge_is_removed_by_the_list_of_those_that_stay() -> None:
    mine = parse("name: mine\nextends: house\nnodes: {aggregator: {reads: [tom_interpreter]}}")
    assert mine.nodes["aggregator"] == HOUSE.nodes["aggregator"].model_copy(
        update={"reads": ("tom_interpreter",)}
    )


def test_null_takes_a_key_and_a_judge_away() -> None:
    assert graphs.read("cac").check and parse("name: mine\nextends: cac\ncheck: null").check is None
    gone = parse("name: mine\nextends: cac\nnodes: {check: null}")
    assert gone.check is None and gone.nodes == graphs.without(graphs.read("cac"), "check").nodes


def test_a_file_extends_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.yaml").write_text("name: a\nextends: ./b.yaml\nverify: none")
    (tmp_path / "inner" / "b.yaml").write_text(
        "name: b\nextends: house\nnodes: {discard_strategist: null}"
    )
    mine = graphs.read(tmp_path / "inner" / "a.yaml")
    assert (
        mine.nodes == graphs.without(HOUSE, "discard_strategist").nodes
        and mine.verify.rule == "none"
    )


@pytest.mark.parametrize("where", POSITIONS)
def test_a_prompt_without_the_new_colleague_stays_as_it_is(where: str) -> None:
    view = position(where)
    more = graphs.add(HOUSE, second={"role": "proposer", "feeds": ["tom_interpreter"]})
    before, after = (
        requests(graphs.at(config, view.players), view, {}) for config in (HOUSE, more)
    )
    assert [*after] == [
        "history_analyst",
        "second",
        "tom_interpreter",
        "discard_strategist",
        "aggregator",
    ]
    assert all(before[node].parts == after[node].parts for node in before)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "nodes: {agregator: {samples: 2}}",
            "graph 'house' has no node 'agregator'; did you mean 'aggregator'",
        ),
        (
            "nodes: {aggregater: null}",
            "graph 'house' has no node 'aggregater'; did you mean 'aggregator'",
        ),
        (
            "nodes: {x: {role: proposer, feeds: agregator}}",
            "nodes.x feeds 'agregator', which is no node; did you mean",
        ),
        (
            "nodes: {x: {role: proposer, reads: [aggregator], feeds: aggregator}}",
            "nodes read in a circle: ",
        ),
        ("nodes: {aggregator: null}", "decides: 'aggregator' is not a node"),
        ("nodes: {aggregator: 3}", "nodes.aggregator: must be a mapping of keys to values, not 3"),
        ("nodes: [aggregator]", "nodes: must be a mapping of keys to values"),
        ("sampels: 3", "unknown key 'sampels'"),
    ],
)
def test_what_does_not_fit_the_base_gets_one_sentence(text: str, wrong: str) -> None:
    with pytest.raises(UserError, match=wrong) as error:
        parse(f"name: mine\nextends: house\n{text}", "mine.yaml")
    assert "\n" not in str(error.value) and str(error.value).startswith("mine.yaml: ")


@pytest.mark.parametrize("name", graphs.names("hanabi"))
def test_a_graph_printed_as_yaml_is_the_same_graph(name: str, run: Run) -> None:
    code, text, _ = run("graphs", "show", name, "--as", "yaml", "--set", "verify=safety")
    assert code == 0 and parse(text) == graphs.dotted(graphs.read(name), ["verify=safety"])


def test_graphs_cannot_extend_each_other_in_a_circle(tmp_path: Path) -> None:
    for name, base in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}\nextends: {base}.yaml")
    with pytest.raises(UserError, match=r"in a circle: .*a.yaml -> .*b.yaml -> .*a.yaml$"):
        graphs.read(tmp_path / "a.yaml")
    with pytest.raises(UserError, match="unknown graph 'hose'; did you mean 'house'"):
        parse("name: mine\nextends: hose")
