"""What an experiment's file may say: protocols, matrices, void arms; ready files; a run played again by run.yaml."""

import asyncio
import json
import re
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiments.forecast import dry_run
from experiments.record import rows
from experiments.study import experiment, manifest
from experiments.study.arms import Deal
from experiments.study.plan import Plan
from experiments.study.protocols import PROTOCOLS
from experiments.study.seats import Seats
from experiments.tasks.games.experiment_run import GameTask
from experiments.tasks.games.experiment_run import run as run_experiment
from graphs import named as library
from orchestrator.errors import UserError
from orchestrator.journal.events import nowhere
from orchestrator.journal.recorded_answers import Recording, Replay
from orchestrator.models.layer import ModelLayer
from orchestrator.models.settings import ModelSettings
from orchestrator.table.game_loop import OpenGate
from tests.conftest import Run
from tests.support.prove import FULL

NOWHERE = Path("nowhere")


def asked(*changes: str, **keys: Any) -> experiment.Experiment:
    return experiment.parse(yaml.safe_dump({"name": "small", **keys}, sort_keys=False), "small.yaml", changes)


def plan(*changes: str, **keys: Any) -> Plan:
    return Plan.resolve(asked(*changes, **keys), NOWHERE)


def arms(*changes: str, **keys: Any) -> list[str]:
    return [arm.name for arm in plan(*changes, **keys).arms]


def test_a_seat_for_other_player_counts_is_refused_before_any_game(tmp_path: Path) -> None:
    watson = library.graphs()["watson"].text
    (tmp_path / "two.yaml").write_text(watson.replace("name: watson", "name: two\nplayers: [2]"), "utf-8")
    mixed = {"seats": {1: str(tmp_path / "two.yaml")}}
    assert arms(arms={"mixed": mixed}, players=[2], seeds=[1]) == ["mixed"]
    with pytest.raises(UserError, match=r"two\.yaml is for 2 players, not 3"):
        arms(arms={"mixed": mixed}, players=[2, 3], seeds=[1])


# Ready files


@pytest.mark.parametrize("name", experiment.packaged())
def test_a_ready_file_begins_with_its_command(name: str) -> None:
    first, second = experiment.packaged()[name].splitlines()[:2]
    assert re.match(rf"# orchestrator experiment run {name}( |$)", first) and second.startswith("# ")


@pytest.mark.parametrize("name", [*experiment.packaged()][:: 1 if FULL else 3])
def test_a_ready_file_can_be_played_at_all_its_counts(name: str, run: Run) -> None:
    seeds = "[1, 2]" if "shuffled:" in experiment.packaged()[name] else "[1]"  # such notes are of another deal
    code, out, err = run("experiment", "run", name, "--set", f"seeds={seeds}", "--dry-run", "--json")
    assert (code, err) == (0, "")
    assert {one["players"] for one in json.loads(out)["arms"]} == set(experiment.read(name).players)


CHEAP = (
    *("role-ablation-small", "prompt-ablation", "context-ladder", "sparks-10", "cac-3", "challenge-selfplay"),
    *("sparks-judge", "best-of-k", "sparks-cross-play", "sparks-models", "sparks-moa", "tom-languages", "tom-orders"),
)


@pytest.mark.parametrize("name", CHEAP if FULL else CHEAP[::2])
def test_one_deal_of_a_ready_file_is_played_by_programs(name: str, tmp_path: Path) -> None:
    one = ["seeds=[1]", f"players=[{min(experiment.read(name).players)}]", "repeats=1", "journals=lean"]
    done = run_experiment(experiment.read(name, [*one, "models.default=program"]), tmp_path)
    assert not done.failed and [row.arm for row in done.rows] and len(done.rows) == len(done.plan.jobs)


def test_there_is_a_ready_file_of_every_protocol() -> None:
    assert all(experiment.read(name).protocol == name for name in PROTOCOLS)


def test_replacing_programs_by_programs_is_said_to_compare_nothing() -> None:
    with pytest.raises(
        UserError, match=r"nothing to compare: 'exact-historian', .* bind a model first, e\.g\. --set models\.default"
    ):
        Plan.resolve(experiment.read("oracle-ablation", ["models.default=program"]), NOWHERE)


