"""/api/turn: the graph of the acting seat, its calls, verdicts and decision; /api/prompt: the prompt of a call.

Only the lines of that turn are parsed."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from experiments.page import spoken
from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.record.lines import Line
from graphs import prompt_preview
from graphs.attempts import base, judging, reads, steps
from graphs.config import PROGRAM, GraphConfig
from graphs.context import OWN_PARTS
from orchestrator.errors import UserError
from orchestrator.hanabi.moves import PATTERN
from orchestrator.journal.events import Call, Decided, Event, VerdictGiven
from orchestrator.models.request import Message

_MOVE = re.compile(PATTERN)


def turn(game: Game, number: int) -> Json:
    """Return a turn for the browser. Raises UserError when the game has no such turn."""
    game.board(number)
    lines = [line for line in game.lines.lines if line.turn == number]
    events = [*game.lines.parse(lines)]
    calls = [(line, event) for line, event in zip(lines, events, strict=True) if isinstance(event, Call)]
    decided = next((event for event in events if isinstance(event, Decided)), None)
    config = game.config(game.seat(number), number)
    prompts = Prompts(game, number, events)
    start = min((line.at - call.latency_s for line, call in calls), default=0.0)
    return {
        "turn": number,
        "seat": game.seat(number),
        "graph": _graph(config, game, number) if config else _asked(game, number, events),
        "calls": [
            _call(call, key, line, start, prompts, config)
            for (line, call), key in zip(calls, key_of([call for _, call in calls]), strict=True)
        ],
        "verdicts": [
            {name: getattr(event, name) for name in ("node", "accepted", "why", "told")}
            | {"move": spoken.move(event.move)}
            for event in events
            if isinstance(event, VerdictGiven)
        ],
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
        "judges": list(judging(config)),
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


def _asked(game: Game, turn: int, events: Iterable[Event]) -> Json | None:
    """Return the nodes of a LangGraph graph of somebody's own in the order in which they were asked, which is all that
    its journal says; None for a seat without one."""
    info = game.started.seat_at(game.seat(turn), turn)
    first: dict[str, Call] = {}
    for event in events:
        if isinstance(event, Call):
            first.setdefault(base(event.node), event)
    if info.drawing is None or not first:
        return None
    names = list(first)
    decided = next((event.node for event in events if isinstance(event, Decided)), None)
    return {
        "name": info.graph,
        "decides": base(decided) if decided and base(decided) in first else names[-1],
        "judges": [],
        "nodes": [
            {"name": name, "role": call.role, "reads": names[:place][-1:], "model": call.model, "samples": 1}
            | {"level": place}
            for place, (name, call) in enumerate(first.items())
        ],
    }


PLAIN = (
    *("node", "role", "model", "sample", "ask", "outcome", "error", "cause", "tokens_in", "tokens_out"),
    *("cached_tokens", "reasoning_tokens", "usd", "cached", "fixed", "origin", "estimated", "simulated", "constraint"),
    *("served_by", "finish", "copied", "reply", "text", "reasoning"),
)
"""Fields of a call that the page shows as they are."""


def _call(call: Call, key: str, line: Line, start: float, prompts: "Prompts", config: GraphConfig | None) -> Json:
    return {name: getattr(call, name) for name in PLAIN} | {
        "key": key,
        "start": round(max(0.0, line.at - call.latency_s - start), 3),
        "seconds": round(call.latency_s, 3),
        "asked": call.of_model,
        "dropped": list(call.dropped),
        "injected": list(call.injected),
        "attempts": [
            {"error": wire.error, "status": wire.status, "seconds": round(wire.latency_s, 3), "waited_s": wire.waited_s}
            for wire in call.attempts
        ],
        "sections": prompts.sections(call),
        "only": prompts.only(call),
        "reads": list(reads(config, call.node)),
    }


def _took(calls: Iterable[Call], decided: Decided, config: GraphConfig | None) -> Iterator[Json]:
    """Yield what each node proposed in its last usable answers, and where the move that was played stands in it."""
    sources, played = reads(config, decided.node or ""), str(decided.move)
    nodes: dict[str, dict[int, list[str]]] = {}
    for call in calls:
        if call.node != decided.node and (moves := proposals(call.reply)):
            nodes.setdefault(call.node, {})[call.sample] = moves
    for node, samples in nodes.items():
        votes = Counter(moves[0] for moves in samples.values())
        every = dict.fromkeys(move for moves in samples.values() for move in moves)
        best = sorted(every, key=lambda move: -votes[move])  # called at once
        yield {
            "node": node,
            "read": base(node) in sources,
            "proposed": [spoken.move(move) for move in best],
            "agrees": best[0] == played,
            "rank_of_played": best.index(played) + 1 if played in best else None,
            "votes": dict(votes) if len(samples) > 1 else {},
        }


def proposals(reply: Mapping[str, Any] | None) -> list[str]:
    """Return the moves that a reply speaks for, best first: its choice, its lists by rank, rating or gain, the hint
    that it proposes, the discards that it holds for safest. A list of all legal moves without an order speaks for
    none."""
    if not reply:
        return []
    moves = [move for key in ("action", "hint") if isinstance(move := reply.get(key), str)]
    for value in reply.values():
        if isinstance(value, list) and value and all(isinstance(entry, dict) and "action" in entry for entry in value):
            ranks = list[tuple[float, str]]()  # smaller for a better move
            for entry in value:  # one that does not say how good its move is has none
                worth = entry.get("rating", entry.get("gain"))
                if isinstance(rank := entry.get("rank"), int | float):
                    ranks.append((rank, str(entry["action"])))
                elif isinstance(worth, int | float):
                    ranks.append((-worth, str(entry["action"])))
            moves += [move for _, move in sorted(ranks, key=lambda pair: pair[0])]
    moves += [f"discard slot {slot}" for slot in reply.get("safest_first") or () if isinstance(slot, int)]
    return list(dict.fromkeys(move for move in moves if _MOVE.fullmatch(move)))


# Prompts: what a node was asked, section by section; of a program, what a model would have been asked


def key_of(calls: Sequence[Call]) -> list[str]:
    """A name for each call of a turn, in their order: `proposer.0.0`, by node, sample and ask.

    A call that was made again after its game had been suspended has the number of the try behind it: `proposer.0.0.2`.
    """
    seen: Counter[str] = Counter()
    names = []
    for call in calls:
        name = f"{call.node}.{call.sample}.{call.ask}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return names


class Prompts:
    """The prompts of a turn."""

    def __init__(self, game: Game, turn: int, events: Sequence[Event]) -> None:
        self.game = game
        self.turn = turn
        self.events = events
        self.calls = [event for event in events if isinstance(event, Call)]

    @cached_property
    def _rendered(self) -> Mapping[str, tuple[Message, ...]]:
        """By node, what a model would have been asked; none where the journal does not hold what nodes read."""
        config = self.game.config(self.game.seat(self.turn), self.turn)
        if config is None:
            return {}
        view = self.game.board(self.turn).view
        try:
            return prompt_preview.recorded(config, view, self.events, self.game.memory(self.turn))
        except (UserError, LookupError, ValueError):  # a lean journal, or one of an older version
            return {}

    def of(self, call: Call) -> tuple[Message, ...]:
        return call.messages or self._rendered.get(call.node, ())

    def sections(self, call: Call) -> list[str]:
        names = (span.name for message in self.of(call) for span in message.spans if span.name not in OWN_PARTS)
        return list(dict.fromkeys(names))

    def only(self, call: Call) -> list[str]:
        """Its sections that no other node of the turn got."""
        node = base(call.node)
        theirs = {name for other in self.calls if base(other.node) != node for name in self.sections(other)}
        alone = not any(base(other.node) != node for other in self.calls)
        return [] if alone else [name for name in self.sections(call) if name not in theirs]

    def prompt(self, key: str) -> Json:
        """Raises UserError for a call that is not there."""
        for call, name in zip(self.calls, key_of(self.calls), strict=True):
            if name == key:
                only = set(self.only(call))
                messages, why = [_message(message, only) for message in self.of(call)], None
                if not messages and self.game.config(self.game.seat(self.turn), self.turn) is None:
                    why = "Its graph has roles that are not there here: name their file with --import."
                elif not messages:
                    why = f"The role {call.role} is a program without a prompt, or the journal is lean and lacks "
                    why += "what it read."
                return {"rendered": not call.messages, "messages": messages, "why": why}
        raise UserError(f"turn {self.turn} has no call {key[:80]!r}")


def prompt(game: Game, turn: int, key: str) -> Json:
    """Raises UserError for a turn or a call that is not there."""
    game.board(turn)
    lines = [line for line in game.lines.lines if line.turn == turn]
    return Prompts(game, turn, [*game.lines.parse(lines)]).prompt(key)


def _message(message: Message, only: set[str]) -> Json:
    """A message in parts; what lies between two sections belongs to the one before."""
    spans = sorted(message.spans, key=lambda span: span.start)
    ends = [*(span.start for span in spans[1:]), len(message.content)]
    parts = [
        {"name": span.name, "text": message.content[span.start : end].strip("\n"), "only": span.name in only}
        for span, end in zip(spans, ends, strict=True)
    ]
    head = message.content[: spans[0].start] if spans else message.content
    return {"role": message.role, "parts": ([{"name": "", "text": head, "only": False}] if head else []) + parts}
