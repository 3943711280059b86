"""How the graphs of arms differ from the baseline's: the nodes that are removed, and what differs beside the nodes."""

from collections.abc import Mapping
from typing import Any

Run = Mapping[str, Any]
"""The contents of run.yaml."""


def seat(run: Run, arm: str | None) -> Mapping[str, Any]:
    """Return the seat that an arm has everywhere, as run.yaml records it; empty where it has none."""
    return (run.get("seats") or {}).get(((run.get("arms") or {}).get(arm) or {}).get("everybody")) or {}


def removed(run: Run) -> Mapping[str, list[str]]:
    """Return the nodes of the baseline that arms of the same graph lack, by arm."""
    base = seat(run, run.get("baseline"))
    seats = {arm: seat(run, arm) for arm in run.get("arms") or {}}
    same = {arm: each for arm, each in seats.items() if each.get("config") and each["spec"] == base.get("spec")}
    lacking = {
        arm: [node for node in base["config"]["nodes"] if node not in each["config"]["nodes"]]
        for arm, each in same.items()
    }
    return {arm: nodes for arm, nodes in lacking.items() if nodes}