# Protocols


def test_a_protocol_gives_what_the_file_does_not_say() -> None:
    whole = asked(protocol="sparks-ablation")
    assert (whole.players, whole.numbers, whole.repeats) == ((5,), [3], 10)
    assert whole.sampling == {"reasoning_effort": "high"}
    own = asked("seeds.count=4", protocol="sparks-10", players=[2], sampling={"temperature": 0.5})
    assert (own.players, own.numbers) == ((2,), [1, 2, 3, 4])
    assert own.sampling == {"temperature": 0.5, "reasoning_effort": "high"}
    assert asked(protocol="challenge-adhoc", adhoc={"seat": "watson", "games": 3}).adhoc.games == 3  # type: ignore[union-attr]


def test_the_papers_settings_are_in_their_ready_files() -> None:
    cac = experiment.read("cac-3")
    assert (cac.numbers, cac.sampling) == ([212, 321, 628], {"temperature": 0.6})
    assert experiment.read("sparks-10").numbers == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert experiment.read("best-of-k").matrix["change.proposer.samples"] == (1, 2, 3, 4, 5, 6, 7)
    guandan = Plan.resolve(experiment.read("tom-guandan"), NOWHERE)
    beside = Counter(
        (arm.everybody.name.partition("-")[0], str(next(iter(arm.guests(Deal(1, 4)).values())).spec))
        for arm in guandan.arms
        for _ in guandan.experiment.numbers
    )
    assert len(beside) == 9 and set(beside.values()) == {40} and len(set(guandan.experiment.numbers)) == 40
    assert {arm.everybody.config.lang for arm in guandan.arms if arm.everybody.config} == {"zh"}
    swapped = Plan.resolve(experiment.read("tom-positions"), NOWHERE)
    seats = Counter(tuple(arm.guests(Deal(1, 4))) for arm in swapped.arms for _ in swapped.experiment.numbers)
    assert seats == {(1, 3): 40, (0, 2): 40}
    languages = Plan.resolve(experiment.read("tom-languages"), NOWHERE)
    spoken = Counter(arm.everybody.config.lang for arm in languages.arms if arm.everybody.config)
    assert spoken == {"en": 9, "zh": 9} and len(languages.experiment.numbers) == 30


def test_what_was_really_played_is_said_of_a_protocol() -> None:
    (whole,) = plan(protocol="sparks-10").notes
    assert "list of ten deals is lost; appendix E.3 names 2, 3, 5, 7 and 11" in whole
    about, departs = plan("players=[2]", "seeds.count=3", protocol="sparks-10").notes
    assert "lost" not in about and departs == (
        "The run departs from this protocol in: player counts (2 instead of 2–5); "
        "deals (seeds 1–3 instead of seeds 2–3, 5, 7, 11, 13, 17, 19, 23, 29)."
    )


def test_any_other_setting_than_the_protocols_is_said() -> None:
    small = {"model": "openai:x", "reasoning_effort": "low", "temperature": 0.5}
    own = plan(protocol="sparks-10", models={"default": small}, metric="strict", verify="safety").notes[1]
    assert own.removeprefix("The run departs from this protocol in: ").split("; ") == [
        "temperature (0.5 instead of not set)",
        "reasoning_effort (low instead of high)",
        "verify (safety instead of the graphs' own)",
        "metric (strict instead of kept).",
    ]
    pool = {"seat": "house", "pool": ["partner:iggi", "partner:smart"], "games": 3}
    team = plan("seeds=3", protocol="challenge-adhoc", adhoc=pool).notes[1]
    assert "pool (iggi, smart instead of flawed, hat, iggi, outer, piers, random, vandenbergh)" in team
    assert "adhoc.games (3 instead of 10)" in team
    assert len(plan(protocol="sparks-10", models={"default": "sim:average"}).notes) == 1, "a program has no effort"


