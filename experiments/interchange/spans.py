"""A game as spans for tracing tools: game > turn > seat > role > chat, from the events of its
journal and their times.

A span's id is a hash of the game and of its place in it, so that the same journal always gives the
same spans. Times are those of the journal: an answer came when its line was written, and was asked
for its latency earlier, so that nodes that ran at the same time overlap. The names of attributes
are those of OpenTelemetry's conventions for generative AI (`gen_ai.*`) where they have one, else
`hanabi.*`.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.lines import USABLE, Line, Lines
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameEnded,
    GameStarted,
    GameSuspended,
    Moved,
    SeatInfo,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.models.settings import SAMPLING

OF_RESULT = ("end", "score_strict", "score_kept", "lives", "turns", "forced", "usd")
OF_CALL = ("turn", "seat", "node", "sample", "ask", "outcome", "cached", "estimated", "usd")
"""Fields of a result and of a call that are attributes."""


def error_type(call: Call) -> str | None:
    """Return what kind of fault it was; None for a usable answer."""
    if call.outcome in USABLE:
        return None
    statuses = [attempt.status for attempt in call.attempts if attempt.status is not None]
    return call.cause or (
        str(statuses[-1]) if call.outcome == "failed" and statuses else call.outcome
    )


def plain_model(name: str) -> str:
    """Return a model's own name: `gpt` of `openai:gpt@https://...`, without the address of its
    server."""
    return name.partition("@")[0].split(":", 1)[-1] or name


def provider(name: str) -> str:
    """Return who serves a model, as the conventions name it: `openai` for every server that speaks
    its protocol."""
    kind, *rest = name.partition("@")[0].split(":")
    if kind == "langchain" and rest:
        return rest[0]
    return {"azure": "azure.ai.openai", "sim": "hanabi.simulated"}.get(kind, kind)


def request(seat: SeatInfo, call: Call) -> dict[str, Any]:
    """Return what was asked for, as the conventions name it."""
    settings = next(
        (model for name, model in seat.models.items() if call.model in (name, model.get("model"))),
        {},
    )
    sampling = {f"gen_ai.request.{name}": settings.get(name) for name in SAMPLING}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider(call.model),
        "gen_ai.request.model": plain_model(call.model),
        **sampling,
    }


def content(call: Call) -> dict[str, str]:
    """Return the prompt and the answer, as the conventions write them: JSON lists of messages with
    parts."""
    messages = []
    for m in call.messages:
        messages.append({"role": m.role, "parts": [{"type": "text", "content": m.content}]})
    parts = [{"type": "reasoning", "content": call.reasoning}] if call.reasoning else []
    parts += [{"type": "text", "content": call.text}] if call.text is not None else []
    answer = (
        [{"role": "assistant", "parts": parts, "finish_reason": call.finish or "stop"}]
        if parts
        else []
    )
    return {
        "gen_ai.input.messages": json.dumps(messages, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(answer, ensure_ascii=False),
    }


Value = str | bool | int | float | list[str]
Place = tuple[object, ...]


@dataclass(frozen=True)
class SpanEvent:
    """Something that happened at one moment of a span."""

    name: str
    at: int
    """In nanoseconds since 1970, as all times of spans."""
    attributes: dict[str, Value]


@dataclass(frozen=True)
class Span:
    trace: int
    id: int
    parent: int | None
    name: str
    start: int
    end: int
    attributes: dict[str, Value]
    events: tuple[SpanEvent, ...] = ()
    error: str | None = None
    """What went wrong; None for a span that went well."""
    remote: bool = False
    """Whether it is a request to another program: a model."""


def failed_tries(start: int, at: int, call: Call) -> Iterator[SpanEvent]:
    """Yield the requests over the wire that failed, with their times."""
    for number, attempt in enumerate(call.attempts, 1):
        start = min(at, start + round(attempt.latency_s * 1e9))
        if attempt.error is not None:
            attributes: dict[str, Value] = {
                "hanabi.try": number,
                "hanabi.waited_s": attempt.waited_s,
            }
            status: dict[str, Value] = (
                {} if attempt.status is None else {"http.response.status_code": attempt.status}
            )
            yield SpanEvent("hanabi.try_failed", start, attributes | status)
        start = min(at, start + round(attempt.waited_s * 1e9))


Timed = tuple[Line, int, Event | None]
"""A line, when it was written, and its event; None for the beginning of a turn, whose view takes
long to read."""


def timed(lines: Lines, first: int = 0) -> Iterator[Timed]:
    """Yield the lines of a journal from the first on that is wanted. Raises UserError, which names
    the line."""
    for number, line in enumerate(lines.lines[first:], first + 1):
        if not line.at:
            raise UserError(
                f"{lines.title}, line {number}: the line has no time, without which there is no "
                "span"
            )
        event = None if line.tag == "turn_started" else next(lines.parse([line]))
        yield line, round(line.at * 1e6) * 1000, event


def of_game(game: Game, arm: str | None = None, *, content: bool = False) -> Iterator[Span]:
    """Yield the spans of a journal's game; the last one is the game's. Raises UserError for what is
    no journal."""
    game.refresh()
    spans = GameSpans(arm, content)
    for line, at, event in timed(game.lines):
        yield from spans.feed(line, at, event)
    yield from spans.close()


@dataclass
class _Turn:
    number: int
    seat: int
    start: int
    calls: list[tuple[int, int, Call]] = field(default_factory=list)
    """Each with when it was asked and answered."""
    verdicts: list[SpanEvent] = field(default_factory=list)
    decided: tuple[int, Decided] | None = None

    @property
    def place(self) -> dict[str, Any]:
        return {"hanabi.turn": self.number, "hanabi.seat": self.seat}


@dataclass
class GameSpans:
    """Makes the spans of one game from its events in their order, each as soon as it is
    complete."""

    arm: str | None
    content: bool
    """With prompts, answers and reasons."""
    started: GameStarted | None = None
    over: bool = False
    _start: int = 0
    _last: int = 0
    _trace: str = ""
    """Its id in hexadecimal, from which those of the spans follow."""
    _turn: _Turn | None = None
    _halts: list[SpanEvent] = field(default_factory=list)
    _halted: str | None = None
    _seen: Counter[object] = field(default_factory=Counter)

    def feed(self, line: Line, at: int, event: Event | None) -> list[Span]:
        """Return the spans that this line completes."""
        before = self._last or at
        self._last = max(at, self._last)
        if isinstance(event, GameStarted):
            self.started = event
            self._start = at
            self._trace = f"{_hash(f'{event.config_hash} {event.game} {at}', 16):032x}"
            return []
        if self.started is None:
            return []
        if isinstance(event, GameSuspended):
            self._halted = event.why
            attributes = {"hanabi.turn": event.turn, **self._words("hanabi.why", event.why)}
            self._halts.append(SpanEvent("hanabi.suspended", at, attributes))
            return []
        self._halted = None
        if isinstance(event, GameEnded):
            self.over = True
            return [self._game(self.started, at, event)]
        # a lean journal does not say when a turn begins
        if self._turn is None or self._turn.number != line.turn:
            self._turn = _Turn(
                line.turn, (line.turn - 1) % self.started.players, before if event else at
            )
        return self._in_turn(self.started, self._turn, at, event)

    def close(self) -> list[Span]:
        """Return the spans of a game that is not over, as far as it got."""
        if self.started is None or self.over:
            return []
        ended = self._finished(self.started, self._turn, self._last, None) if self._turn else []
        return [*ended, self._game(self.started, self._last, None)]

    def _in_turn(
        self, started: GameStarted, turn: _Turn, at: int, event: Event | None
    ) -> list[Span]:
        if isinstance(event, Moved):
            self._turn = None
            return self._finished(started, turn, at, event)
        if isinstance(event, Decided):
            turn.decided = at, event
        elif isinstance(event, VerdictGiven):
            attributes: dict[str, Value] = {
                "gen_ai.evaluation.name": event.node,
                "gen_ai.evaluation.score.label": "accepted" if event.accepted else "refused",
                "hanabi.move": str(event.move),
                **self._words("gen_ai.evaluation.explanation", event.why),
            }
            turn.verdicts.append(SpanEvent("gen_ai.evaluation.result", at, attributes))
        elif isinstance(event, Call):
            # times are written in milliseconds, so that a call may seem to begin before its turn
            start = max(at - round(event.latency_s * 1e9), min(turn.start, at))
            turn.calls.append((start, at, event))
            if event.of_model:
                return [self._chat(started, start, at, event)]
            return []
        return []

    # The spans

    def _span(
        self,
        place: Place,
        parent: Place,
        name: str,
        start: int,
        end: int,
        attributes: Mapping[str, Any],
        **rest: Any,
    ) -> Span:
        """Return the span of a place in the game, such as `("turn", 3)`; attributes without a value
        are left out."""
        values = {key: value for key, value in attributes.items() if value is not None}
        values["gen_ai.conversation.id"] = self._trace
        span_id, parent_id = (
            _hash(f"{self._trace} {' '.join(map(str, ids))}", 8) for ids in (place, parent)
        )
        return Span(
            int(self._trace, 16),
            span_id,
            parent_id if parent else None,
            name,
            start,
            end,
            values,
            **rest,
        )

    def _words(self, name: str, text: str) -> dict[str, Value]:
        """Return words of a model, or that may quote one, where they are wanted."""
        if self.content:
            return {name: text}
        return {}

    def _game(self, started: GameStarted, at: int, ended: GameEnded | None) -> Span:
        attributes = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": "hanabi",
            **{f"hanabi.{name}": getattr(started, name) for name in ("players", "seed", "repeat")},
            "hanabi.arm": self.arm,
            **{f"hanabi.{name}": getattr(started, name) for name in ("graph", "config_hash")},
            **{
                f"hanabi.{name}": getattr(ended.result, name) if ended else None
                for name in OF_RESULT
            },
        }
        error = None
        if self._halted is not None and not ended:
            if self.content:
                error = f"suspended: {self._halted}"
            else:
                error = "suspended"
        name = "invoke_workflow hanabi"
        halts = tuple(self._halts)
        return self._span(
            ("game",), (), name, self._start, at, attributes, events=halts, error=error
        )

    def _finished(
        self, started: GameStarted, turn: _Turn, at: int, moved: Moved | None
    ) -> list[Span]:
        """Return the spans of the turn, and of its seat and its nodes."""
        public = turn.place
        number = turn.number
        if moved:
            past = moved.past
            public |= {
                "hanabi.move": str(past.move),
                "hanabi.card": past.card.value if past.card else None,
                "hanabi.scored": past.scored,
                "hanabi.score": sum(past.fireworks),
                "hanabi.lives": past.lives,
                "hanabi.clues": past.tokens,
            }
        span = self._span(("turn", number), ("game",), "hanabi.turn", turn.start, at, public)
        by_node = groupby(
            sorted(turn.calls, key=lambda timed: timed[2].node), key=lambda timed: timed[2].node
        )
        return [
            *(self._role(turn, node, list(calls)) for node, calls in by_node),
            self._seat(started, turn, at),
            span,
        ]

    def _seat(self, started: GameStarted, turn: _Turn, at: int) -> Span:
        end, decided = turn.decided or (at, None)
        info = started.seat_at(turn.seat, turn.number)
        name = f"seat{turn.seat}"
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": name,
            "gen_ai.agent.description": f"{info.graph} on {info.model}",
            **turn.place,
            "hanabi.graph": info.graph,
        }
        events = turn.verdicts
        if decided:
            move = str(decided.move)
            attributes |= {
                "hanabi.node": decided.node,
                "hanabi.move": move,
                "hanabi.forced": decided.forced,
            }
            attributes |= self._words("hanabi.why", decided.why) if decided.why else {}
            if (rating := (decided.ratings or {}).get(move)) is not None:
                rated: dict[str, Value] = {
                    "gen_ai.evaluation.name": "move_rating",
                    "gen_ai.evaluation.score.value": rating,
                }
                events = [*events, SpanEvent("gen_ai.evaluation.result", end, rated)]
        place = ("seat", turn.number)
        parent = ("turn", turn.number)
        name = f"invoke_agent {name}"
        error = None if decided else "undecided"
        return self._span(
            place, parent, name, turn.start, end, attributes, events=tuple(events), error=error
        )

    def _role(self, turn: _Turn, node: str, calls: list[tuple[int, int, Call]]) -> Span:
        last = {call.sample: call for *_, call in calls}  # the last answer of each sample counts
        absent = []
        for call in last.values():
            if call.outcome in ("fallback", "failed", "reasked"):
                absent.append(call.outcome)
        role = calls[0][2].role
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": role,
            "gen_ai.agent.id": node,
            **turn.place,
            "hanabi.program": not any(call.of_model for *_, call in calls),
        }
        start = min(start for start, *_ in calls)
        end = max(at for _, at, _ in calls)
        place = ("role", turn.number, node)
        parent = ("seat", turn.number)
        error = f"no usable reply: {absent[0]}" if len(absent) == len(last) else None
        return self._span(
            place, parent, f"invoke_agent {role}", start, end, attributes, error=error
        )

    def _chat(self, started: GameStarted, start: int, at: int, call: Call) -> Span:
        self._seen[call.key] += 1
        attributes = request(started.seat_at(call.seat, call.turn), call) | {
            "gen_ai.agent.name": call.role,
            "gen_ai.response.model": call.served_by,
            "gen_ai.response.finish_reasons": [call.finish] if call.finish else None,
            "gen_ai.usage.input_tokens": call.tokens_in,
            "gen_ai.usage.output_tokens": call.tokens_out,
            "gen_ai.usage.cache_read.input_tokens": call.cached_tokens or None,
            "gen_ai.usage.reasoning.output_tokens": call.reasoning_tokens or None,
            **{f"hanabi.{name}": getattr(call, name) for name in OF_CALL},
            "error.type": error_type(call),
            **(content(call) if self.content else {}),
        }
        fault: str | None = None
        if call.outcome not in USABLE:
            reason = call.error if self.content and call.error else call.cause
            fault = call.outcome if reason is None else f"{call.outcome}: {reason}"
        place = ("chat", *call.key, self._seen[call.key])
        parent = ("role", call.turn, call.node)
        tries = tuple(failed_tries(start, at, call))
        name = f"chat {plain_model(call.model)}"
        return self._span(
            place, parent, name, start, at, attributes, events=tries, error=fault, remote=True
        )


def _hash(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big") or 1
