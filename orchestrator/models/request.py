"""Who answers a node: the one seam to models. Knows asks and texts, no roles and no views."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel

from orchestrator.errors import ModelError, UserError, WireTry
from orchestrator.logs import log
from orchestrator.replies.reader import Unreadable, read
from orchestrator.replies.reply import Form, Options, Reply
from orchestrator.values import Frozen

Speaker = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Part:
    """A named stretch of a prompt: a section, the colleagues' notes, the instruction."""

    name: str
    text: str
    speaker: Speaker = "user"


@dataclass(frozen=True)
class Place:
    """Where in its game a question is asked; it holds nothing that the seat may not know."""

    game: str = ""
    """A one-way hash of the player count, the deal's label and the repeat."""
    repeat: int = 1
    turn: int = 0
    seat: int = 0


class Key(NamedTuple):
    """Which ask of a game: what resume and replay find a call by."""

    turn: int
    seat: int
    node: str
    """In its attempt: `generate-2`."""
    sample: int
    ask: int


COMPLAINT = "That reply cannot be used: $error. Reply once more, in the answer format given above."


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model. (node, sample) says which; the parts say it all, in order."""

    node: str
    role: str
    sample: int
    parts: tuple[Part, ...]
    reply: type[Reply]
    moves: Options
    """The legal moves that the parts tell; a move named in the reply must be one of them."""
    form: Form = "json_schema"
    """How the parts say that it is to be answered."""
    complaint: str = COMPLAINT
    """What is said of an unusable answer, `$error` standing for what is wrong with it."""
    place: Place = Place()
    ask: int = 0
    """0 is the first; each further one is made because the reply before was unusable."""

    @property
    def key(self) -> Key:
        return Key(self.place.turn, self.place.seat, self.node, self.sample, self.ask)


def estimated(text: str) -> int:
    """Tokens of a text where nobody counts them: four characters each, and one for a character that is not ASCII."""
    plain = sum(character.isascii() for character in text)
    return plain // 4 + len(text) - plain


class Span(Frozen):
    """Where a part stands in a message."""

    name: str
    start: int
    end: int
    """In characters, end excluded."""


class Message(Frozen):
    role: Speaker
    content: str
    spans: tuple[Span, ...] = ()


def messages(parts: Sequence[Part]) -> tuple[Message, ...]:
    """The parts as messages: one of the system, if any part is, then one of the user."""
    made = []
    for speaker in ("system", "user"):
        texts, spans, end = list[str](), list[Span](), 0
        for part in parts:
            if part.speaker == speaker:
                start = end + 2 if end else 0
                end = start + len(part.text)
                texts += ("\n\n", part.text) if start else (part.text,)
                spans.append(Span(name=part.name, start=start, end=end))
        if end:
            made.append(Message(role=speaker, content="".join(texts), spans=tuple(spans)))
    return tuple(made)


class Absent(Frozen):
    """No usable reply came. Never shown to a colleague; the reason is for the journal."""

    reason: str


@dataclass(frozen=True)
class ModelResponse:
    """What a brain said to some messages; counts are zero where a provider sends none."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    """Of `tokens_in`."""
    reasoning_tokens: int = 0
    """Of `tokens_out`."""
    finish: str | None = None
    """The provider's finish reason; `length` means that the text is cut off."""
    served_by: str | None = None
    """The model id that the provider returned."""
    fingerprint: str | None = None
    reasoning: str | None = None
    """Reasoning text, when the provider sends it."""
    attempts: tuple[WireTry, ...] = ()
    """The tries over the wire, the last of which brought the answer."""
    usd: float | None = None
    """What it cost; None when no price is known."""
    estimated: bool = False
    """The server counted no tokens; these are the characters, four to a token."""
    cached: bool = False
    """It came from the cache of an earlier run and cost nothing now; its tokens are those of then."""
    injected: tuple[str, ...] = ()
    """Of a simulated model: the errors that this answer was given."""
    latency_s: float = 0.0


Outcome = Literal["ok", "repaired", "reasked", "fallback", "failed"]
"""`reasked`: unusable, asked again; `fallback`: unusable, and it was the last ask: the node is absent; `failed`: no
answer came over the wire, so the game is suspended."""