def test_every_experiment_names_its_score() -> None:
    def named(name: str, *changes: str) -> str:
        return Plan.resolve(experiment.read(name, changes), NOWHERE).metric

    assert [named(name) for name in ("sparks-10", "cac-3", "prompt-ablation", "tom-orders")] == ["kept"] * 4
    others = "challenge-selfplay", "challenge-adhoc", "role-ablation", "cross-play"
    assert [named(name) for name in others] == ["strict"] * 4
    assert named("sparks-10", "metric=strict") == "strict" and named("role-ablation", "metric=kept") == "kept"
    assert plan(graph=["house", "sherlock"]).metric == "strict", "papers that differ"


def test_a_protocols_own_settings_are_no_departure() -> None:
    server = "openai:x@http://127.0.0.1:9/v1"
    assert len(plan(protocol="sparks-10", models={"default": server}).notes) == 1
    assert len(plan(protocol="challenge-adhoc", adhoc={"seat": "watson"}).notes) == 1
    cold = plan("sampling.temperature=0", protocol="cac-3", graph="cac", models={"default": server})
    assert cold.notes[1].endswith("in: temperature (0.0 instead of 0.6).")


def test_a_run_under_older_deals_of_a_protocol_keeps_them(tmp_path: Path) -> None:
    once = asked("seeds=[1, 4]", protocol="sparks-10", players=[2], journals="lean")
    run_experiment(once, tmp_path)
    again = rerun(tmp_path)
    assert again.numbers == [1, 4] and again.protocol == "sparks-10"


def test_a_protocols_sampling_reaches_servers_models_that_do_not_say_otherwise() -> None:
    models = {"default": "openai:x", "own": {"model": "openai:y", "reasoning_effort": "low"}}
    change = {"aggregator": {"model": "own"}, "tom_interpreter": {"model": "sim:careful"}}
    (arm,) = plan(protocol="sparks-10", models=models, arms={"a": {"change": change}}).arms
    default, own = arm.everybody.models["default"], arm.everybody.models["own"]
    assert isinstance(default, ModelSettings) and isinstance(own, ModelSettings)
    assert (default.deciding, own.reasoning_effort) == ({"model": "openai:x", "reasoning_effort": "high"}, "low")
    (bare,) = plan("sampling.reasoning_effort=null", protocol="sparks-10", models={"default": "openai:x"}).arms
    assert bare.everybody.models["default"].deciding == {"model": "openai:x"}  # type: ignore[union-attr]
    (program,) = plan(protocol="sparks-10").arms
    assert program.everybody.models == {"default": "program"}


