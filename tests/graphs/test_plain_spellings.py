"""What people write without reading a manual is taken, or met with what to write; pydantic's wording never shows."""

import re

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.orchestrator.errors import UserError

GRAPH = """
name: mine
context: {{name: c, sections: {sections}, system: {system}}}
nodes:
  interpreter: {{role: tom_interpreter}}
  proposer: {{role: proposer, reads: {reads}}}
decides: proposer
players: {players}
remembers: {remembers}
without_sections: {gone}
"""
LONG = {
    "sections": "[rules, state, own_deductions, partner_deductions, discards, remembered, legal_moves]",
    "system": "[rules]", "reads": "[interpreter]", "players": "[2]", "remembers": "[proposer]", "gone": "[discards]",
}  # fmt: skip
SHORT = {
    "sections": '"rules, state, own_deductions, partner_deductions, discards, remembered, legal_moves"',
    "system": "rules", "reads": "interpreter", "players": "2", "remembers": "proposer", "gone": "discards",
}  # fmt: skip


def test_a_single_value_stands_for_a_list_in_graphs_and_contexts() -> None:
    from hanabi_orchestrator.graphs.config import parse

    assert parse(GRAPH.format(**SHORT)) == parse(GRAPH.format(**LONG))


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("players: 2", "players: [2]"),
        ("players: 2, 3", "players: [2, 3]"),
        ("seeds: 10", "seeds: {first: 1, count: 10}"),
        ("seeds: 4, 7", "seeds: [4, 7]"),
        ("arms: {a: {without: tom_interpreter}}", "arms: {a: {without: [tom_interpreter]}}"),
        ("arms: {a: {without_sections: discards}}", "arms: {a: {without_sections: [discards]}}"),
        ("matrix: {verify: [none, safety]}\nexclude: {verify: none}",
         "matrix: {verify: [none, safety]}\nexclude: [{verify: none}]"),
        ("adhoc: {seat: house, pool: partner:piers}", "adhoc: {seat: house, pool: [partner:piers]}"),
    ],
)  # fmt: skip
def test_a_single_value_stands_for_a_list_in_experiments(short: str, long: str) -> None:
    assert experiment.parse(f"name: mine\n{short}") == experiment.parse(f"name: mine\n{long}")


def test_a_setting_of_the_command_line_may_be_short_too() -> None:
    asked = experiment.read("role-ablation", ["players=2", "seeds=3", "seeds.first=5"])
    assert (asked.players, asked.numbers) == ((2,), [5, 6, 7])


PYDANTIC = re.compile(r"Input should|Field required|valid \w+|pydantic|type=")

MISTAKES = {
    "name: x\nplayers: two": "players.0: must be a whole number, not 'two'",
    "name: x\nplayers: 9": "players.0: must be at most 5, not 9",
    "name: x\nrepeats: often": "repeats: must be a whole number, not 'often'",
    "name: x\nseeds: {first: 1}": "seeds.count: is missing; write e.g. `count: 10`",
    "players: 2": "name: is missing; write e.g. `name: my-experiment`",
    "name: x\nverify: maybe": "verify: must be 'none' or 'safety', not 'maybe'",
    "name: x\narms: 3": "arms: must be a mapping of keys to values, not 3",
    "name: x\n\tplayers: 2": "line 2: YAML is indented by spaces, and there is a tab",
    "name: x\ngraph: [huose]\narms: {a: {wihtout: b}}": "did you mean 'without'?",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_an_experiment_says_what_to_write(text: str) -> None:
    with pytest.raises(UserError) as caught:
        experiment.parse(text, "mine.yaml")
    assert MISTAKES[text] in str(caught.value) and not PYDANTIC.search(str(caught.value))


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("context", "context: is missing; write e.g. `context: house`"),
        ("decides", "decides: is missing; write e.g. `decides: proposer`"),
    ],
)
def test_a_missing_key_of_a_graph_says_what_to_write(gone: str, said: str) -> None:
    data = graphs.read("watson").model_dump(mode="json", exclude={gone})
    with pytest.raises(UserError) as caught:
        graphs.config.checked(data, "mine.yaml")
    assert str(caught.value) == f"mine.yaml: {said}"
