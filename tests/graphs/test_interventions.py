"""The short forms of interventions: one grammar for experiment files, positions, forks and `--set`."""

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.study import arms, experiment
from hanabi_orchestrator.graphs.interventions import Intervention, apply, parse
from hanabi_orchestrator.orchestrator.errors import UserError

FORMS = {
    "removed:analyst": Intervention("removed", "analyst"),
    "added:chop": Intervention("added", "chop"),
    'add.chop={"role": "chop", "feeds": ["selector"]}': Intervention(
        "added", "chop", {"role": "chop", "feeds": ["selector"]}
    ),
    "analyst=program": Intervention("exact", "analyst"),
    "analyst=openai:gpt@http://host:1/v1?a=b": Intervention(
        "model", "analyst", "openai:gpt@http://host:1/v1?a=b"
    ),
    "analyst=nobody": Intervention("model", "analyst", "nobody"),
    "analyst=placebo": Intervention("placebo", "analyst"),
    "analyst=padded": Intervention("padded", "analyst"),
    "analyst=padded:runs/other": Intervention("padded", "analyst", "runs/other"),
    "analyst=shuffled": Intervention("shuffled", "analyst"),
    "analyst=shuffled:runs/other": Intervention("shuffled", "analyst", "runs/other"),
    "analyst=perturbed:0.3": Intervention("perturbed", "analyst", "0.3"),
    "advise:recommender": Intervention("advise", "recommender"),
    "nodes.proposer.samples=1": Intervention(
        "setting", value=1, keys=("nodes", "proposer", "samples")
    ),
    "context=watson": Intervention("setting", value="watson", keys=("context",)),
    "options.history.moves=5": Intervention(
        "setting", value=5, keys=("options", "history", "moves")
    ),
    "own_hand": Intervention("own_hand"),
    "noise_floor": Intervention("noise_floor"),
    "same_compute:full": Intervention("same_compute", value="full"),
    "without_section:discards": Intervention("without_section", value="discards"),
}
ALSO = {
    "proposer.samples=1": "nodes.proposer.samples=1",
    "exact:analyst": "analyst=program",
    "model:analyst@openai:x": "analyst=openai:x",
    "perturbed:analyst@0.3": "analyst=perturbed:0.3",
    "placebo:analyst": "analyst=placebo",
    "padded:analyst": "analyst=padded",
}
"""Other spellings."""


@pytest.mark.parametrize("short", FORMS)
def test_a_short_form_is_read_and_written(short: str) -> None:
    assert parse(short) == FORMS[short] and str(FORMS[short]) == short


@pytest.mark.parametrize("short", ALSO)
def test_other_spellings_mean_the_same(short: str) -> None:
    assert parse(short) == parse(ALSO[short])


@pytest.mark.parametrize(
    ("short", "why"),
    [
        ("remvoed:analyst", "did you mean 'removed'"),
        ("analyst=perturbed:2", "the rate of errors is '2'"),
        ("noise_floor:analyst", "noise_floor is about no node"),
        (
            "tom_interpretr=program",
            "there is no node or setting 'tom_interpretr'; did you mean 'tom_interpreter'",
        ),
        (
            "add.x={role: proposer, feeds: [agregator]}",
            "feeds 'agregator', which is no node; did you mean 'aggregator'",
        ),
        (
            "add.x={role: proposer, reads: aggregator, feeds: aggregator}",
            "nodes read in a circle: aggregator -> x -> aggregator",
        ),
        (
            "add.x={role: propser}",
            "unknown role 'propser': a role of your own needs --import FILE; did you mean 'proposer'",
        ),
        ("add.x={role: proposer, sample: 2}", "unknown key 'sample'; did you mean 'samples'"),
        ("added:aggregator", "graph 'house' has a node 'aggregator' already"),
        ("own_hand:analyst", "own_hand is about no node"),
    ],
)
def test_what_is_no_change_gets_one_sentence(short: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        graphs.dotted(graphs.read("house"), [short])


def test_changes_are_those_of_the_functions_on_graphs() -> None:
    house = graphs.read("house")
    assert graphs.dotted(house, ["removed:history_analyst"]) == graphs.without(
        house, "history_analyst"
    )
    assert parse("tom_interpreter=program").apply(house) == graphs.replace(
        house, tom_interpreter="program"
    )
    assert graphs.dotted(house, ["added:proposer"]) == graphs.add(house, proposer={})
    both = apply(house, [parse("tom_interpreter=placebo"), parse("order=cache")])
    assert both.controls.placebo == ("tom_interpreter",) and both.order == "cache"


def test_a_new_node_is_read_by_those_whom_it_feeds_and_may_be_changed_at_once() -> None:
    shorts = [
        "x.samples=2",
        "removed:discard_strategist",
        "add.x={role: proposer, feeds: [tom_interpreter, aggregator]}",
    ]
    graph = graphs.dotted(graphs.read("house"), shorts)
    assert graph.nodes["x"].samples == 2 and "discard_strategist" not in graph.nodes
    assert (
        graph.nodes["tom_interpreter"].reads == ("x",)
        and graph.nodes["aggregator"].reads[-1] == "x"
    )
    judged = graphs.add(graph, judge={"role": "self_verifier", "reads": ["aggregator"]})
    assert (
        judged.nodes["aggregator"] == graph.nodes["aggregator"]
    )  # which cannot read its own judge


def test_a_node_may_be_answered_by_its_program_with_errors() -> None:
    seat = graphs.seat(graphs.dotted(graphs.read("house"), ["tom_interpreter=perturbed:0.3"]))
    (settings,) = seat.models.values()
    assert settings["misread_stack"] == 0.3 and settings["malformed"] == 0


def test_an_arm_of_short_forms_is_that_of_the_keys() -> None:
    text = (
        "{{name: e, graph: house, players: 2, seeds: 2, models: {{default: 'sim:average'}}, baseline: full, "
        "arms: {{full: {{}}, {}}}}}"
    )
    short = "a: 'removed:history_analyst', b: ['tom_interpreter=placebo', 'order=cache'], c: 'added:proposer'"
    keys = "a: {without: history_analyst}, b: {placebo: tom_interpreter, setting: {order: cache}}"
    keys = f"{keys}, c: {{add: {{proposer: {{}}}}}}"
    shorts, long = (arms.arms(experiment.parse(text.format(listed))) for listed in (short, keys))
    for one, other in zip(shorts, long, strict=True):
        assert (one.everybody, one.purpose, one.sources) == (
            other.everybody,
            other.purpose,
            other.sources,
        )


def test_a_control_may_be_the_model_of_a_node() -> None:
    house = graphs.read("house")
    data = house.model_dump(mode="json")
    data["nodes"]["tom_interpreter"]["model"] = "placebo"
    graph = graphs.GraphConfig.model_validate(data)
    assert graph.controls.placebo == ("tom_interpreter",) and graph.nodes == house.nodes


def test_a_graph_of_many_settings_is_named_in_short_in_sentences() -> None:
    settings = [
        "verify=safety",
        "nodes.aggregator.samples=3",
        "answer_format=text",
        "reason_first=true",
        "reports=x",
    ]
    with pytest.raises(UserError) as refused:
        graphs.dotted(graphs.read("house"), settings)
    name, _, why = str(refused.value).partition(":")
    assert (
        name == f"{'house-verify-safety-aggregator-samples-3-answer_format-text-':.60} ..."
        and " must be " in why
    )
