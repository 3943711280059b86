"""The controls of an experiment: what each arm is for, the arm that plays the baseline once more, and matched arms.

A control shows what else than a role could explain a difference: chance, the length of the prompt, that there is any
note at all, or the number of calls. docs/experiments.md lists them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from experiments.study.experiment import Experiment
from experiments.study.file_schema import Changes, SeatConfig, on_server
from experiments.study.matrix import ListedArm
from experiments.study.prompt_positions import positions
from experiments.study.seat_spec import PlayerSpec, player_spec
from graphs import replaced_texts
from graphs.ablate import at
from graphs.attempts import base, node_calls, turn_calls
from graphs.config import PROGRAM, GraphConfig, checked, read
from graphs.context import SETTINGS
from graphs.replaced_texts import Position, TextProof
from orchestrator.errors import UserError, did_you_mean
from orchestrator.models.request import estimated, messages
from orchestrator.replies.reply import Reply
from orchestrator.replies.writer import text_of
from orchestrator.values import Frozen

GRAPH = "best_of_k"
MOST = 16
"""Samples of a node."""


@dataclass(frozen=True)
class Matched:
    graph: GraphConfig
    unit: str
    """`calls` or `tokens`."""
    sizes: Mapping[int, tuple[float, float]]
    """By player count: of the other arm, and of this graph, a turn, without redos."""

    def sentence(self, other: str) -> str:
        """How close it comes."""
        parts = [
            f"{_number(size)} at {players} players, where {other} has {_number(theirs)}"
            for players, (theirs, size) in self.sizes.items()
        ]
        how = " by prompts and programs' answers at sampled positions" if self.unit == "tokens" else ""
        return f"{self.unit} a turn without redos{how}: {'; '.join(parts)}."


def graph(baseline: GraphConfig, other: GraphConfig, players: Sequence[int], *, by_tokens: bool) -> Matched:
    """Best-of-K in the baseline's context with as many calls, or tokens, a turn as the other arm's graph.

    Raises UserError where that takes more proposals than a node has.
    """
    size = _tokens if by_tokens else _calls
    chosen, sizes = dict[int, int](), dict[int, tuple[float, float]]()
    for count in sorted(set(players)):
        target = size(at(other, count), count)
        if not target:
            raise UserError(f"at {count} players graph {other.name!r} asks no model, so there is nothing to match")
        measured = {k: size(at(_best_of(baseline, other, {count: k}), count), count) for k in (1, 2)}
        further = measured[2], measured[1]  # every further proposal costs as much as the first
        expected = {k: measured.get(k, further[0] + (k - 2) * further[1]) for k in _candidates(target, by_tokens)}
        chosen[count] = min(expected, key=lambda k: (abs(expected[k] - target), -k))
        sizes[count] = target, size(at(_best_of(baseline, other, {count: chosen[count]}), count), count)
    return Matched(_best_of(baseline, other, chosen), "tokens" if by_tokens else "calls", sizes)


def _candidates(target: float, by_tokens: bool) -> range:
    if not by_tokens and target > MOST + 1:
        raise UserError(f"{target:.0f} calls a turn take more than the {MOST} proposals that a node may have")
    return range(1, MOST + 1)


def _best_of(baseline: GraphConfig, other: GraphConfig, proposals: Mapping[int, int]) -> GraphConfig:
    """Best-of-K with so many proposals at each player count."""
    plain = read(GRAPH)
    settings = {name: getattr(baseline, name) for name in SETTINGS if getattr(baseline, name) is not None}
    data: dict[str, Any] = plain.model_dump(mode="json") | settings
    context = baseline.context if isinstance(baseline.context, str) else baseline.context.model_dump(mode="json")
    data |= {"context": context, "verify": other.verify.model_dump(mode="json")}
    data |= {"options": baseline.options, "without_sections": list(baseline.without_sections)}
    proposer, selector = data["nodes"]["proposer"], data["nodes"]["selector"]
    groups = {k: [count for count in proposals if proposals[count] == k] for k in sorted({*proposals.values()})}
    names = {k: "proposer" if number == 0 else f"proposer_{k}" for number, k in enumerate(groups)}
    data["nodes"] = {
        names[k]: proposer | {"samples": k, "players": counts if len(groups) > 1 else list(plain.players)}
        for k, counts in groups.items()
    }
    data["nodes"]["selector"] = selector | {"reads": list(names.values())}
    sizes = "-".join(map(str, groups))
    return checked(data | {"name": f"best_of_{sizes}", "players": sorted(proposals)}, f"best_of_{sizes}")


def _calls(config: GraphConfig, players: int) -> float:
    return turn_calls(config)


def _tokens(config: GraphConfig, players: int) -> float:
    """Of the prompts and of the programs' answers, on average over the sampled positions."""
    probed = positions(config, players)
    total = 0.0
    for spot in probed:
        for name, request in spot.requests.items():
            node = base(name)
            times = node_calls(config, node) if config.nodes[node].model != PROGRAM else 0
            form = config.context_of(node).answer_format
            answers = [
                estimated(text_of(reply, form)) for reply in spot.notes.get(name, ()) if isinstance(reply, Reply)
            ]
            answer = sum(answers) / len(answers) if answers else 0
            total += times * (sum(estimated(message.content) for message in messages(request.parts)) + answer)
    return total / len(probed)


