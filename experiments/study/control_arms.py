"""The controls of an experiment: what each arm is for, the arm that plays the baseline once more,
and matched arms.

A control shows what else than a role could explain a difference: chance, the length of the prompt,
that there is any note at all, or the number of calls. docs/experiments.md lists them.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Literal, get_args

from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.experiments.study.coalitions import CoalitionArm
from hanabi_orchestrator.experiments.study.experiment import POSITIONS, Experiment
from hanabi_orchestrator.experiments.study.file_schema import Changes, SeatConfig, on_server
from hanabi_orchestrator.experiments.study.matrix import ListedArm, ListedArms
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec, arm_spec, player_spec
from hanabi_orchestrator.graphs import replaced_texts
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import turn_calls
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, checked, read
from hanabi_orchestrator.graphs.context import SETTINGS
from hanabi_orchestrator.graphs.interventions import VALUED
from hanabi_orchestrator.graphs.replaced_texts import TextProof
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.values import Frozen

GRAPH = "best_of_k"
MOST = 16
"""Samples of a node."""


PartKind = Literal[
    "added",
    "removed",
    "exact",
    "model",
    "perturbed",
    "placebo",
    "padded",
    "shuffled",
    "advise",
    "gate",
    "prompts",
]
"""What is done to nodes or to texts."""
Kind = Literal[
    PartKind, "noise_floor", "permuted", "own_hand", "same_compute", "same_tokens", "coalition"
]
NOISE_FLOOR = "noise-floor"
"""The name of the arm that is added."""


class Purpose(Frozen):
    """What an arm is for, where it does one thing alone: as run.yaml records it."""

    kind: Kind
    nodes: tuple[str, ...] = ()
    """The nodes that are added or removed, or whose notes are replaced; the absent parts of a
    coalition."""
    of: str | None = None
    """The arm whose calls or tokens are matched."""
    value: str | None = None
    """Another answerer of the nodes: the model, or the rate of errors."""


def purpose(changes: Changes, coalition: CoalitionArm | None = None) -> Purpose | None:
    """Return what an arm is for; None for one that changes several things, unless a seat sees its
    own cards."""
    if coalition and coalition.absent:
        return Purpose(kind="coalition", nodes=coalition.absent)
    steps = changes.steps
    kinds = {step.kind for step in changes.steps}
    if "own_hand" in kinds:
        return Purpose(kind="own_hand")
    kind = next((kind for kind in get_args(Kind) if kinds == {kind}), None)
    if kind is None or changes.graph or changes.models or changes.verify or changes.seats:
        return None
    nodes = tuple(step.node or "".join(step.keys) for step in steps if step.node or step.keys)
    of = changes.matched and changes.matched.value
    value = steps[0].value if kind in VALUED else None
    return Purpose(kind=kind, nodes=nodes, of=of, value=value)


def noise_floor(
    experiment: Experiment, by_name: ListedArms, run: Mapping[str, Any]
) -> ListedArm | None:
    """Return the baseline once more, with other seeds of its models; None where it is not wanted,
    or is listed already.

    It is wanted where it is asked for; else where models on servers are compared, on positions
    simulated ones as well, whose draws each arm has for itself; unless the run was begun without
    it. `run`: the contents of its run.yaml, empty for a new run.
    """
    wish = experiment.controls.noise_floor
    if wish and experiment.baseline is None:
        raise UserError(
            "controls.noise_floor plays the baseline again, and there is no baseline; name one"
        )
    steps = chain.from_iterable(arm.changes.steps for arm in by_name.values())
    if experiment.baseline is None or any(step.kind == "noise_floor" for step in steps):
        return None
    baseline = by_name[experiment.baseline].changes
    if wish is None:
        base = arm_spec(experiment, baseline)
        arms = run.get("arms") or {}
        models = []
        for name in base.config.models if base.config else ():
            models.append(base.models.get(name, name))
        by_chance = any(map(on_server, models))
        if experiment.task == POSITIONS:
            models += list(
                chain.from_iterable(arm.changes.models.values() for arm in by_name.values())
            )
            kinds = set()
            for arm in by_name.values():
                for step in arm.changes.steps:
                    kinds.add(step.kind)
            by_chance = any(model != PROGRAM for model in models) or not kinds.isdisjoint(VALUED)
        wish = by_chance and len(by_name) > 1 and (not arms or NOISE_FLOOR in arms)
    if not wish:
        return None
    if NOISE_FLOOR in by_name:
        raise UserError(
            f"the arm {NOISE_FLOOR!r} would be there twice: give yours another name, or "
            "controls.noise_floor=false"
        )
    return ListedArm(baseline.model_copy(update={"noise_floor": True}), unchanged=False)


def proved(
    name: str, experiment: Experiment, changes: Changes, everybody: PlayerSpec, by_name: ListedArms
) -> str:
    """Return what the arm's prompts change. Raises UserError when an arm that names prompts alone
    changes more."""
    baseline = by_name[str(experiment.baseline)].changes
    base = arm_spec(experiment, baseline)
    if base.config is None or everybody.config is None:
        return f"{name}: its prompts are compared with none, since the baseline is no graph."
    diff = proof(base.config, everybody.config, experiment.players)
    alone = purpose(changes)
    if alone and alone.kind == "prompts" and not baseline.prompts and diff.side_effects:
        raise UserError(
            f"prompts: more would change than the words of {', '.join(diff.replaced)}: "
            f"{diff.side_effects[0]}"
        )
    return f"{name}, compared with {experiment.baseline}: {diff.sentence}."


def proof(old: GraphConfig, new: GraphConfig, players: Iterable[int]) -> TextProof:
    """Compare the baseline's texts and prompts with those of an arm, part by part."""
    counts = sorted(set(players) & set(old.players))
    places = []
    for count in counts:
        places.extend(prompt_positions.positions(old, count))
    return replaced_texts.proof(old, new, places)


