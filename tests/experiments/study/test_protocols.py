"""Protocols of papers: what they give an experiment, and the departures that a run states."""

from collections import Counter
from pathlib import Path

from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from tests.support.experiments import NOWHERE, asked, plan


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
        (
            arm.everybody.name.partition("-")[0],
            str(next(iter(arm.guests(Deal(1, 4)).values())).spec),
        )
        for arm in guandan.arms
        for _ in guandan.experiment.numbers
    )
    assert (
        len(beside) == 9
        and set(beside.values()) == {40}
        and len(set(guandan.experiment.numbers)) == 40
    )
    assert {arm.everybody.config.lang for arm in guandan.arms if arm.everybody.config} == {"zh"}
    swapped = Plan.resolve(experiment.read("tom-positions"), NOWHERE)
    seats = Counter(
        tuple(arm.guests(Deal(1, 4))) for arm in swapped.arms for _ in swapped.experiment.numbers
    )
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
    own = plan(
        protocol="sparks-10", models={"default": small}, metric="strict", verify="safety"
    ).notes[1]
    assert own.removeprefix("The run departs from this protocol in: ").split("; ") == [
        "temperature (0.5 instead of not set)",
        "reasoning_effort (low instead of high)",
        "verify (safety instead of the graphs' own)",
        "metric (strict instead of kept).",
    ]
    pool = {"seat": "house", "pool": ["partner:iggi", "partner:smart"], "games": 3}
    team = plan("seeds=3", protocol="challenge-adhoc", adhoc=pool).notes[1]
    assert (
        "pool (iggi, smart instead of flawed, hat, iggi, outer, piers, random, vandenbergh)" in team
    )
    assert "adhoc.games (3 instead of 10)" in team
    assert len(plan(protocol="sparks-10", models={"default": "sim:average"}).notes) == 1, (
        "a program has no effort"
    )


def test_every_experiment_names_its_score() -> None:
    def named(name: str, *changes: str) -> str:
        return Plan.resolve(experiment.read(name, changes), NOWHERE).metric

    assert [named(name) for name in ("sparks-10", "cac-3", "prompt-ablation", "tom-orders")] == [
        "kept"
    ] * 4
    others = "challenge-selfplay", "challenge-adhoc", "role-ablation", "cross-play"
    assert [named(name) for name in others] == ["strict"] * 4
    assert (
        named("sparks-10", "metric=strict") == "strict"
        and named("role-ablation", "metric=kept") == "kept"
    )
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
    again = experiment.read(tmp_path / "run.yaml")
    assert again.numbers == [1, 4] and again.protocol == "sparks-10"


def test_a_protocols_sampling_reaches_servers_models_that_do_not_say_otherwise() -> None:
    models = {"default": "openai:x", "own": {"model": "openai:y", "reasoning_effort": "low"}}
    change = {"aggregator": {"model": "own"}, "tom_interpreter": {"model": "sim:careful"}}
    (arm,) = plan(protocol="sparks-10", models=models, arms={"a": {"change": change}}).arms
    default = arm.everybody.models["default"]
    own = arm.everybody.models["own"]
    assert isinstance(default, ModelSettings) and isinstance(own, ModelSettings)
    assert (default.deciding, own.reasoning_effort) == (
        {"model": "openai:x", "reasoning_effort": "high"},
        "low",
    )
    (bare,) = plan(
        "sampling.reasoning_effort=null", protocol="sparks-10", models={"default": "openai:x"}
    ).arms
    assert bare.everybody.models["default"].deciding == {"model": "openai:x"}  # type: ignore[union-attr]
    (program,) = plan(protocol="sparks-10").arms
    assert program.everybody.models == {"default": "program"}
