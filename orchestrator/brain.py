"""Who answers a node: the one seam to models. Knows asks and texts, no roles and no views."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import structlog
from pydantic import BaseModel

from orchestrator.errors import UserError
from orchestrator.frozen import Frozen
from orchestrator.moves import Numbered
from orchestrator.reading import Unreadable, read

log = structlog.get_logger()

Speaker = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Part:
    """A named stretch of a prompt: a section, the colleagues' notes, the instruction."""

    name: str
    text: str
    speaker: Speaker = "user"


@dataclass(frozen=True)
class Ask:
    """One question to a model. (node, sample) says which; the parts say it all, in order."""

    node: str
    role: str
    sample: int
    parts: tuple[Part, ...]
    reply: type[BaseModel]
    moves: Numbered
    """The legal moves that the parts tell; a move named in the reply must be one of them."""


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
        texts = [part for part in parts if part.speaker == speaker]
        content, spans = "", []
        for part in texts:
            start = len(content) + (2 if content else 0)
            content = f"{content}\n\n{part.text}" if content else part.text
            spans.append(Span(name=part.name, start=start, end=len(content)))
        if content:
            made.append(Message(role=speaker, content=content, spans=tuple(spans)))
    return tuple(made)


class Absent(Frozen):
    """No usable reply came. Never shown to a colleague; the reason is for the journal."""

    reason: str


@dataclass(frozen=True)
class Said:
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
    latency_s: float = 0.0


Outcome = Literal["ok", "repaired", "reasked", "fallback"]
"""`reasked`: unusable, asked again; `fallback`: unusable, and it was the last ask: the node is absent."""


@dataclass(frozen=True)
class Exchange:
    """One ask of a brain and what became of it."""

    ask: int
    """0 is the first; each further one was made because the one before was unusable."""
    messages: tuple[Message, ...]
    said: Said
    outcome: Outcome
    error: str | None = None
    """Why it was unusable."""
    reply: BaseModel | None = None

    @property
    def prompt_hash(self) -> str:
        told = json.dumps([[message.role, message.content] for message in self.messages])
        return hashlib.sha256(told.encode()).hexdigest()[:16]


class Brain(Protocol):
    """A model, a script, a recording: anything that says something to messages.

    Raises ModelError when the provider fails.
    """

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said: ...

    async def aclose(self) -> None: ...


MAX_ASKS = 2
"""An unusable reply is asked again once."""


async def answer(ask: Ask, brain: Brain, record: Callable[[Exchange], None]) -> BaseModel:
    """Ask a brain until its reply is usable, at most MAX_ASKS times; then `Absent`.

    Every ask goes to `record` before the next one is made.
    """
    said = messages(ask.parts)
    error = ""
    for number in range(MAX_ASKS):
        spoken = await brain(ask, said)
        try:
            reading = read(spoken.text, ask.reply, ask.moves, cut_off=spoken.finish == "length")
        except Unreadable as problem:
            error = str(problem)
            outcome: Outcome = "reasked" if number + 1 < MAX_ASKS else "fallback"
            record(Exchange(number, said, spoken, outcome, error))
            log.info("unusable reply", node=ask.node, sample=ask.sample, ask=number, error=error)
            said = (*said, *_again(spoken.text, error))
            continue
        done: Outcome = "repaired" if reading.repaired else "ok"
        record(Exchange(number, said, spoken, done, reply=reading.reply))
        return reading.reply
    return Absent(reason=error)


def _again(text: str, error: str) -> tuple[Message, Message]:
    """What was said, and what was wrong with it; providers refuse an empty assistant message."""
    complaint = f"That reply cannot be used: {error}. Reply once more, in the answer format given above."
    return Message(role="assistant", content=text or "(empty)"), Message(role="user", content=complaint)


Script = str | Mapping[str, object] | Callable[[Ask], object]


@dataclass
class Scripted:
    """A brain that answers by role from a script and keeps what it was asked; a public test double.

    A role's answer is a text, a mapping (written as JSON), or a function of the Ask that returns either. A role
    without one gets an empty text.
    """

    answers: Mapping[str, Script]
    asked: list[Ask] = field(default_factory=list)
    heard: list[tuple[Message, ...]] = field(default_factory=list)

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
        self.asked.append(ask)
        self.heard.append(said)
        script = self.answers.get(ask.role, "")
        made = script(ask) if callable(script) else script
        return Said(text=made if isinstance(made, str) else json_text(made), finish="stop", served_by="scripted")

    async def aclose(self) -> None:
        """Nothing to close."""


def json_text(value: object) -> str:
    """A reply or a mapping as the JSON that a model would write."""
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, Mapping):
        return json.dumps(dict(value), default=str)
    raise UserError(f"a script answers with a text, a mapping or a reply, not {value!r}")
