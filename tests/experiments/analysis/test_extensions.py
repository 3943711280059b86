"""Runs that went on after their planned end: what run.yaml keeps, and what is left to claim."""

from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import extensions
from hanabi_orchestrator.experiments.record import rows, run_folder
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import verdict
from hanabi_orchestrator.experiments.report.run_data import run_data
from hanabi_orchestrator.experiments.study import experiment, manifest
from hanabi_orchestrator.experiments.study.manifest import PLANNED
from hanabi_orchestrator.experiments.study.plan import Plan
from tests.support.reports import game
from tests.support.sentences import template_of

STUDY = """
name: extended
graph: house
players: [2]
seeds: %s
models: {default: program}
arms: {full: {}, no-historian: {without: [history_analyst]}, %s}
baseline: full
"""
MORE = "no-interpreter: {without: [tom_interpreter]}"


def planned(folder: Path, seeds: int, arms: str = "") -> list[dict[str, Any]]:
    manifest.write(Plan.resolve(experiment.parse(STUDY % (seeds, arms)), folder))
    return list(run_folder.run(folder)[PLANNED])


def games_of(*arms: str, deals: int) -> list[Row]:
    """Return games in which each arm but the baseline loses four points."""
    seeds = range(1, deals + 1)
    return [game(arm, seed, 20 - 4 * (arm != "full") - seed % 3) for arm in arms for seed in seeds]


def test_the_claims_of_an_extended_run_are_withheld_and_its_verdict_says_why(
    tmp_path: Path, monkeypatch: Any
) -> None:
    played: list[Any] = []
    monkeypatch.setattr(rows, "rows", lambda _: played)
    (first,) = planned(tmp_path, 12)
    assert first.keys() == {"date", "deals", "players", "repeats", "arms"} and first["deals"] == 12
    assert len(planned(tmp_path, 12)) == 1, "the same command again plans nothing new"

    games = [
        game(arm, seed, 20 - 4 * (arm != "full") - seed % 3)
        for arm in ("full", "no-historian")
        for seed in range(1, 14)
    ]
    played[:] = [each for each in games if each.seed <= 12]
    shown = run_data(tmp_path, played, run_folder.run(tmp_path))
    assert [each.state for each in verdict.arms(shown)] == ["shown"]

    assert [(size["deals"], size.get("finished")) for size in planned(tmp_path, 13)] == [
        (12, None),
        (13, 12),
    ]
    data = run_data(tmp_path, games, run_folder.run(tmp_path))
    (arm,) = verdict.arms(data)
    said = verdict.sentences(data, None)
    assert arm.state == "withheld" and arm.sentence in said and all(map(template_of, said))
    assert said[0].startswith(
        "This run was extended from 12 to 13 deals after the first 12 were finished: p is not nomi"
    )
    assert "no difference from full is claimed (-4.00 points; " in arm.sentence


def test_an_arm_that_was_added_afterwards_is_not_claimed_and_the_others_are(
    tmp_path: Path, monkeypatch: Any
) -> None:
    names = ("full", "no-historian", "no-interpreter")
    games = games_of(*names, deals=12)
    monkeypatch.setattr(
        rows, "rows", lambda _: [each for each in games if each.arm != "no-interpreter"]
    )
    planned(tmp_path, 12)
    assert planned(tmp_path, 12, MORE)[-1]["finished"] == 12
    data = run_data(tmp_path, games, run_folder.run(tmp_path))
    assert {each.arm: each.state for each in verdict.arms(data)} == {
        "no-historian": "shown",
        "no-interpreter": "withheld",
    }
    assert verdict.sentences(data, None)[0].startswith(
        "This run was extended by the arm no-interpreter after the first 12 were finished: "
    )


def test_a_trial_of_a_few_deals_and_controls_that_explain_a_claim_may_be_added() -> None:
    arms = ["full", "no-x"]
    first = {"deals": 3, "players": [2], "repeats": 1, "arms": arms}
    more = {**first, "deals": 20, "finished": 3}
    assert extensions.of_run({PLANNED: [first, more]}) is None, "five deals cannot show anything"
    controls = {**more, "arms": [*arms, "placebo-x"], "finished": 20}
    extension = extensions.of_run({PLANNED: [first, more, controls]})
    assert extension and not extension.grown
    from tests.experiments.analysis.test_role_controls import ALL, found

    shown = found(**ALL).differences
    kept = extensions.unclaimed(shown, extension, controls=["placebo-x"])
    assert (
        [each.claimed for each in kept] == [each.claimed for each in shown] == [True] * len(shown)
    )
    assert not any(each.claimed for each in extensions.unclaimed(shown, extension, combined=True))
