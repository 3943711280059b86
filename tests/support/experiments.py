"""Experiments of a few keys, read and planned without a file."""

from pathlib import Path
from typing import Any

import yaml

from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.plan import Plan

NOWHERE = Path("nowhere")


def asked(*changes: str, **keys: Any) -> experiment.Experiment:
    return experiment.parse(
        yaml.safe_dump({"name": "small", **keys}, sort_keys=False), "small.yaml", changes
    )


def plan(*changes: str, **keys: Any) -> Plan:
    return Plan.resolve(asked(*changes, **keys), NOWHERE)


def arms(*changes: str, **keys: Any) -> list[str]:
    return [arm.name for arm in plan(*changes, **keys).arms]