# As many calls or tokens as another arm


def matching(
    name: str, experiment: Experiment, changes: Changes, by_name: ListedArms
) -> tuple[PlayerSpec, str]:
    """Return a graph of several proposals, with as many calls or tokens as another arm; and how
    close it comes."""
    assert changes.matched is not None
    key = changes.matched.kind
    other = str(changes.matched.value or experiment.baseline)
    if other not in by_name or other == name:
        raise UserError(
            f"{key}: {other!r} is not an arm; {did_you_mean(other, by_name, 'the arms are')}"
        )
    if (target := by_name[other].changes).matched:
        raise UserError(f"{key}: {other!r} is itself matched to another arm")
    base = arm_spec(
        experiment, by_name[experiment.baseline].changes if experiment.baseline else Changes()
    )
    compared = arm_spec(experiment, target)
    if base.config is None or compared.config is None:
        raise UserError(f"{key}: {other!r} and the baseline must be graphs")
    by_tokens = key == "same_tokens"
    graph, sizes = _matched(base.config, compared.config, experiment.players, by_tokens=by_tokens)
    spec = player_spec(
        SeatConfig(graph=GRAPH), experiment, changes.model_copy(update={"graph": None}), graph
    )
    unit = "tokens" if by_tokens else "calls"
    if by_tokens:
        how = " by prompts and programs' answers at sampled positions"
    else:
        how = ""
    parts = []
    for n, (theirs, size) in sizes.items():
        parts.append(f"{size:,.0f} at {n} players, where {other} has {theirs:,.0f}")
    return spec, f"{name}: {unit} a turn without redos{how}: {'; '.join(parts)}."


def _matched(
    baseline: GraphConfig, other: GraphConfig, players: Iterable[int], *, by_tokens: bool
) -> tuple[GraphConfig, dict[int, tuple[float, float]]]:
    """Best-of-K in the baseline's context with as many calls, or tokens, a turn as the other arm's
    graph; and by player count both sizes without redos, of the other arm and of this. Raises
    UserError where that takes more proposals than a node has."""

    def size(config: GraphConfig, count: int) -> float:
        if not by_tokens:
            return turn_calls(at(config, count))
        loads = prompt_positions.turn_load(config, count).items()
        return sum(load.tokens_in + load.answers for model, load in loads if model != PROGRAM)

    chosen = dict[int, int]()
    sizes = dict[int, tuple[float, float]]()
    for count in sorted(set(players)):
        target = size(other, count)
        if not target:
            raise UserError(
                f"at {count} players graph {other.name!r} asks no model, so there is nothing to "
                "match"
            )
        one, two = (size(_best_of(baseline, other, {count: k}), count) for k in (1, 2))
        if not by_tokens and target > MOST + 1:
            raise UserError(
                f"{target:.0f} calls a turn take more than the {MOST} proposals that a node may "
                "have"
            )
        # more cost as much as the first
        expected = {1: one} | {k: two + (k - 2) * one for k in range(2, MOST + 1)}
        chosen[count] = min(expected, key=lambda k: (abs(expected[k] - target), -k))
        sizes[count] = target, size(_best_of(baseline, other, {count: chosen[count]}), count)
    return _best_of(baseline, other, chosen), sizes


def _best_of(
    baseline: GraphConfig, other: GraphConfig, proposals: Mapping[int, int]
) -> GraphConfig:
    """Best-of-K with so many proposals at each player count."""
    plain = read(GRAPH)
    settings = {}
    for name in SETTINGS:
        if getattr(baseline, name) is not None:
            settings[name] = getattr(baseline, name)
    data: dict[str, Any] = plain.model_dump(mode="json") | settings
    context: Any = baseline.context
    if not isinstance(context, str):
        context = context.model_dump(mode="json")
    data |= {"context": context, "verify": other.verify.model_dump(mode="json")}
    data |= {
        "options": baseline.options,
        "without_sections": list(baseline.without_sections),
        "texts": baseline.texts,
    }
    proposer = data["nodes"]["proposer"]
    selector = data["nodes"]["selector"]
    groups = {}
    for k in sorted({*proposals.values()}):
        groups[k] = [count for count in proposals if proposals[count] == k]
    names = {}
    for number, k in enumerate(groups):
        names[k] = "proposer" if number == 0 else f"proposer_{k}"
    data["nodes"] = {
        names[k]: proposer
        | {"samples": k, "players": counts if len(groups) > 1 else list(plain.players)}
        for k, counts in groups.items()
    }
    data["nodes"]["selector"] = selector | {"reads": list(names.values())}
    sizes = "-".join(map(str, groups))
    return checked(
        data | {"name": f"best_of_{sizes}", "players": sorted(proposals)}, f"best_of_{sizes}"
    )
