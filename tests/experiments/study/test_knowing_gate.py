"""An arm whose safety rule knows more than the seat says so before it is played, and in the run's notes."""

from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.plan import Plan

TEXT = """
name: knowing
graph: house
players: [2]
seeds: [1]
arms:
  full: {}
  less: {without_sections: [own_deductions, history, convention_facts, discards], models: {default: "openai:m"}}
  more:
    without_sections: [own_deductions, history, convention_facts, discards]
    models: {default: "openai:m"}
    setting: {verify: {rule: safety, knows: all}}
baseline: full
"""


def test_an_arm_whose_rule_knows_more_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knowing.yaml").write_text(TEXT, "utf-8")
    notes = Plan.resolve(experiment.read(tmp_path / "knowing.yaml"), tmp_path / "run").notes
    (said,) = [note for note in notes if "knows more" in note]
    assert said.startswith("more: the safety rule knows more than the seat")
