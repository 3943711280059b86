"""Runs that went on after their planned end: what is left to claim.

A run spends its whole level where it was planned to end. More deals, or more arms, that are added
once results are there give chance another try, however honest the reason. So an extended run claims
nothing about what was added, at any level; its estimates stand.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.study.manifest import PLANNED
from hanabi_orchestrator.roles.words import many


@dataclass(frozen=True)
class Extension:
    """What a run added to its plan when results were there that could have shown something."""

    steps: tuple[str, ...]
    """In words: `from 12 to 13 deals after the first 12 were finished`."""
    grown: bool
    """Whether deals, player counts or repeats were added, which all comparisons use."""
    arms: frozenset[str]
    """Arms that were added."""

    @property
    def words(self) -> str:
        """What was added and when, as a clause."""
        return "; then ".join(self.steps)


def of_run(run: Mapping[str, Any]) -> Extension | None:
    """Return what a run.yaml says was added after results were there; None for a run that was
    played as planned."""
    sizes: Sequence[Mapping[str, Any]] = run.get(PLANNED) or ()
    steps = list[str]()
    grown = False
    arms = set[str]()
    for before, after in pairwise(sizes):
        finished = int(after.get("finished") or 0)
        if finished < fewest_pairs(1):
            continue
        added = sorted({*after["arms"]} - {*before["arms"]})
        larger = []
        for name in ("deals", "players", "repeats"):
            if text := _grown(name, before, after):
                larger.append(text)
        grown = grown or bool(larger)
        arms = arms | {*added}
        new = [f"by the {'arm' if len(added) == 1 else 'arms'} {', '.join(added)}"] if added else []
        if finished == before["deals"]:
            first = f"the first {finished} were"
        else:
            first = f"{many(finished, 'deal')} were"
        steps.append(f"{' and '.join([*larger, *new])} after {first} finished")
    if steps:
        return Extension(tuple(steps), grown, frozenset(arms))
    return None


def _grown(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return `from 12 to 13 deals`; empty where nothing was added."""
    if before[name] == after[name]:
        return ""
    if name == "players":
        return f"to {' and '.join(map(str, after[name]))} players"
    return f"from {before[name]} to {many(int(after[name]), name.removesuffix('s'))}"


def unclaimed(
    differences: Sequence[Difference],
    extension: Extension | None,
    controls: Collection[str] = (),
    *,
    combined: bool = False,
) -> tuple[Difference, ...]:
    """Return the differences, those that an extension concerns without a level to claim at.

    `controls`: arms that explain a claim and make none of their own, which may be added at any
    time. `combined`: the differences are combinations of many arms, which any new arm concerns.
    """
    if extension is None:
        return tuple(differences)
    added = extension.arms - {*controls}
    everything = extension.grown or (combined and bool(added))
    return tuple(
        replace(each, alpha=0.0) if everything or each.arm in added else each
        for each in differences
    )
