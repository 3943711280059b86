"""Arms that are made for an experiment: the baseline once more, graphs matched to another arm, and proved prompts."""

from collections.abc import Mapping
from typing import Any

from experiments.study import controls, matched, prompt_arms
from experiments.study.experiment import Experiment
from experiments.study.file_schema import Changes, SeatConfig, on_server
from experiments.study.matrix import ListedArm
from experiments.study.player_spec import PlayerSpec, player_spec
from orchestrator.errors import UserError, did_you_mean


def null(experiment: Experiment, by_name: Mapping[str, ListedArm], run: Mapping[str, Any]) -> ListedArm | None:
    """The baseline once more, with other seeds of its models; None where it is not wanted, or is listed already."""
    wish = experiment.controls.null
    if experiment.baseline is None or any(
        step.kind == "null" for arm in by_name.values() for step in arm.changes.steps
    ):
        if wish and experiment.baseline is None:
            raise UserError("controls.null plays the baseline again, and there is no baseline; name one")
        return None
    baseline = by_name[experiment.baseline].changes
    base = player_spec(SeatConfig(graph=experiment.graphs[0]), experiment, baseline)
    servers = base.config is not None and any(on_server(base.models.get(arm, arm)) for arm in base.config.models)
    if not controls.wants_null(wish, asks_servers=servers, compared=len(by_name) > 1, run=run):
        return None
    if controls.NULL in by_name:
        raise UserError(
            f"the arm {controls.NULL!r} would be there twice: give yours another name, or controls.null=false"
        )
    return ListedArm(baseline.model_copy(update={"null": True}), unchanged=False)


def cheating(name: str, changes: Changes) -> tuple[str, ...]:
    """That an arm cheats, if it does."""
    if not any(step.kind == "own_hand" for step in changes.steps):
        return ()
    return (f"{name} cheats: its seats see their own cards. It is an upper line, left out of rankings and claims.",)


def _spec_of(experiment: Experiment, changes: Changes) -> PlayerSpec:
    return player_spec(SeatConfig(graph=experiment.graphs[0]), experiment, changes)


def matching(
    name: str, experiment: Experiment, changes: Changes, by_name: Mapping[str, ListedArm]
) -> tuple[PlayerSpec, str]:
    """A graph of several proposals, with as many calls or tokens as another arm; and how close it comes."""
    assert changes.matched is not None
    key, other = changes.matched.kind, str(changes.matched.value)
    if other not in by_name or other == name:
        raise UserError(f"{key}: {other!r} is not an arm; {did_you_mean(other, by_name, 'the arms are')}")
    if (target := by_name[other].changes).matched:
        raise UserError(f"{key}: {other!r} is itself matched to another arm")
    base = _spec_of(experiment, by_name[experiment.baseline].changes if experiment.baseline else Changes())
    compared = _spec_of(experiment, target)
    if base.config is None or compared.config is None:
        raise UserError(f"{key}: {other!r} and the baseline must be graphs")
    match = matched.graph(base.config, compared.config, experiment.players, by_tokens=key == "same_tokens")
    spec = player_spec(
        SeatConfig(graph=matched.GRAPH), experiment, changes.model_copy(update={"graph": None}), match.graph
    )
    return spec, f"{name}: {match.sentence(other)}"


def proved(
    name: str, experiment: Experiment, changes: Changes, everybody: PlayerSpec, by_name: Mapping[str, ListedArm]
) -> str:
    """What the arm's prompts change. Raises UserError when an arm that names prompts alone changes more."""
    base = _spec_of(experiment, by_name[str(experiment.baseline)].changes)
    if base.config is None or everybody.config is None:
        return f"{name}: its prompts are compared with none, since the baseline is no graph."
    proof = prompt_arms.proof(base.config, everybody.config, experiment.players)
    alone = controls.purpose(changes)
    if alone and alone.kind == "prompts" and not by_name[str(experiment.baseline)].changes.prompts and proof.others:
        raise UserError(f"prompts: more would change than the words of {', '.join(proof.replaced)}: {proof.others[0]}")
    return f"{name}, compared with {experiment.baseline}: {proof.sentence}."
