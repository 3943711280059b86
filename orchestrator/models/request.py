"""Requests to models and their responses: the interface between the nodes of a graph and whatever answers them.

It knows prompts, texts and reply types, no roles and no views of a game.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.errors import ModelError, UserError, WireTry
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models import second_ask
from hanabi_orchestrator.orchestrator.models.finish import FILTERED, TOO_LARGE, TOO_LONG, UNFIT
from hanabi_orchestrator.orchestrator.replies.reader import Cause, Reading, Unreadable, copied, read
from hanabi_orchestrator.orchestrator.replies.reply import Form, Options, Reply
from hanabi_orchestrator.orchestrator.values import Frozen, Value

Speaker = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Part:
    """A named part of a prompt: a section, the notes of other nodes, the instruction."""

    name: str
    text: str
    speaker: Speaker = "user"


@dataclass(frozen=True)
class Place:
    """The place of a request in its game; it holds nothing that the seat may not know."""

    game: str = ""
    """A one-way hash of the player count, the deal's label and the repeat."""
    repeat: int = 1
    turn: int = 0
    seat: int = 0
    draw: int = 0
    """Another number gets other seeds and no answer of the cache: of a seat that plays once more."""


class Key(NamedTuple):
    """What identifies a request within a game, for resume and replay."""

    turn: int
    seat: int
    node: str
    """With the number of its attempt, from the second on: `generate-2`."""
    sample: int
    ask: int


@dataclass(frozen=True)
class ModelRequest:
    """One request to a model: the parts of its prompt in order, and the format of the response."""

    node: str
    role: str
    sample: int
    parts: tuple[Part, ...]
    reply: type[Reply]
    moves: Options
    """The legal moves as the prompt lists them; a move in the reply must be one of them."""
    form: Form = "json_schema"
    """The answer format that the prompt asks for."""
    phrases: Mapping[str, str] = field(default_factory=dict)
    """The sentences of a second ask in the prompt's language, by their English (`second_ask.SENTENCES`)."""
    second_form: Form | None = None
    """The answer format of a second ask, where the server takes it; None for the same."""
    second_format: str = ""
    """The instructions for that format; empty where the prompt has them already."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """The numbers of players, other players and own slots, where the prompt states them; lists have one entry for
    each."""
    blanks: frozenset[str] = frozenset()
    """The example of an answer in the prompt; a reply that repeats it is marked as copied."""
    place: Place = Place()
    graph: str = ""
    """The name of the graph that asks, for traces."""
    ask: int = 0
    """0 for the first request; 1 for the retry after an unusable answer, and so on."""

    @property
    def labels(self) -> dict[str, str | int]:
        """The labels of the request in a trace."""
        place = self.place
        labels: dict[str, str | int] = {"graph": self.graph, "node": self.node, "role": self.role}
        labels |= {
            "game": place.game,
            "repeat": place.repeat,
            "turn": place.turn,
            "seat": place.seat,
        }
        return {**labels, "sample": self.sample, "ask": self.ask}

    @property
    def key(self) -> Key:
        return Key(self.place.turn, self.place.seat, self.node, self.sample, self.ask)


def estimated(text: str) -> int:
    """Return an estimate of a text's tokens: 3.2 ASCII characters each, and one for every other character.

    Prompts full of slots, ranks and chances have shorter tokens than prose: a small model's tokeniser counts 3.23.
    """
    plain = len(text.encode("ascii", "ignore"))
    return plain * 5 // 16 + len(text) - plain


class Span(Frozen):
    """The place of a part in the text of a message."""

    name: str
    start: int
    end: int
    """In characters, end excluded."""


class Message(Value):
    role: Speaker
    content: str
    spans: tuple[Span, ...] = ()


def estimated_prompt(messages: Sequence[Message]) -> int:
    """Return an estimate of the tokens of a prompt."""
    return sum(estimated(message.content) for message in messages)


def messages(parts: Sequence[Part]) -> tuple[Message, ...]:
    """Return the parts as chat messages: a system message if there are system parts, then the others in their order,
    those of one speaker that follow one another as one message."""
    system = [part for part in parts if part.speaker == "system"]
    rest = [part for part in parts if part.speaker != "system"]
    turns = [system, *(list(turn) for _, turn in groupby(rest, key=lambda part: part.speaker))]
    spoken = []
    for turn in filter(None, turns):
        content = ""
        spans = list[Span]()
        for part in turn:
            content += "\n\n" if content else ""
            spans.append(
                Span(name=part.name, start=len(content), end=len(content) + len(part.text))
            )
            content += part.text
        spoken.append(Message(role=turn[0].speaker, content=content, spans=tuple(spans)))
    return tuple(spoken)


class Absent(Frozen):
    """Stands for a missing reply. The journal gets the reason, other nodes do not."""

    reason: str
    cause: Cause | None = None
    """The cause in the last response; None where none came."""
    padding: int = 0
    """The tokens of a text in its place, by `estimated`, which tells readers that the note is empty; 0: no trace."""


Constraint = Literal["fitted", "moves", "bounds", "schema", "json_object"]
"""What a server was asked to hold an answer to: a schema with the legal moves of the turn and with lists and texts that
fit into `max_tokens`, one with the moves alone, one with the bounds of numbers, a plain one, or any JSON object."""


Source = Literal["reasoning", "tool_call", "later_choice"]
"""Where the text of an answer stood, if not in the content of the first choice."""


@dataclass(frozen=True)
class ModelResponse:
    """The response to a request; counts are 0 where a provider sends none."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    """Part of `tokens_in`."""
    reasoning_tokens: int = 0
    """Part of `tokens_out`."""
    finish: str | None = None
    """The provider's finish reason; `length` means that the text is cut off."""
    served_by: str | None = None
    """The model id that the provider returned."""
    fingerprint: str | None = None
    service_tier: str | None = None
    """The provider's service tier, where it is not the default."""
    reasoning: str | None = None
    """Reasoning text, when the provider sends it."""
    source: Source | None = None
    """Where the text stood, if not in the content of the first choice."""
    attempts: tuple[WireTry, ...] = ()
    """The tries over the wire; the last one brought the response."""
    usd: float | None = None
    """Its cost in dollars; None when no price is known."""
    estimated: bool = False
    """True if the token counts are estimated from the characters, because the server sent none."""
    cached: bool = False
    """True if it came from the cache: it cost nothing now, its token counts are those of the first time."""
    injected: tuple[str, ...] = ()
    """The errors that a simulated model put into this answer."""
    constraint: Constraint | None = None
    latency_s: float = 0.0
    unusable: Unreadable | None = None
    """Why a recorded response was unusable; it stays unusable in later versions."""


