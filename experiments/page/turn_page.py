"""/api/turn: the graph of the acting seat, its calls, verdicts and decision; /api/prompt: the
prompt of a call.

Only the lines of that turn are parsed."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from hanabi_orchestrator.experiments.page import spoken
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.lines import Line
from hanabi_orchestrator.experiments.record.turn_prompts import TurnPrompts
from hanabi_orchestrator.graphs.attempts import base, judging, reads, steps
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import PATTERN
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided
from hanabi_orchestrator.orchestrator.models.request import Message

_MOVE = re.compile(PATTERN)


def turn(game: Game, number: int) -> Json:
    """Return a turn for the browser. Raises UserError when the game has no such turn."""
    prompts = TurnPrompts(game, game.with_next().turn(number))
    turn = prompts.turn
    config = prompts.config
    lines = [line for line in turn.lines if line.tag != "turn_started"]
    calls = []
    for line, event in zip(lines, turn.events, strict=True):
        if isinstance(event, Call):
            calls.append((line, event))
    decided = turn.decided
    start = min((line.at - call.latency_s for line, call in calls), default=0.0)
    verdicts = []
    for event in turn.verdicts:
        verdicts.append(
            {name: getattr(event, name) for name in ("node", "accepted", "why", "told")}
            | {"move": spoken.move(event.move)}
        )
    return {
        "turn": number,
        "seat": turn.seat,
        "graph": _graph(config, turn, game) if config else _asked(turn, game),
        "calls": [
            _call(call, key, line, start, prompts)
            for (line, call), key in zip(calls, key_of(turn.calls), strict=True)
        ],
        "verdicts": verdicts,
        "took": list(_took(turn.calls, decided, config)) if decided else [],
        "ratings": decided.ratings if decided else None,
        "votes": decided.votes if decided else {},
        "rank": decided.rank if decided else None,
        "decided": spoken.decision(decided) if decided else None,
        "memory": game.memory(number),
        "remembered": decided.memory if decided else {},
    }


def _graph(config: GraphConfig, turn: Turn, game: Game) -> Json:
    level = {}
    for number, names in enumerate(steps(config)):
        for name in names:
            level[name] = number
    models: dict[str, dict[str, Any]] = {
        **game.started.seat_at(turn.seat, turn.number).models,
        PROGRAM: {},
    }
    nodes = []
    for name, node in config.nodes.items():
        nodes.append(
            {
                **{
                    "name": name,
                    "role": node.role,
                    "reads": list(node.reads),
                    "samples": node.samples,
                },
                **{
                    "model": str(models.get(node.model, {}).get("model", node.model)),
                    "level": level[name],
                },
            }
        )
    return {
        "name": config.name,
        "decides": config.decides,
        "judges": list(judging(config)),
        "nodes": nodes,
    }


def _asked(turn: Turn, game: Game) -> Json | None:
    """Return the nodes of a LangGraph graph of somebody's own in the order in which they were
    asked, which is all that its journal says; None for a seat without one."""
    info = game.started.seat_at(turn.seat, turn.number)
    first: dict[str, Call] = {}
    for call in turn.calls:
        first.setdefault(base(call.node), call)
    if info.drawing is None or not first:
        return None
    names = list(first)
    if turn.decided:
        decides = base(turn.decided.node or "")
    else:
        decides = ""
    nodes = []
    for place, (name, call) in enumerate(first.items()):
        nodes.append(
            {
                "name": name,
                "role": call.role,
                "reads": names[:place][-1:],
                "model": call.model,
                "samples": 1,
            }
            | {"level": place}
        )
    return {
        "name": info.graph,
        "decides": decides if decides in first else names[-1],
        "judges": [],
        "nodes": nodes,
    }


PLAIN = (
    "node",
    "role",
    "model",
    "sample",
    "ask",
    "outcome",
    "error",
    "cause",
    "tokens_in",
    "tokens_out",
    "cached_tokens",
    "reasoning_tokens",
    "usd",
    "cached",
    "fixed",
    "origin",
    "estimated",
    "simulated",
    "constraint",
    "served_by",
    "finish",
    "copied",
    "reply",
    "text",
    "reasoning",
)
"""Fields of a call that the page shows as they are."""


def _call(call: Call, key: str, line: Line, start: float, prompts: TurnPrompts) -> Json:
    return {name: getattr(call, name) for name in PLAIN} | {
        "key": key,
        "start": round(max(0.0, line.at - call.latency_s - start), 3),
        "seconds": round(call.latency_s, 3),
        "asked": call.of_model,
        "dropped": list(call.dropped),
        "injected": list(call.injected),
        "attempts": [
            {
                "error": wire.error,
                "status": wire.status,
                "seconds": round(wire.latency_s, 3),
                "waited_s": wire.waited_s,
            }
            for wire in call.attempts
        ],
        "sections": prompts.sections(call),
        "only": _only(prompts, call),
        "reads": list(reads(prompts.config, call.node)),
    }


def _took(calls: Iterable[Call], decided: Decided, config: GraphConfig | None) -> Iterator[Json]:
    """Yield what each node proposed in its last usable answers, and where the move that was played
    stands in it."""
    sources = reads(config, decided.node or "")
    played = str(decided.move)
    nodes: dict[str, dict[int, list[str]]] = {}
    for call in calls:
        if call.node != decided.node and (moves := proposals(call.reply)):
            nodes.setdefault(call.node, {})[call.sample] = moves
    for node, samples in nodes.items():
        votes = Counter(moves[0] for moves in samples.values())
        moves_of_all = dict.fromkeys(chain.from_iterable(samples.values()))
        best = sorted(moves_of_all, key=lambda move: -votes[move])  # called at once
        yield {
            "node": node,
            "read": base(node) in sources,
            "proposed": [spoken.move(move) for move in best],
            "agrees": best[0] == played,
            "rank_of_played": best.index(played) + 1 if played in best else None,
            "votes": dict(votes) if len(samples) > 1 else {},
        }


def proposals(reply: Mapping[str, Any] | None) -> list[str]:
    """Return the moves that a reply speaks for, best first: its choice, its lists by rank, rating
    or gain, the hint that it proposes, the discards that it holds for safest. A list of all legal
    moves without an order speaks for none."""
    if not reply:
        return []
    moves = []
    for key in ("action", "hint"):
        if isinstance(move := reply.get(key), str):
            moves.append(move)
    for value in reply.values():
        if (
            isinstance(value, list)
            and value
            and all(isinstance(entry, dict) and "action" in entry for entry in value)
        ):
            ranks = list[tuple[float, str]]()  # smaller for a better move
            for entry in value:  # one that does not say how good its move is has none
                worth = entry.get("rating", entry.get("gain"))
                if isinstance(rank := entry.get("rank"), int | float):
                    ranks.append((rank, str(entry["action"])))
                elif isinstance(worth, int | float):
                    ranks.append((-worth, str(entry["action"])))
            moves += [move for _, move in sorted(ranks, key=lambda pair: pair[0])]
    moves += [
        f"discard slot {slot}" for slot in reply.get("safest_first") or () if isinstance(slot, int)
    ]
    return list(dict.fromkeys(move for move in moves if _MOVE.fullmatch(move)))


# Prompts: what a node was asked, section by section; of a program, what a model would have been
# asked


def key_of(calls: Sequence[Call]) -> list[str]:
    """Return a name for each call of a turn, in their order: `proposer.0.0`, by node, sample and
    ask.

    A call that was made again after its game had been suspended has the number of the try behind
    it: `proposer.0.0.2`.
    """
    seen: Counter[str] = Counter()
    names = []
    for call in calls:
        name = f"{call.node}.{call.sample}.{call.ask}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return names


def _only(prompts: TurnPrompts, call: Call) -> list[str]:
    """Return the sections of a call that no other node of the turn got."""
    other_calls = [
        other_call for other_call in prompts.turn.calls if base(other_call.node) != base(call.node)
    ]
    theirs = set()
    for other_call in other_calls:
        for name in prompts.sections(other_call):
            theirs.add(name)
    if other_calls:
        return [name for name in prompts.sections(call) if name not in theirs]
    return []


def prompt(game: Game, number: int, key: str) -> Json:
    """Raises UserError for a turn or a call that is not there."""
    prompts = TurnPrompts(game, game.with_next().turn(number))
    calls = prompts.turn.calls
    call = dict(zip(key_of(calls), calls, strict=True)).get(key)
    if call is None:
        raise UserError(f"turn {number} has no call {key[:80]!r}")
    only = set(_only(prompts, call))
    messages = [_message(message, only) for message in prompts.of(call)]
    return {
        "rendered": not call.messages,
        "messages": messages,
        "why": None if messages else prompts.missing(call),
    }


def _message(message: Message, only: set[str]) -> Json:
    """Return a message in parts; what lies between two sections belongs to the one before."""
    spans = sorted(message.spans, key=lambda span: span.start)
    ends = [*(span.start for span in spans[1:]), len(message.content)]
    parts = []
    for span, end in zip(spans, ends, strict=True):
        parts.append(
            {
                "name": span.name,
                "text": message.content[span.start : end].strip("\n"),
                "only": span.name in only,
            }
        )
    if spans:
        head = message.content[: spans[0].start]
    else:
        head = message.content
    return {
        "role": message.role,
        "parts": ([{"name": "", "text": head, "only": False}] if head else []) + parts,
    }
