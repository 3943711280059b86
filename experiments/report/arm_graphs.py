"""How the graphs of arms differ from the baseline's: the nodes that are removed, and what differs beside the nodes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pydantic import ValidationError

from experiments.analysis import sentence_templates as say
from experiments.analysis.caveats import NAMED
from experiments.analysis.conclusions import listed
from experiments.study.notes import spans
from experiments.study.rerun import RecordedSeat
from graphs.ablate import at
from graphs.attempts import turn_calls
from orchestrator.errors import UserError

Run: TypeAlias = Mapping[str, Any]
"""The contents of run.yaml."""
Traits: TypeAlias = Mapping[str, str]
"""What a graph has beside its roles, by name."""


def seat(run: Run, arm: str | None) -> Mapping[str, Any]:
    """Return the seat that an arm has everywhere, as run.yaml records it; empty where it has none."""
    return (run.get("seats") or {}).get(((run.get("arms") or {}).get(arm) or {}).get("everybody")) or {}


def removed(run: Run) -> Mapping[str, list[str]]:
    """Return the nodes of the baseline that arms of the same graph lack, by arm."""
    nodes = {arm: [name for name in base["nodes"] if name not in own["nodes"]] for arm, (base, own) in _pairs(run)}
    return {arm: names for arm, names in nodes.items() if names}


def unnamed(run: Run) -> Mapping[str, str]:
    """Say which nodes and sections an arm lacks, by arm, where its name does not name them all."""
    nodes, clauses = removed(run), {}
    for arm, (base, own) in _pairs(run):
        sections = [name for name in own.get("without_sections", ()) if name not in base.get("without_sections", ())]
        lacking = [*nodes.get(arm, ()), *sections]
        if not all(any(word in arm for word in name.split("_")) for name in lacking):
            named = [*nodes.get(arm, ()), *(f"section {name}" for name in sections)]
            clauses[arm] = say.LACKS(removed=listed(named))
    return clauses


def _pairs(run: Run) -> Iterator[tuple[str, tuple[Mapping[str, Any], Mapping[str, Any]]]]:
    """Return the graphs of the baseline and of each arm that changes it, by arm."""
    base = seat(run, run.get("baseline"))
    for arm in run.get("arms") or {}:
        own = seat(run, arm)
        if own.get("config") and own["spec"] == base.get("spec"):
            yield arm, (base["config"], own["config"])


def sentences(run: Run, arms: Iterable[str]) -> Iterator[str]:
    """Say, where arms have another graph than the baseline, what differs beside the roles."""
    baseline = run.get("baseline")
    base = traits(run, baseline)
    others = {arm: traits(run, arm) for arm in arms if seat(run, arm).get("spec") != seat(run, baseline).get("spec")}
    others = {arm: each for arm, each in others.items() if base and each and each != base}
    aspects = [name for name in base if any(each[name] != base[name] for each in others.values())]
    if not aspects:
        return
    if len(others) <= NAMED:
        graphs = {**others, str(baseline): base}  # `calls a turn (house: 4, cac: 3)`
        values = listed([f"{name} ({', '.join(f'{arm}: {graphs[arm][name]}' for arm in graphs)})" for name in aspects])
        yield say.GRAPHS(arms=listed([*others, str(baseline)]), aspects=values)
    else:
        yield say.GRAPHS(arms=f"{len(others)} arms and {baseline}", aspects=f"{listed(aspects)}{say.SEATS}")


def traits(run: Run, arm: str | None) -> Traits:
    """Return what an arm's graph has beside its roles; nothing for a seat that is no graph."""
    try:
        recorded = RecordedSeat.model_validate(seat(run, arm))
        counts = run["arms"][arm]["players"]
    except (ValidationError, UserError, KeyError):
        return {}
    if (config := recorded.config) is None:
        return {}
    rule = ["the safety rule"] if config.verify.rule == "safety" else []
    return {
        "verifier": listed([*(f"the role {config.nodes[judge].role}" for judge in config.judges), *rule]) or "none",
        "context": config.context if isinstance(config.context, str) else f"its own {config.context.name}",
        "calls a turn": spans(sorted({turn_calls(at(config, count)) for count in counts})),
        "models": recorded.model,
    }