@dataclass(frozen=True)
class Exchange:
    """One ask of a brain and what became of it."""

    ask: int
    """0 is the first; each further one was made because the one before was unusable."""
    messages: tuple[Message, ...]
    response: ModelResponse | None
    """None when no answer came."""
    outcome: Outcome
    error: str | None = None
    """Why it was unusable, or did not come."""
    reply: BaseModel | None = None
    attempts: tuple[WireTry, ...] = ()

    @property
    def prompt_hash(self) -> str:
        return prompt_hash(self.messages)


def prompt_hash(messages: Sequence[Message]) -> str:
    """A hash of what is said by whom; where the parts lie does not matter."""
    told = json.dumps([[message.role, message.content] for message in messages])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


class Brain(Protocol):
    """A model, a script, a recording: anything that says something to messages.

    Raises ModelError when the provider fails.
    """

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse: ...

    async def aclose(self) -> None: ...


MAX_ASKS = 2
"""An unusable reply is asked again once."""


async def answer(request: ModelRequest, brain: Brain, record: Callable[[Exchange], None]) -> BaseModel:
    """Ask a brain until its reply is usable, at most MAX_ASKS times; then `Absent`.

    Every ask goes to `record` before the next one is made. Raises ModelError when no answer comes.
    """
    said = messages(request.parts)
    error = ""
    for number in range(MAX_ASKS):
        spoken = await _spoken(request if request.ask == number else replace(request, ask=number), said, brain, record)
        try:
            reading = read(spoken.text, request.reply, request.moves, request.form, cut_off=spoken.finish == "length")
        except Unreadable as problem:
            error = str(problem)
            outcome: Outcome = "reasked" if number + 1 < MAX_ASKS else "fallback"
            record(Exchange(number, said, spoken, outcome, error, attempts=spoken.attempts))
            log.info("unusable reply", node=request.node, sample=request.sample, ask=number, error=error)
            said = (*said, *_again(spoken.text, request.complaint.replace("$error", error)))
            continue
        done: Outcome = "repaired" if reading.repaired else "ok"
        record(Exchange(number, said, spoken, done, reply=reading.reply, attempts=spoken.attempts))
        return reading.reply.of_text(spoken.text)
    return Absent(reason=error)


async def _spoken(
    request: ModelRequest, messages: tuple[Message, ...], brain: Brain, record: Callable[[Exchange], None]
) -> ModelResponse:
    try:
        return await brain(request, messages)
    except ModelError as error:
        if error.attempts:
            record(Exchange(request.ask, messages, None, "failed", str(error), attempts=error.attempts))
        raise


ECHO = 4000
"""Characters of an unusable reply that are said back; some servers answer with megabytes."""


def _again(text: str, complaint: str) -> tuple[Message, Message]:
    """What was said, and what was wrong with it; providers refuse an empty assistant message."""
    echo = text if len(text) <= ECHO else f"{text[:ECHO]} [...]"
    return Message(role="assistant", content=echo or "(empty)"), Message(role="user", content=complaint)


Script = str | Mapping[str, object] | Callable[[ModelRequest], object]


@dataclass
class Scripted:
    """A brain that answers by role from a script and keeps what it was asked; a public test double.

    A role's answer is a text, a mapping (written as JSON), or a function of the Ask that returns either. A role
    without one gets an empty text.
    """

    answers: Mapping[str, Script]
    asked: list[ModelRequest] = field(default_factory=list)
    heard: list[tuple[Message, ...]] = field(default_factory=list)

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        self.asked.append(request)
        self.heard.append(messages)
        script = self.answers.get(request.role, "")
        made = script(request) if callable(script) else script
        return ModelResponse(
            text=made if isinstance(made, str) else json_text(made), finish="stop", served_by="scripted"
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def json_text(value: object) -> str:
    """A reply or a mapping as the JSON that a model would write."""
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, Mapping):
        return json.dumps(dict(value), default=str)
    raise UserError(f"a script answers with a text, a mapping or a reply, not {value!r}")
