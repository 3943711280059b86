"""Which nodes an arm asks where the notes of all others are held fixed, and its noise floor: who
asks these again."""

from collections.abc import Iterable
from dataclasses import replace

from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.control_arms import NOISE_FLOOR, Purpose
from hanabi_orchestrator.experiments.study.file_schema import Model
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.recorded import depending, differing


def _config(spec: PlayerSpec, players: int | None) -> GraphConfig:
    assert spec.config is not None  # arms on positions are graphs
    if players is None:
        return spec.config
    return ablate.at(spec.config, players)


def _deciding(config: GraphConfig) -> frozenset[str]:
    """Return the node that decides, with those that judge it and decide again."""
    return frozenset({config.decides, *depending(config, {config.decides})})


def _changed(baseline: Arm, arm: Arm, players: int | None) -> frozenset[str]:
    """Return the nodes that an arm asks something else than the baseline, or whom somebody else
    answers."""
    old = _config(baseline.everybody, players)
    new = _config(arm.everybody, players)
    answered = {name for name in new.nodes if name in old.nodes and _elsewhere(baseline, arm, name)}
    return differing(old, new) | answered


def _elsewhere(baseline: Arm, arm: Arm, node: str) -> bool:
    """Return whether somebody else answers a node than in the baseline, whose recorded note may be
    anybody's."""
    exact = arm.kind == "exact" and node in arm.nodes
    return exact or _answerer(baseline.everybody, node) != _answerer(arm.everybody, node)


def _answerer(spec: PlayerSpec, node: str) -> tuple[str | None, str, Model]:
    """Return who answers a node: a control in its place, its model by the graph's name for it and
    by the experiment's."""
    config = _config(spec, None)
    model = config.nodes[node].model
    return config.controls.answerer(node), model, spec.models.get(model, model)


def nodes_asked(baseline: Arm, arm: Arm, players: int | None = None) -> frozenset[str]:
    """Return the nodes that an arm asks, by their names in their attempts: those that decide, those
    that it changes, and all that may answer otherwise because of these; of another graph than the
    baseline's every node.

    `players`: the count; None for the graphs as they are at all counts.
    """
    config = _config(arm.everybody, players)
    if arm.everybody.spec != baseline.everybody.spec:
        return frozenset({*config.nodes, *depending(config, config.nodes)})
    if arm.is_noise_floor:
        changed = frozenset(node for node in arm.nodes if node in config.nodes)
    else:
        changed = _changed(baseline, arm, players)
    return _deciding(config) | changed | depending(config, changed)


def applies(baseline: Arm, arm: Arm, players: int) -> bool:
    """Return whether an arm changes anything at a player count: the nodes that it is about may not
    be there."""
    if arm.kind == "coalition":  # whose parts may be sections, or nodes of which some are there
        return bool(_changed(baseline, arm, players))
    graphs = (baseline.everybody, arm.everybody)
    nodes = set()
    for spec in graphs:
        for node in _config(spec, None).nodes:
            if node in arm.nodes:
                nodes.add(node)
    present = set[str]()
    for spec in graphs:
        present.update(_config(spec, players).nodes)
    return not nodes or not nodes.isdisjoint(present)


def with_noise_floors(arms: Iterable[Arm], baseline: Arm, floor: Arm) -> list[Arm]:
    """Return arms and their noise floors: the baseline with the same nodes asked again, and nothing
    changed.

    `floor`: the baseline once more, with other seeds. An arm that asks only who decides has it;
    where an arm asks others as well, a floor asks these again, too. Nodes that somebody else
    answers in the arm are no noise.
    """
    config = _config(baseline.everybody, None)
    deciding = _deciding(config)
    floors = {frozenset[str](): floor}
    linked = list[Arm]()
    for arm in arms:
        if arm in (baseline, floor):
            continue
        more = frozenset[str]()
        if arm.everybody.spec == baseline.everybody.spec:
            again = {name for name in nodes_asked(baseline, arm) if name in config.nodes}
            more = frozenset(
                name for name in again - deciding if not _elsewhere(baseline, arm, name)
            )
        if more not in floors:
            nodes = tuple(name for name in config.nodes if name in more)
            purpose = Purpose(kind="noise_floor", nodes=nodes)
            floors[more] = replace(floor, name="-".join((NOISE_FLOOR, *nodes)), purpose=purpose)
        linked.append(replace(arm, floor=floors[more].name))
    return [baseline, *floors.values(), *linked]