# Several graphs, matrices


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
    left = [cell for cell in cells if not any(all(cell[k] == v for k, v in entry.items()) for entry in out)]
    found = [
        (arm.everybody.spec, arm.everybody.config.nodes["proposer"].samples, str(arm.everybody.models["default"]))
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
    keys: dict[str, Any] = {"models": {"default": {"model": "openai:x", "max_tokens": 9}}, "seats": {1: "house"}}
    matrix = {"models.default.temperature": [0, 0.7], "seats.1.verify": ["none"], "seats.0": ["partner:iggi"]}
    made = plan(graph="watson", players=[2, 3], **keys, matrix=matrix).arms
    assert [arm.name for arm in made] == [
        "temperature-0.verify-none.seat-0-partner-iggi",
        "temperature-0.7.verify-none.seat-0-partner-iggi",
    ]
    one, other = (arm.everybody.models["default"] for arm in made)
    assert isinstance(one, ModelSettings) and isinstance(other, ModelSettings)
    assert (one.temperature, other.temperature, other.max_tokens, other.name) == (0, 0.7, 9, "x")
    seated = made[0].guests(Deal(1, 2))
    assert seated[1].config and seated[1].config.verify.rule == "none" and seated[0].spec == "partner:iggi"


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
        ({"matrix": ONE, "arms": {"a": {"verify": "none"}}}, "the arm and the matrix both set verify"),
        (
            {"matrix": ONE, "exclude": [{"verifi": "none"}]},
            "'verifi' does not vary; did you mean 'verify'. These do: graph",
        ),
        ({"matrix": ONE, "exclude": [{"verify": "maybe"}]}, "verify is never 'maybe'; it is: none, safety"),
        ({"matrix": ONE, "exclude": [{"verify": "none"}, {"verify": "safety"}]}, "exclude leaves no arm"),
        ({"matrix": ONE, "exclude": [{}]}, "would exclude everything"),
        ({"matrix": {"graph": ["watson"]}, "graph": ["a", "b"]}, "there is a list of graphs, and one in the matrix"),
        ({"graph": ["watson", "house"], "arms": {"a": {"graph": "mycroft"}}}, "names a graph itself"),
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


def test_settings_of_the_command_line_reach_into_short_forms() -> None:
    read = asked(
        "models.default.temperature=0.5",
        "seats.1=watson",
        "seats.1.verify=safety",
        models={"default": "openai:x"},
        seats={1: "house"},
    )
    assert read.models["default"].temperature == 0.5  # type: ignore[union-attr]
    assert (read.seats[1].graph, read.seats[1].verify) == ("watson", "safety")
    assert arms("matrix={verify: [none, safety]}", "graph=[watson, house]")[-1] == "house.verify-safety"
    assert asked("seeds.count=2", seeds=[4, 5, 6]).numbers == [4, 5]


def test_several_graphs_are_compared_with_the_first_and_errors_name_the_remedy() -> None:
    file: dict[str, Any] = {"arms": {"full": {}, "bare": {"verify": "none"}}, "baseline": "full", "graph": "house"}
    both = plan("graph=watson,house", **file)
    assert [arm.name for arm in both.arms] == ["watson.full", "watson.bare", "house.full", "house.bare"]
    assert both.baseline == "watson.full" and "compared with watson.full; --set baseline=ARM names" in " ".join(
        both.notes
    )
    assert asked("graph=[watson, house]", "arms={}", **file).baseline == "watson"
    for baseline in ("none", "hose.full"):
        with pytest.raises(UserError, match=r"is not an arm; .*; try --set baseline=watson\.full$"):
            plan("graph=watson,house", f"baseline={baseline}", **file)
    unfit = {**file, "arms": {"full": {}, "less": {"without": "tom_interpreter"}}}
    with pytest.raises(
        UserError, match=r"has no node 'tom_interpreter'; .*; --set 'arms={}' compares the whole graphs"
    ):
        plan("graph=house,watson", **unfit)


# Void arms


def test_an_arm_is_left_out_where_it_would_be_the_game_of_another() -> None:
    made = plan(graph="moa_sherlock", players=[2, 3], arms="leave_one_out", baseline="full")
    void = {arm.name: arm.players for arm in made.arms if arm.players != (2, 3)}
    assert void == {"no-history_analyst": (3,)}
    assert made.notes == ["The arm no-history_analyst is not played at 2 players, where it is the same as full."]
    assert {job.deal.players for job in made.jobs if job.arm == "no-history_analyst"} == {3}
    assert dry_run.forecast(made.experiment, NOWHERE).notes == tuple(made.notes)


def test_seats_that_differ_by_name_alone_are_the_same_and_others_are_not(tmp_path: Path) -> None:
    text = library.graphs()["watson"].text
    (tmp_path / "mine.yaml").write_text(text.replace("name: watson", "name: mine"), "utf-8")
    twin = {"graph": str(tmp_path / "mine.yaml")}
    changes = {"twin": twin, "stranger": {"seats": {0: twin, 1: "partner:iggi"}}, "again": {}}
    made = plan(graph="watson", players=[2, 3], arms={"base": {}, **changes}, baseline="base")
    assert {arm.name: arm.players for arm in made.arms} == {
        "base": (2, 3),
        "twin": (),
        "stranger": (2, 3),
        "again": (2, 3),  # an arm that says nothing is meant to be the same
    }
    assert "The arm twin is not played at 2 and 3 players, where it is the same as base." in made.notes
    models = {"default": "sim:average"}
    erring = plan(graph="watson", models=models, arms={"base": {}, "exact": {"models": {"default": "program"}}})
    assert all(len(arm.players) == 4 for arm in erring.arms)


# run.yaml


def rerun(folder: Path, *changes: str) -> experiment.Experiment:
    return experiment.read(folder / "run.yaml", changes)


def csv_of(folder: Path) -> bytes:
    return (folder / "results.csv").read_bytes()


def edited(folder: Path, change: Any) -> Path:
    path = folder / "run.yaml"
    data = yaml.safe_load(path.read_text("utf-8"))
    change(data)
    path.write_text(yaml.safe_dump(data), "utf-8")
    return folder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a user's graph, whose file is another afterwards."""
    home = tmp_path_factory.mktemp("played")
    graph = home / "mine.yaml"
    graph.write_text(library.graphs()["moa_watson"].text, "utf-8")
    keys = {"graph": str(graph), "players": [2, 3], "seeds": [2], "arms": "leave_one_out", "baseline": "full"}
    run_experiment(asked(**keys, journals="lean", seats={1: "partner:iggi"}), home / "run")
    graph.write_text(library.graphs()["watson"].text, "utf-8")
    return home / "run"


def test_a_run_is_played_again_by_what_its_run_yaml_holds(played: Path, tmp_path: Path) -> None:
    done = run_experiment(rerun(played), tmp_path / "again")
    assert not done.failed and csv_of(tmp_path / "again") == csv_of(played)
    assert done.plan.notes == Plan.resolve(rerun(played), NOWHERE).notes
    assert [note for note in done.plan.notes if "no-history_analyst is not played at 2 players" in note]
    jobs = [Plan.resolve(rerun(folder), NOWHERE).jobs for folder in (played, tmp_path / "again")]
    assert jobs[0] == jobs[1]


def test_run_yaml_holds_texts_once_cards_and_who_sits_where(played: Path) -> None:
    text = (played / "run.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    assert set(data["deals"]) == {2} and all(len(cards.split()) == 50 for cards in data["deals"].values())
    assert re.search(r"^  2: R5 B3 ", text, re.M)
    named = {key: name for seat in data["seats"].values() for name, key in seat.get("prompts", {}).items()}
    assert (
        set(named) == set(data["prompts"])
        and "fireworks" in data["prompts"][next(key for key, name in named.items() if name == "sections/state.md")]
    )
    full = data["arms"]["full"]
    assert data["seats"][full["others"][1]]["spec"] == "partner:iggi"
    assert "history_analyst" in data["seats"][full["everybody"]]["config"]["nodes"]
    assert data["arms"]["no-history_analyst"]["void"] == {2: "full"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["deals"].update({2: d["deals"][2].swapcase()}), "seed 2 gives another deck than in run.yaml"),
        (lambda d: d["deals"].update({2: "R1"}), "seed 2 gives another deck than in run.yaml"),
        (
            lambda d: [s["prompts"].update({"sections/state.md": "0"}) for s in d["seats"].values() if "prompts" in s],
            "the prompts are not those of run.yaml, which holds their texts: sections/state.md differ",
        ),
        (lambda d: d["seats"].clear(), "run.yaml names a seat .* that it does not describe"),
        (lambda d: d.pop("experiment"), "the key `experiment` is missing"),
        (lambda d: d["arms"]["full"].update(everybodi="x"), "arms.full: unknown key 'everybodi'"),
    ],
)
def test_a_run_that_would_be_another_is_refused(change: Any, said: str, played: Path, tmp_path: Path) -> None:
    folder = edited(Path(shutil.copytree(played, tmp_path / "copy")), change)
    with pytest.raises(UserError, match=said):
        Plan.resolve(rerun(folder), NOWHERE)