RECORDED = tuple(
    field.name for field in fields(ModelResponse) if field.name not in ("text", "unusable")
)
"""The fields of a response that a journal's call has under the same names."""

FAKE = "hanabi-orchestrator-fake-endpoint"
"""The `system_fingerprint` in the answers of `orchestrator.models.fake_endpoint`, whatever model is asked for: so they
are told from those of a language model."""

IN_REASONING = (
    "it is empty: all its text stands in the reasoning "
    "(if all answers do, the server's reasoning parser does not fit the model)"
)
"""Why an answer is unusable whose text may stand in another field."""

Outcome = Literal["ok", "repaired", "reasked", "fallback", "failed", "unasked"]
"""`repaired`: usable after a repair of its form, or without a part that could not be read; `reasked`: unusable, so the
model is asked again; `fallback`: the last answer was unusable too, so the node's reply is absent; `failed`: no response
came, so the game is suspended; `unasked`: there was nothing to ask yet, so the reply is absent."""


@dataclass(frozen=True)
class Exchange:
    """One request, its response, and what became of it."""

    ask: int
    """0 for the first request; 1 for the retry after an unusable answer, and so on."""
    messages: tuple[Message, ...]
    response: ModelResponse | None
    """None when none came."""
    outcome: Outcome
    error: str | None = None
    """Why the answer was unusable, or why no response came."""
    cause: Cause | None = None
    copied: bool = False
    """True if the answer repeats the example of its prompt."""
    form: Form | None = None
    """The format that a second request asked for, where it is not that of the first."""
    reply: BaseModel | None = None
    attempts: tuple[WireTry, ...] = ()
    dropped: tuple[str, ...] = ()
    """What was left out of the reply because it could not be read."""

    @property
    def recorded(self) -> dict[str, Any]:
        """The fields of a journal's call that this exchange decides."""
        response = self.response
        stored = {name: getattr(response, name) for name in ("text", *RECORDED)} if response else {}
        shared = (
            "ask",
            "messages",
            "outcome",
            "error",
            "cause",
            "copied",
            "form",
            "dropped",
            "attempts",
        )
        return (
            stored
            | {name: getattr(self, name) for name in shared}
            | {
                "prompt_hash": prompt_hash(self.messages),
                "reply": self.reply.model_dump(mode="json") if self.reply else None,
            }
        )


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return a hash of the roles and texts of messages; it does not depend on the spans of the parts."""
    text = json.dumps([[message.role, message.content] for message in messages])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Brain(Protocol):
    """Anything that responds to messages: a model, a script, a recording.

    Raises ModelError when the provider fails.
    """

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse: ...

    async def aclose(self) -> None: ...


MAX_ASKS = 2
"""The model is asked once more after an unusable answer."""


async def answer(
    request: ModelRequest, brain: Brain, record: Callable[[Exchange], None]
) -> BaseModel:
    """Return the reply to a request: a brain is asked until its answer is usable, at most MAX_ASKS times; else
    `Absent`.

    A prompt that is too long for the model is not asked again. Every exchange is passed to `record` before the next
    request is made. Raises ModelError when no response comes.
    """
    prompt = messages(request.parts)
    while True:
        try:
            response = await brain(request, prompt)
        except ModelError as failure:
            if failure.attempts:
                record(
                    Exchange(
                        request.ask, prompt, None, "failed", str(failure), attempts=failure.attempts
                    )
                )
            raise
        form = request.form if request.ask and request.form == request.second_form else None
        done = Exchange(request.ask, prompt, response, "ok", form=form, attempts=response.attempts)
        try:
            reading = _read(request, response)
        except Unreadable as problem:
            error = str(problem)
            cause = problem.cause
            last = request.ask + 1 == MAX_ASKS or cause == "overflow"
            repeats = copied(response.text, None, request.blanks)
            outcome: Outcome = "fallback" if last else "reasked"
            record(replace(done, outcome=outcome, error=error, cause=cause, copied=repeats))
            log.info(
                "unusable reply",
                node=request.node,
                sample=request.sample,
                ask=request.ask,
                error=error,
            )
            if last:
                return Absent(reason=error, cause=cause)
            request, prompt = _again(
                request, prompt, None if repeats else response.text, problem, brain
            )
            continue
        repeats = copied(response.text, reading.reply, request.blanks)
        outcome = "repaired" if reading.repaired or response.source else "ok"
        record(
            replace(
                done, outcome=outcome, reply=reading.reply, copied=repeats, dropped=reading.dropped
            )
        )
        return reading.reply.with_text(response.text)


def _read(request: ModelRequest, response: ModelResponse) -> Reading:
    """Return what a response says. Raises Unreadable."""
    if response.unusable is not None:
        raise response.unusable
    if response.finish == TOO_LONG:
        why = response.attempts[-1].error if response.attempts else None
        raise Unreadable(why or "the prompt is too long for the model", "overflow")
    if response.finish == TOO_LARGE:
        raise Unreadable("it is so long that it was not read", "too_long")
    if response.finish == UNFIT:
        raise Unreadable("the server says that it did not fit the schema", "schema")
    if response.finish == FILTERED:  # even if there is a text, a part of it may be missing
        why = response.attempts[-1].error if response.attempts else None
        raise Unreadable(
            "the server refused the content" + (f": it {why}" if why else ""), "refused"
        )
    if not response.text.strip() and (why := _why_empty(response)):
        raise Unreadable(why, "empty")
    return read(
        response.text,
        request.reply,
        request.moves,
        request.form,
        cut_off=response.finish == "length",
    )


def _why_empty(response: ModelResponse) -> str | None:
    """Return why a response has no text, where that is known."""
    if response.finish in ("tool_calls", "function_call"):
        return "it is empty: it calls tools, and none was offered"
    return IN_REASONING if response.reasoning and response.finish != "length" else None


def _again(
    request: ModelRequest,
    prompt: tuple[Message, ...],
    text: str | None,
    problem: Unreadable,
    brain: Brain,
) -> tuple[ModelRequest, tuple[Message, ...]]:
    """Return the second ask, which quotes the text, if there is any, where that helps. Without a quotation it goes on
    in the same message, for not every server takes two in a row."""
    request = replace(request, ask=request.ask + 1)
    new_format = ""
    if request.second_form and takes_schema(brain, request):
        request, new_format = replace(request, form=request.second_form), request.second_format
    quotation = None if new_format or text is None else second_ask.quotation(text, problem)
    complaint = second_ask.complaint(
        problem,
        request.moves,
        request.phrases,
        quoted=quotation is not None,
        other_format=bool(new_format),
    )
    if quotation is not None:
        return request, (
            *prompt,
            Message(role="assistant", content=quotation),
            Message(role="user", content=complaint),
        )
    parts = (*request.parts, Part("second_ask", complaint))
    return request, messages((*parts, Part("second_format", new_format)) if new_format else parts)


@runtime_checkable
class TakesSchemas(Protocol):
    """A brain that knows whether its model is sent schemas."""

    def takes_schema(self, request: ModelRequest, /) -> bool:
        """Return whether this request would go with a schema, if its form asked for one."""


def takes_schema(brain: Brain, request: ModelRequest) -> bool:
    """Return whether a request would go with a schema, if its form asked for one; a brain that does not say takes
    none."""
    return isinstance(brain, TakesSchemas) and brain.takes_schema(request)


Script = str | Mapping[str, object] | Callable[[ModelRequest], object]


@dataclass
class Scripted:
    """A model for tests: answers by role from a script, and keeps its requests in `asked`.

    A role's answer is a text, a mapping (written as JSON), or a function of the request that returns either. A role
    without one gets an empty text.
    """

    answers: Mapping[str, Script]
    asked: list[ModelRequest] = field(default_factory=list)
    heard: list[tuple[Message, ...]] = field(default_factory=list)

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        self.asked.append(request)
        self.heard.append(messages)
        script = self.answers.get(request.role, "")
        answer = script(request) if callable(script) else script
        return ModelResponse(
            text=answer if isinstance(answer, str) else json_text(answer),
            finish="stop",
            served_by="scripted",
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def json_text(value: object) -> str:
    """Return a reply or a mapping as the JSON that a model would write."""
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, Mapping):
        return json.dumps(dict(value), default=str)
    raise UserError(f"a script answers with a text, a mapping or a reply, not {value!r}")