def _number(value: float) -> str:
    return f"{value:,.0f}"


Kind = Literal[
    "added",
    "removed",
    "null",
    "placebo",
    "shuffled",
    "permuted",
    "advise",
    "gate",
    "own_hand",
    "same_compute",
    "same_tokens",
    "prompts",
]
NULL = "null"
"""The name of the arm that is added."""


class Purpose(Frozen):
    """What an arm is for, where it does one thing alone: as run.yaml records it."""

    kind: Kind
    nodes: tuple[str, ...] = ()
    """The nodes that are added or removed, or whose notes are replaced."""
    of: str | None = None
    """The arm whose calls or tokens are matched."""


def purpose(changes: Changes) -> Purpose | None:
    """Return what an arm is for; None for one that changes several things, unless a seat sees its own cards."""
    steps, kinds = changes.steps, {step.kind for step in changes.steps}
    if "own_hand" in kinds:
        return Purpose(kind="own_hand")
    kind = next((kind for kind in get_args(Kind) if kinds == {kind}), None)
    if kind is None or changes.graph or changes.models or changes.verify or changes.seats:
        return None
    nodes = tuple(step.node or "".join(step.keys) for step in steps if step.node or step.keys)
    return Purpose(kind=kind, nodes=nodes, of=next((step.value for step in steps if step == changes.matched), None))


def wants_null(wish: bool | None, *, asks_servers: bool, compared: bool, run: Mapping[str, Any]) -> bool:
    """Whether the baseline is played once more: where it is asked for; else where models on servers are compared,
    unless the run was begun without it. `run`: the contents of its run.yaml, empty for a new run."""
    if wish is not None:
        return wish
    arms = run.get("arms") or {}
    return asks_servers and compared and (not arms or NULL in arms)


def proof(old: GraphConfig, new: GraphConfig, players: Iterable[int]) -> TextProof:
    """Compare the baseline's texts and prompts with those of an arm, part by part."""
    return replaced_texts.proof(old, new, list(_positions(old, players)))


def _positions(config: GraphConfig, players: Iterable[int]) -> Iterator[Position]:
    for count in sorted(set(players) & set(config.players)):
        for probed in positions(config, count):
            yield Position(probed.view, probed.notes, probed.memory)


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
    if not wants_null(wish, asks_servers=servers, compared=len(by_name) > 1, run=run):
        return None
    if NULL in by_name:
        raise UserError(f"the arm {NULL!r} would be there twice: give yours another name, or null=false")
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
    match = graph(base.config, compared.config, experiment.players, by_tokens=key == "same_tokens")
    spec = player_spec(SeatConfig(graph=GRAPH), experiment, changes.model_copy(update={"graph": None}), match.graph)
    return spec, f"{name}: {match.sentence(other)}"


def proved(
    name: str, experiment: Experiment, changes: Changes, everybody: PlayerSpec, by_name: Mapping[str, ListedArm]
) -> str:
    """What the arm's prompts change. Raises UserError when an arm that names prompts alone changes more."""
    base = _spec_of(experiment, by_name[str(experiment.baseline)].changes)
    if base.config is None or everybody.config is None:
        return f"{name}: its prompts are compared with none, since the baseline is no graph."
    changed = proof(base.config, everybody.config, experiment.players)
    alone, others = purpose(changes), changed.others
    if alone and alone.kind == "prompts" and not by_name[str(experiment.baseline)].changes.prompts and others:
        raise UserError(f"prompts: more would change than the words of {', '.join(changed.replaced)}: {others[0]}")
    return f"{name}, compared with {experiment.baseline}: {changed.sentence}."