def test_other_versions_are_noted_and_arms_that_were_never_played_are_not_missed(tmp_path: Path) -> None:
    keys = {"full": {}, "alike": {"verify": "safety"}, "no-strategist": {"without": ["discard_strategist"]}}
    manifest.write(Plan.resolve(asked(graph="house", arms=keys, baseline="full"), tmp_path))
    edited(tmp_path, lambda data: data["versions"].update(langgraph="0.1"))
    again = Plan.resolve(rerun(tmp_path), NOWHERE)
    assert [arm.name for arm in again.arms] == ["full", "no-strategist"]
    assert [note for note in again.notes if note.startswith("run.yaml was written with langgraph 0.1, and this is ")]


def test_of_a_run_only_its_deals_can_be_set(played: Path) -> None:
    part = Plan.resolve(rerun(played, "players=[3]", "seeds=[2, 9]"), NOWHERE)
    assert {(job.deal.players, job.deal.seed) for job in part.jobs} == {(3, 2), (3, 9)}
    with pytest.raises(
        UserError,
        match=r"played again as it was; only name, .* journals, baseline, metric, reference can be set",
    ):
        rerun(played, "models.default=sim:average")
    with pytest.raises(UserError, match="no arm at these player counts; it has them at 2, 3"):
        Plan.resolve(rerun(played, "players=[5]"), NOWHERE)


