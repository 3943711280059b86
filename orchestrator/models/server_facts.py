"""What is learnt of a server and a model while they answer; all arms of a run share it, so that they stay alike.

A verdict on one request is no fact about the server. A schema counts as refused once it was refused in two requests
that were answered without it, and it is tried again from time to time; a length of the context is believed when two
refusals name it and no longer prompt was answered.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.json_schema import Constrained
from hanabi_orchestrator.orchestrator.models.request import (
    Constraint,
    Message,
    ModelResponse,
    estimated_prompt,
)

EVIDENCE = 2
"""Requests that show a fact."""
EXPIRES_S = 600.0
"""Seconds after which a refused schema is tried again."""
CERTAIN = 1.5
"""A first ask is held back only when its estimate is so many times the context: no tokeniser differs by more."""


@dataclass
class _Refusal:
    requests: int = 0
    """The requests that were refused with a schema and answered without it."""
    until: float = 0.0
    """When it is tried again."""


@dataclass
class SchemaSupport:
    """Which schemas a server refuses, by reply type and constraint."""

    clock: Callable[[], float] = time.monotonic
    _refusals: dict[tuple[str, Constraint], _Refusal] = field(default_factory=dict)
    _taken: set[tuple[str, Constraint]] = field(default_factory=set)
    """The schemas with which any request was answered."""

    def takes(self, reply: str, constraint: Constraint) -> bool:
        """Return whether a schema is not known to be refused."""
        refusal = self._refusals.get((reply, constraint))
        return refusal is None or refusal.requests < EVIDENCE

    def is_suspect(self, reply: str, constraint: Constraint) -> bool:
        """Return whether a request was answered without it after a refusal."""
        return (reply, constraint) in self._refusals

    def offers(self, reply: str, possible: Sequence[Constrained]) -> list[Constrained]:
        """Return the constraints to try, the strictest first. One request tries a refused schema again when its time
        has come; the others do without it until that one is answered."""
        offers = []
        for constrained in possible:
            refusal = self._refusals.get((reply, constrained.name))
            if refusal is None or refusal.requests < EVIDENCE:
                offers.append(constrained)
            elif self.clock() >= refusal.until:
                refusal.until = self.clock() + EXPIRES_S
                offers.append(constrained)
        return offers

    def answered(
        self,
        reply: str,
        constraint: Constraint | None,
        refused: Sequence[Constraint],
        *,
        certain: bool,
    ) -> None:
        """Learn from an answer with one constraint, after others were refused for the same request. What is not
        `certain` shows nothing of a schema that was ever taken."""
        if constraint is not None:
            self._refusals.pop((reply, constraint), None)
            self._taken.add((reply, constraint))
        for name in refused:
            if not certain and (reply, name) in self._taken:
                continue
            refusal = self._refusals.setdefault((reply, name), _Refusal())
            refusal.requests += 1
            refusal.until = self.clock() + EXPIRES_S
            if refusal.requests == EVIDENCE:
                weaker = f"the constraint {constraint!r}" if constraint else "no schema"
                log.warning(
                    "the server refuses a schema; requests go without it",
                    schema=name,
                    reply=reply,
                    now=weaker,
                )


class Offers:
    """The constraints that one request may go with, from the strictest to none.

    A refusal is believed when it comes twice. Then a schema that is known to a server, or suspected, gives way to the
    next weaker one, else to none at once: where nothing can pass, three tries show it. `refusals` counts them.
    """

    def __init__(self, support: SchemaSupport, reply: str, possible: Sequence[Constrained]) -> None:
        self._support = support
        self._reply = reply
        self._left: list[Constrained] = support.offers(reply, possible)
        self._refused: list[Constraint] = []
        self.refusals = 0
        self._probed: list[Constrained] | None = None

    @property
    def current(self) -> Constrained | None:
        return self._left[0] if self._left else None

    def refuse(self, *, named: bool) -> None:
        """Choose what the next try goes with, after a refusal in which the schema was `named`, or not."""
        self.refusals += 1
        strictest = self._left[0]
        suspect = self._support.is_suspect(self._reply, strictest.name)
        if self.refusals == 1 and not suspect:
            return
        self._refused.append(strictest.name)
        del self._left[: 1 if named or suspect or len(self._refused) > 1 else None]

    def probe(self) -> bool:
        """Let the next try go without any schema, once; returns False if that has been tried."""
        if self._probed is not None or not self._left:
            return False
        self._probed = self._left
        self._left = []
        self._refused.append(self._probed[0].name)
        return True

    def failed(self) -> None:
        """After a try without a schema failed as well: the schema is not what is at fault."""
        if self._probed:
            self._left = self._probed
            self._probed = []
            self._refused.clear()

    def answered(self) -> None:
        name = self.current.name if self.current else None
        self._support.answered(self._reply, name, self._refused, certain=self._probed is None)


@dataclass
class ContextWindow:
    """The context of one model. The estimate of a prompt's tokens improves with every response that counts them."""

    tokens: int | None = None
    """Prompt and answer together; None when unknown."""
    counted: int = 0
    """Tokens of the prompts so far, by the server's counts."""
    expected: int = 0
    """The same, as they had been estimated."""
    longest: int = 0
    """The most tokens of a prompt that was answered, by the server's count."""
    _named: int | None = None
    """The length that the last refusal named."""

    def learn(self, messages: tuple[Message, ...], response: ModelResponse) -> None:
        """Compare the server's count of a prompt with the estimate."""
        if response.tokens_in:
            self.counted += response.tokens_in
            self.expected += estimated_prompt(messages)
            self.longest = max(self.longest, response.tokens_in)

    def refuse(self, tokens: int | None) -> None:
        """Learn from a refusal that names the length of the context: the second time, unless a longer prompt was
        answered."""
        if (
            self.tokens is None
            and tokens is not None
            and tokens == self._named
            and tokens > self.longest
        ):
            self.tokens = tokens
        self._named = tokens

    def likely(self, messages: tuple[Message, ...]) -> int:
        """Return the tokens that a prompt is likely to have."""
        tokens = estimated_prompt(messages)
        return tokens * self.counted // self.expected if self.expected else tokens

    def bears(self, messages: tuple[Message, ...], ask: int) -> bool:
        """Return whether a prompt may be sent: a second ask if it is likely to fit, a first one unless it cannot."""
        if self.tokens is None:
            return True
        doubt = 1.0 if ask else 1.05 if self.expected else CERTAIN
        return self.likely(messages) < self.tokens * doubt


@dataclass
class ServerFacts:
    """What is learnt of one model on one server."""

    schemas: SchemaSupport = field(default_factory=SchemaSupport)
    window: ContextWindow = field(default_factory=ContextWindow)
    answered: bool = False
    """True if the model has answered at all."""
    warned: bool = False
    """True if it was said that prompts are too long."""
