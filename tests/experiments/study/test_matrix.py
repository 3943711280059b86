"""Arms of an experiment: several graphs, matrices, and what cannot be, in one sentence."""

from itertools import product
from typing import Any

import pytest

from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from tests.support.experiments import arms, plan


def test_every_graph_plays_every_arm() -> None:
    both = {"full": {}, "no-strategist": {"without": ["discard_strategist"]}}
    assert arms(graph=["house", "moa_sherlock"], arms=both, baseline="house.full") == [
        "house.full",
        "house.no-strategist",
        "moa_sherlock.full",
        "moa_sherlock.no-strategist",
    ]
    assert arms(graph=["watson", "partner:iggi"]) == ["watson", "iggi"]


def test_a_matrix_makes_an_arm_of_every_cell_that_is_not_excluded() -> None:
    matrix: dict[str, list[Any]] = {
        "graph": ["best_of_k", "moa_watson"],
        "change.proposer.samples": [1, 3],
        "models.default": ["program", {"model": "sim:average", "malformed": 0}],
        "setting.lang": ["en"],
    }
    out: list[dict[str, Any]] = [
        {"graph": "moa_watson", "change.proposer.samples": 3},
        {"models.default": "program", "setting.lang": "en"},
    ]
    made = plan(matrix=matrix, exclude=out).arms
    cells = [dict(zip(matrix, values, strict=True)) for values in product(*matrix.values())]
    left = [
        cell
        for cell in cells
        if not any(all(cell[k] == v for k, v in entry.items()) for entry in out)
    ]
    found = [
        (
            arm.everybody.spec,
            arm.everybody.config.nodes["proposer"].samples,
            str(arm.everybody.models["default"]),
        )
        for arm in made
        if arm.everybody.config
    ]
    assert [(spec, samples) for spec, samples, _ in found] == [
        (cell["graph"], cell["change.proposer.samples"]) for cell in left
    ]
    assert all("malformed=0.0" in model for _, _, model in found)
    assert made[0].name == "best_of_k.samples-1.sim-average-malformed-0.lang-en"


def test_a_matrix_multiplies_arms_and_names_say_what_differs() -> None:
    names = arms(
        graph="house",
        arms={"full": {}, "no-strategist": {"without": ["discard_strategist"]}},
        matrix={"verify": ["none", "safety"], "without_sections": [[], ["discards", "history"]]},
        exclude=[{"arm": "no-strategist", "verify": "none"}],
    )
    assert names == [
        "full.verify-none.without_sections-nothing",
        "full.verify-none.without_sections-discards+history",
        "full.verify-safety.without_sections-nothing",
        "full.verify-safety.without_sections-discards+history",
        "no-strategist.verify-safety.without_sections-nothing",
        "no-strategist.verify-safety.without_sections-discards+history",
    ]
    both = {"change.proposer.samples": [2], "change.rank_proposer.samples": [3]}
    assert arms(graph="moa_watson", matrix=both) == ["proposer-samples-2.rank_proposer-samples-3"]


def test_a_matrix_varies_one_setting_of_a_model_or_a_seat() -> None:
    keys: dict[str, Any] = {
        "models": {"default": {"model": "openai:x", "max_tokens": 9}},
        "seats": {1: "house"},
    }
    matrix = {
        "models.default.temperature": [0, 0.7],
        "seats.1.verify": ["none"],
        "seats.0": ["partner:iggi"],
    }
    made = plan(graph="watson", players=[2, 3], **keys, matrix=matrix).arms
    assert [arm.name for arm in made] == [
        "temperature-0.verify-none.seat-0-partner-iggi",
        "temperature-0.7.verify-none.seat-0-partner-iggi",
    ]
    one, other = (arm.everybody.models["default"] for arm in made)
    assert isinstance(one, ModelSettings) and isinstance(other, ModelSettings)
    assert (one.temperature, other.temperature, other.max_tokens, other.name) == (0, 0.7, 9, "x")
    seated = made[0].guests(Deal(1, 2))
    assert (
        seated[1].config
        and seated[1].config.verify.rule == "none"
        and seated[0].spec == "partner:iggi"
    )


ONE = {"verify": ["none", "safety"]}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"matrix": {}}, "small.yaml: matrix is empty; leave it out"),
        ({"matrix": {"verify": "none"}}, "matrix: verify is 'none'; it is a list of values"),
        ({"matrix": {"verify": []}}, "it is a list of values, each of which makes an arm"),
        (
            {"matrix": {"players": [2, 3]}},
            "matrix: players is no setting of an arm; settings start with: graph, models",
        ),
        ({"matrix": {"verify": ["maybe"]}}, "arm 'verify-maybe': verify: .* not 'maybe'"),
        ({"matrix": {"verify": ["none", "none"]}}, "two arms would be called 'verify-none'"),
        (
            {"matrix": ONE, "arms": {"a": {"verify": "none"}}},
            "the arm and the matrix both set verify",
        ),
        (
            {"matrix": ONE, "exclude": [{"verifi": "none"}]},
            "'verifi' does not vary; did you mean 'verify'. These do: graph",
        ),
        (
            {"matrix": ONE, "exclude": [{"verify": "maybe"}]},
            "verify is never 'maybe'; it is: none, safety",
        ),
        (
            {"matrix": ONE, "exclude": [{"verify": "none"}, {"verify": "safety"}]},
            "exclude leaves no arm",
        ),
        ({"matrix": ONE, "exclude": [{}]}, "would exclude everything"),
        (
            {"matrix": {"graph": ["watson"]}, "graph": ["a", "b"]},
            "there is a list of graphs, and one in the matrix",
        ),
        (
            {"graph": ["watson", "house"], "arms": {"a": {"graph": "mycroft"}}},
            "names a graph itself",
        ),
        ({"graph": []}, "an experiment needs a graph"),
        (
            {"graph": ["watson", "house"], "cross_play": {"seats": ["watson"]}},
            "several graphs and cross_play do not go",
        ),
        (
            {"protocol": "sparks-11"},
            "unknown protocol 'sparks-11'; did you mean 'sparks-10'. Known",
        ),
        (
            {"sampling": {"temprature": 1}},
            "sampling: unknown key 'temprature'; did you mean 'temperature'. Known: model",
        ),
        ({"sampling": {"model": "openai:x"}}, "'model' belongs to a single model"),
        (
            {"models": {"default": {"model": "openai:x", "temp": 1}}},
            "unknown key 'temp'; did you mean 'temperature'?",
        ),
        ({"models": {"default": {"model": "sim:x"}}}, "no simulated model 'sim:x'"),
        ({"baseline": "full", "arms": "leave_one_out", "graph": "watson"}, "nothing"),
        (
            {"matrix": ONE, "baseline": "none"},
            "baseline 'none' is not an arm; did you mean 'verify-none'. The arms are: verify-none, verify-safety",
        ),
        ({"name": "a/b"}, "name: .* not 'a/b'"),
    ],
)
def test_what_cannot_be_is_one_sentence(keys: dict[str, Any], said: str) -> None:
    if said == "nothing":  # a single node is needed: the whole graph is all that is played
        assert arms(**keys) == ["full"]
        return
    with pytest.raises(UserError, match=said) as caught:
        plan(**keys)
    assert "\n" not in str(caught.value)