PAIRS: dict[str, Any] = {"cross_play": {"seats": {"a": "watson", "b": "partner:iggi"}, "rotate": True}}
STRANGERS: dict[str, Any] = {
    "adhoc": {"seat": "watson", "pool": ["partner:iggi"], "games": 1, "past": {"first": 50, "count": 2}}
}


@pytest.mark.parametrize("keys", [PAIRS, STRANGERS])
def test_pairs_and_strangers_are_played_again_too(keys: dict[str, Any], tmp_path: Path) -> None:
    first = run_experiment(asked(**keys, players=[3], seeds=[1, 2], journals="lean"), tmp_path / "first")
    run_experiment(rerun(tmp_path / "first"), tmp_path / "again")
    assert first.rows and csv_of(tmp_path / "again") == csv_of(tmp_path / "first")
    labels = yaml.safe_load((tmp_path / "again" / "run.yaml").read_text("utf-8"))["labels"]
    assert set(labels) == ({"a", "b"} if keys is PAIRS else {"evaluated", "iggi"})


def test_models_keep_their_settings_and_no_key_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.25")
    models = {"default": "openai:x@http://127.0.0.1:9/v1", "judge": {"model": "sim:careless", "seed": 3}}
    change = {"change": {"aggregator": {"model": "judge"}}}
    keys = {"graph": "house", "models": models, "arms": {"a": change}, "players": [2]}
    before = Plan.resolve(asked(**keys), tmp_path)
    manifest.write(before)
    assert "sk-very-secret" not in (tmp_path / "run.yaml").read_text("utf-8")
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.75")
    again = Plan.resolve(rerun(tmp_path), NOWHERE)
    hashes = [Seats(one.specs, ModelLayer()).start(one.jobs[0]).config_hash for one in (before, again)]
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.25")
    assert hashes[1] != hashes[0] and hashes[1] == Seats(before.specs, ModelLayer()).start(before.jobs[0]).config_hash


async def test_a_run_of_a_model_is_played_again_from_its_recording(endpoint: str, tmp_path: Path) -> None:
    keys = {"graph": "watson", "models": {"default": {"model": f"openai:blind@{endpoint}", "max_tokens": 90}}}
    first = await asyncio.to_thread(run_experiment, asked(**keys, players=[2], seeds=[1]), tmp_path)
    again = Plan.resolve(rerun(tmp_path), tmp_path / "again")
    asker = GameTask(again.specs).open(ModelLayer(replay=Replay(Recording.read(tmp_path))))
    (played,) = [await asker.ask(job, OpenGate(), nowhere) for job in again.jobs]
    assert rows.row("small", 1, first.rows[0].journal, played.result) == first.rows[0]
    assert first.rows[0].calls == first.rows[0].turns > 0 and first.rows[0].tokens_in > 0


def test_parts_of_a_run_that_share_a_folder_lose_nothing_of_each_other(tmp_path: Path) -> None:
    parts = [Plan.resolve(asked(graph="watson", players=[2 + n % 4], seeds=[n]), tmp_path) for n in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(manifest.write, parts))
    data = yaml.safe_load((tmp_path / "run.yaml").read_text("utf-8"))
    assert (data["seeds"], data["players"]) == (list(range(12)), [2, 3, 4, 5]) and set(data["deals"]) == set(range(12))
    assert data["arms"]["small"]["players"] == [2, 3, 4, 5]
    assert [path.name for path in tmp_path.iterdir()] == ["run.yaml"]


def test_a_thousand_deals_are_a_thousand_lines(tmp_path: Path) -> None:
    manifest.write(Plan.resolve(asked(graph="partner:iggi", seeds={"first": 1, "count": 1000}), tmp_path))
    text = (tmp_path / "run.yaml").read_text("utf-8")
    assert len(re.findall(r"^  \d+: [RYGWB1-5 ]{149}$", text, re.M)) == 1000 and len(text) < 250_000
