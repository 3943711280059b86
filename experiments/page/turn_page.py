"""/api/turn: the graph of the acting seat, its calls, verdicts and decision; only the lines of that turn are parsed."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from experiments.page import spoken
from experiments.page.prompts import Prompts, key_of
from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.record.lines import Line
from experiments.show.graph_tree import steps
from graphs.attempts import base, reads
from graphs.config import PROGRAM, GraphConfig
from orchestrator.hanabi.moves import PATTERN
from orchestrator.journal.events import Call, Decided, VerdictGiven

_MOVE = re.compile(PATTERN)


def turn(game: Game, number: int) -> Json:
    """Raises UserError when the game has no such turn."""
    game.board(number)
    lines = [line for line in game.lines.lines if line.turn == number]
    events = game.lines.parse(lines)
    calls = [(line, event) for line, event in zip(lines, events, strict=True) if isinstance(event, Call)]
    decided = next((event for event in events if isinstance(event, Decided)), None)
    config = game.config(game.seat(number), number)
    prompts = Prompts(game, number, events)
    start = min((line.at - call.latency_s for line, call in calls), default=0.0)
    return {
        "turn": number,
        "seat": game.seat(number),
        "graph": _graph(config, game, number) if config else None,
        "calls": [
            _call(call, key, line, start, prompts, config)
            for (line, call), key in zip(calls, key_of([call for _, call in calls]), strict=True)
        ],
        "verdicts": [_verdict(event) for event in events if isinstance(event, VerdictGiven)],
        "took": list(_took([call for _, call in calls], decided, config)) if decided else [],
        "ratings": decided.ratings if decided else None,
        "votes": decided.votes if decided else {},
        "rank": decided.rank if decided else None,
        "decided": spoken.decision(decided) if decided else None,
        "memory": game.memory(number),
        "remembered": decided.memory if decided else {},
    }


def _graph(config: GraphConfig, game: Game, turn: int) -> Json:
    level = {name: number for number, names in enumerate(steps(config)) for name in names}
    models = game.started.seat_at(game.seat(turn), turn).models
    return {
        "name": config.name,
        "decides": config.decides,
        "judges": config.check.judge if config.check else None,
        "nodes": [
            {
                "name": name,
                "role": node.role,
                "reads": list(node.reads),
                "model": node.model
                if node.model == PROGRAM
                else str(models.get(node.model, {}).get("model", node.model)),
                "samples": node.samples,
                "level": level[name],
            }
            for name, node in config.nodes.items()
        ],
    }


def _call(call: Call, key: str, line: Line, start: float, prompts: Prompts, config: GraphConfig | None) -> Json:
    return {
        "key": key,
        "node": call.node,
        "role": call.role,
        "model": call.model,
        "sample": call.sample,
        "ask": call.ask,
        "start": round(max(0.0, line.at - call.latency_s - start), 3),
        "seconds": round(call.latency_s, 3),
        "outcome": call.outcome,
        "error": call.error,
        "cause": call.cause,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "cached_tokens": call.cached_tokens,
        "reasoning_tokens": call.reasoning_tokens,
        "usd": call.usd,
        "cached": call.cached,
        "fixed": call.fixed,
        "origin": call.origin,
        "estimated": call.estimated,
        "asked": call.of_model,
        "simulated": call.simulated,
        "constraint": call.constraint,
        "served_by": call.served_by,
        "finish": call.finish,
        "copied": call.copied,
        "dropped": list(call.dropped),
        "injected": list(call.injected),
        "attempts": [
            {"error": one.error, "status": one.status, "seconds": round(one.latency_s, 3), "waited_s": one.waited_s}
            for one in call.attempts
        ],
        "reply": call.reply,
        "text": call.text,
        "reasoning": call.reasoning,
        "sections": prompts.sections(call),
        "only": prompts.only(call),
        "reads": list(reads(config, call.node)),
    }


def _verdict(verdict: VerdictGiven) -> Json:
    return {
        "node": verdict.node,
        "move": spoken.move(verdict.move),
        "accepted": verdict.accepted,
        "why": verdict.why,
        "told": verdict.told,
    }


def _took(calls: Iterable[Call], decided: Decided, config: GraphConfig | None) -> Iterator[Json]:
    """What each node proposed in its last usable answers, and where the move that was played stands in it."""
    decides, read = decided.node, reads(config, decided.node or "")
    said: dict[str, dict[int, list[str]]] = {}
    for call in calls:
        if call.node != decides and (moves := proposals(call.reply)):
            said.setdefault(call.node, {})[call.sample] = moves
    for node, samples in said.items():
        best = together(list(samples.values()))
        played = str(decided.move)
        yield {
            "node": node,
            "read": base(node) in read,
            "proposed": [spoken.move(move) for move in best],
            "agrees": best[0] == played,
            "rank_of_played": best.index(played) + 1 if played in best else None,
            "votes": dict(Counter(moves[0] for moves in samples.values())) if len(samples) > 1 else {},
        }


def proposals(reply: Mapping[str, Any] | None) -> list[str]:
    """The moves that a reply speaks for, best first: its choice, its lists by rank, rating or gain, the hint that it
    proposes, the discards that it holds for safest. A list of all legal moves without an order speaks for none."""
    if not reply:
        return []
    found = [move for key in ("action", "hint") if isinstance(move := reply.get(key), str)]
    for value in reply.values():
        if isinstance(value, list) and value and all(isinstance(one, dict) and "action" in one for one in value):
            placed = [(place, str(one["action"])) for one in value if (place := _place(one)) is not None]
            found += [move for _, move in sorted(placed, key=lambda pair: pair[0])]
    found += [f"discard slot {slot}" for slot in reply.get("safest_first") or () if isinstance(slot, int)]
    return list(dict.fromkeys(move for move in found if _MOVE.fullmatch(move)))


def _place(entry: Mapping[str, Any]) -> float | None:
    """Smaller is better; None for an entry that does not say how good its move is."""
    if isinstance(rank := entry.get("rank"), int | float):
        return rank
    worth = entry.get("rating", entry.get("gain"))
    return -worth if isinstance(worth, int | float) else None


def together(samples: list[list[str]]) -> list[str]:
    """The moves of several samples of a node: those chosen most often first."""
    chosen = Counter(moves[0] for moves in samples)
    every = dict.fromkeys(move for moves in samples for move in moves)
    return sorted(every, key=lambda move: -chosen[move])
