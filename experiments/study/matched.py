"""Graphs with as many calls, or tokens, as another: several proposals in the baseline's context, and a choice.

What a team of roles gains may be what any graph would gain by asking as often. So the same model proposes K times in
the context of the baseline, and once chooses among its proposals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.study.prompt_positions import positions
from graphs.ablate import at
from graphs.attempts import base, node_calls, turn_calls
from graphs.config import PROGRAM, SETTINGS, GraphConfig, checked, read
from orchestrator.errors import UserError
from orchestrator.models.request import estimated, messages
from orchestrator.replies.reply import Reply
from orchestrator.replies.writer import text_of

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
