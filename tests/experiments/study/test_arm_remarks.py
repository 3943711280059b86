"""What a plan says of its arms before a game is played."""

from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.plan import Plan


def remarks(tmp_path: Path, **changes: Any) -> str:
    settings = {
        "name": "e",
        "graph": "house",
        "players": [2],
        "seeds": 2,
        "baseline": "full",
        **changes,
    }
    return "\n".join(
        Plan.resolve(Experiment.model_validate(settings), tmp_path / "run").all_remarks
    )


def test_an_arm_that_models_do_not_reach_is_named(tmp_path: Path) -> None:
    arms = {
        "full": {},
        "piers": {"graph": "partner:piers"},
        "exact": {"graph": "house_solo", "replace": {"player": "program"}},
    }
    text = remarks(tmp_path, arms=arms, models={"default": "sim:average"})
    assert "piers: partner:piers is no graph file, so `models` does not reach it" in text
    assert "exact: no node asks default of `models`" in text and "full:" not in text
    assert "models" not in remarks(tmp_path, arms=arms, models={"default": "program"})


def test_a_node_that_lacks_what_its_task_asks_is_named_with_the_remedy(tmp_path: Path) -> None:
    arms = {"full": {}, "less": {"without_sections": ["partner_deductions"]}}
    text = remarks(tmp_path, graph="tom_planner_1", arms=arms)
    assert "less: first_order is asked about what the others know of their cards" in text
    assert (
        "give it a section that says so (partner_knowledge, partner_deductions), or remove first_order, too"
        in text
    )
    assert not remarks(
        tmp_path, arms={"full": {}, "less": {"without_sections": ["convention_facts"]}}
    )
