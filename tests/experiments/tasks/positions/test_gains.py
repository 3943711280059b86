"""Coalitions and contrasts on positions: the terms, tests and words that games with these values have."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from hanabi_orchestrator.experiments.analysis import sentence_templates
from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, coalition_study
from hanabi_orchestrator.experiments.analysis.differences import Difference, own_contrasts
from hanabi_orchestrator.experiments.analysis.games import by_arm
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.study import asked_nodes
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.positions import bank, position_report
from hanabi_orchestrator.experiments.tasks.positions.gains import GAIN, designed, gains
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy, study_of
from tests.conftest import Run
from tests.experiments.analysis.rows import game
from tests.experiments.tasks.positions.conftest import asking, ran
from tests.support.sentences import template_of

PARTS = {"past": "history_analyst", "mind": "analyst"}
CONTRASTS = {"own": {"full": 1.0, "without-past": -0.5, "without-all": -0.5}}
DEALS = 9


def study(**keys: object) -> PositionStudy:
    asked = asking(graph="moa_watson", notes="fresh", models={"default": "program"}, **keys)
    return study_of(Plan.resolve(asked, Path("nowhere")))


def outcomes(
    losses: Sequence[float], players: int = 3, rolled: Sequence[float] = ()
) -> list[Outcome]:
    """Two positions of each deal, with these losses."""
    places = [place for place in bank.read("program").positions if place.view.players == players][
        : len(losses)
    ]
    return [
        Outcome(
            position=place.model_copy(update={"deal": f"deal {number // 2}"}),
            flipped=float(loss != 0),
            better=float(loss < 0),
            worse=float(loss > 0),
            regret=0.0,
            loss=loss,
            rolled=rolled[number] if rolled else None,
        )
        for number, (place, loss) in enumerate(zip(places, losses, strict=True))
    ]


def drawn(seed: int) -> list[float]:
    chance = Random(seed)
    return [chance.gauss(0.2, 1) for _ in range(2 * DEALS)]


def numbers(difference: Difference) -> dict[str, object]:
    """All that a difference of games and one of decisions share."""
    task = ("players", "counts", "metric", "measured_in", "mde", "for_one_point", "struck_out")
    return {
        field.name: getattr(difference, field.name)
        for field in fields(difference)
        if field.name not in task
    }


@pytest.mark.parametrize("rollouts", [False, True])
def test_terms_and_contrasts_are_those_of_games_with_these_values(rollouts: bool) -> None:
    asked = study(coalitions=PARTS, contrasts=CONTRASTS)
    losses = {
        arm: drawn(seed) for seed, arm in enumerate(("without-mind", "without-past", "without-all"))
    }
    losses["full"] = [0.0] * 2 * DEALS
    unused = [1.0] * 2 * DEALS
    samples = {
        arm: outcomes(unused, rolled=values) if rollouts else outcomes(values)
        for arm, values in losses.items()
    }
    here = designed(asked, samples)
    rows = [
        game(arm, seed=number // 2, score=0, repeat=number)
        for arm in losses
        for number in range(2 * DEALS)
    ]
    value = Measure(
        key="value",
        of=lambda row: -losses[row.arm][row.repeat],
        says="",
        unit="",
        better="more",
        least=None,
    )
    run = {"experiment": {"coalitions": PARTS}, "arms": {arm: {"players": [3]} for arm in losses}}
    there = coalition_study(rows, run, value)
    assert here.coalitions and there
    compare(here.coalitions, there)
    assert list(map(numbers, here.contrasts)) == list(
        map(numbers, own_contrasts(by_arm(rows), CONTRASTS, value))
    )
    assert {effect.difference.n for effect in here.coalitions.effects} == {DEALS}


def compare(here: CoalitionStudy, there: CoalitionStudy) -> None:
    assert len(here.effects) == len(there.effects) > 5
    for ours, theirs in zip(here.effects, there.effects, strict=True):
        assert (ours.kind, ours.parts, ours.absence) == (theirs.kind, theirs.parts, theirs.absence)
        assert numbers(ours.difference) == numbers(theirs.difference), ours.name


def test_a_coalition_decides_as_the_baseline_where_its_parts_are_not_there() -> None:
    asked = study(coalitions=PARTS)
    at_two = outcomes([0.0] * 4, players=2)
    at_three = outcomes([0.5] * 4)
    samples = {arm.name: [*at_two, *at_three] for arm in asked.arms}
    samples |= {"full": [*at_two, *outcomes([0.0] * 4)], "without-past": at_three}
    found = {gain.repeat: gain.points for gain in gains(asked, samples)["without-past"]}
    assert found == {0: 0, 1: 0, 2: 0, 3: 0, 4: -0.5, 5: -0.5, 6: -0.5, 7: -0.5}
    sections = study(coalitions={"past": ["history_analyst", "discards"], "mind": "analyst"})
    assert asked_nodes.applies(sections.baseline, sections.by_name["without-past"], 2), (
        "a section is there"
    )


def test_a_part_that_changes_no_value_is_no_evidence() -> None:
    asked = study(coalitions=PARTS)
    losses = [0.0] * 2 * DEALS
    found = designed(asked, {arm.name: outcomes(losses) for arm in asked.arms}).coalitions
    assert found and all(effect.difference.p is None for effect in found.effects)


def test_too_few_own_decisions_are_compared_with_nothing() -> None:
    asked = study(coalitions=PARTS)
    samples = {arm.name: outcomes(drawn(1)) for arm in asked.arms}
    forced = [Outcome(**{**vars(row), "forced": 0.6}) for row in samples["without-all"]]
    found = designed(asked, {**samples, "without-all": forced}).coalitions
    assert found and found.withheld == ("without-all",) and not found.effects


def test_the_report_has_the_tables_sentences_and_figures_of_coalitions(
    tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "parts.yaml"
    settings = {
        **{"name": "parts", "task": "positions", "bank": "program", "graph": "house", "first": 12},
        "coalitions": ["tom_interpreter", "discard_strategist"],
        "contrasts": {"mind": {"full": 1, "without-tom_interpreter": -1}},
    }
    file.write_text(json.dumps(settings), "utf-8")
    folder = tmp_path / "run"
    code, shown, _ = run("experiment", "run", str(file), "--out", str(folder))
    assert code == 0 and "sum (all less none:" in shown
    report = position_report.read(folder)
    sentences = [part.text for part in position_report.words(report)]
    first = template_of(sentences[0])
    assert first is sentence_templates.COALITION_WHOLE_OTHER, sentences[0]
    assert any(
        sentence.startswith("mind: full - without-tom_interpreter is ") for sentence in sentences
    )
    code, told, _ = run("report", str(folder), "--json")
    terms = json.loads(told)["coalitions"]["terms"]
    by_kind: Mapping[str, float] = {term["kind"]: 0.0 for term in terms}
    sums = {kind: sum(term["mean"] for term in terms if term["kind"] == kind) for kind in by_kind}
    assert sums["shapley"] == pytest.approx(sums["all_parts"])
    assert json.loads(told)["contrasts"][0]["arm"] == "mind"
    for name in ("report.md", "report.html", "figures/coalitions.csv", "figures/interactions.svg"):
        assert (folder / name).is_file(), name
    assert "What each part adds" in (folder / "report.html").read_text("utf-8")
    assert all(effect.p_holm is None for effect in report.effects.effects), (
        "coalitions have tests of their own"
    )
    assert GAIN.unit in (folder / "report.md").read_text("utf-8")


PRICED = {
    "default": {"model": "sim:careful", "price": {"input": 2.0, "output": 8.0}},
    "cheap": {"model": "sim:careless", "price": {"input": 0.1, "output": 0.4}},
}


def allocated(folder: Path, **keys: object) -> position_report.Report:
    settings = {
        "graph": "house",
        "first": 8,
        "coalitions": {
            "parts": {"mind": "tom_interpreter", "last": "aggregator"},
            "by": {"model": "cheap"},
        },
        "controls": {"noise_floor": False},
        **keys,
    }
    ran(folder, **settings)
    return position_report.read(folder)


def test_decisions_say_which_part_deserves_the_better_model(tmp_path: Path) -> None:
    report = allocated(tmp_path / "run", notes="fresh", models=PRICED)
    told = position_report.json_value(report)["coalitions"]["assignments"]["cheap"]
    costs = {tuple(row["parts"]): row["cost"] for row in told}
    assert next(iter(costs)) == () and list(costs)[-1] == ("mind", "last"), "the cheapest first"
    saved = 2 * costs["mind", "last"] - costs["mind",] - costs["last",]
    assert costs[()] == pytest.approx(costs["mind", "last"] - saved, rel=0.05), (
        "notes that are held fixed cost what they cost"
    )
    whole = next(row for row in told if row["parts"] == ("mind", "last"))
    assert whole["score"] == 0 and told[0]["best"] and told[0]["per_cost"] is None
    for row in told:
        outcomes_of = report.effects.outcomes.get(row["arm"], ())
        mean = sum(-outcome.judged for outcome in outcomes_of) / 8
        assert row["score"] == pytest.approx(mean), "one position of each deal"
    texts = position_report.write(report, tmp_path / "run")
    page = (tmp_path / "run" / "report.md").read_text("utf-8")
    assert "Which part deserves the better model" in page and "USD a decision" in page
    assert "prices of simulated models are made up" in page and texts
    assert "allocation" in position_report.latex_tables(report)


def test_without_prices_assignments_cost_tokens(tmp_path: Path) -> None:
    models = {name: settings["model"] for name, settings in PRICED.items()}
    report = allocated(tmp_path / "run", models=models)
    table = position_report.allocations(report)
    assert table and "tokens a decision" in [column.title for column in table.columns]
    assert "are those of the bank, by programs" in table.caption
