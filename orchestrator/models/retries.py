"""One model, asked through its transport: within its limit, and again after each fault that may pass."""

import asyncio
import hashlib
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cache
from http import HTTPStatus
from typing import Any, get_type_hints

from hanabi_orchestrator.orchestrator.errors import Held, ModelError, UserError, WireTry
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models import faults, llm_runs, network
from hanabi_orchestrator.orchestrator.models.faults import Fault
from hanabi_orchestrator.orchestrator.models.finish import (
    FILTERED,
    KNOWN_ENDS,
    TOO_LARGE,
    TOO_LONG,
    UNFIT,
)
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.models.pause import Pause
from hanabi_orchestrator.orchestrator.models.redaction import redact
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    estimated,
    estimated_prompt,
)
from hanabi_orchestrator.orchestrator.models.server_facts import ContextWindow, Offers, ServerFacts
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest, Transport
from hanabi_orchestrator.orchestrator.printable import writable

LONGEST_WAIT_S = 60.0
"""The longest wait between two tries, unless the server names a longer one."""


SLOW = 0.25
"""The share of `timeout_s` beyond which an answer is slow: with more calls at a time, some might be cut."""

STUBBORN = 3
"""Tries after which an answer that is the same each time is no passing fault."""

WARNING_S = 5.0
"""A failed try that takes so long, its wait included, is a warning; a shorter one is shown with -v alone."""


@dataclass
class ChatBrain:
    """One model as a brain: called within its limits, and again while its server is at fault."""

    transport: Transport
    settings: ModelSettings
    limiter: Limit
    facts: ServerFacts = field(default_factory=ServerFacts)
    """What is known of the server; the brains of one model share it."""
    pause: Pause = field(default_factory=Pause)
    """While it lasts, no request is sent."""

    def __post_init__(self) -> None:
        self.window.tokens = self.settings.context_length or self.window.tokens

    @property
    def window(self) -> ContextWindow:
        return self.facts.window

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        """Raises ModelError when no response came, whatever was tried; Held when a paused run stops; UserError for a
        setting that the model's client does not know."""
        if not self.window.bears(messages, request.ask):
            lengths = f"about {self.window.likely(messages)} tokens, and the model takes {self.window.tokens}"
            sentence = f"was not asked: the prompt is too long, it would have {lengths}"
            return self._too_long(request, Fault(sentence, too_long=True), [])
        began = self.pause.clock()
        tries: list[WireTry] = []
        possible = (
            constraints(request, self.settings) if self.transport.takes_response_format else ()
        )
        offers = Offers(self.facts.schemas, request.reply.__name__, possible)
        seed = None if self.settings.seed is None else call_seed(self.settings.seed, request)
        while True:
            offer = offers.current
            format = offer.response_format if offer else None
            try:
                outcome, latency_s = await self._tried(
                    CompletionRequest(messages, format, seed, request.labels)
                )
            except Held as held:
                raise Held(str(held), tuple(tries)) from None
            constraint = offer.name if offer else None
            if isinstance(outcome, ModelResponse):
                offers.answered()
                tries.append(WireTry(latency_s=latency_s))
                self.facts.answered = True
                self.window.learn(messages, outcome)
                done = self._completed(
                    outcome, messages, tries, max(latency_s, self.pause.clock() - began)
                )
                return replace(done, constraint=constraint)
            wait = 0.0 if offer and outcome.of_form else self._wait(outcome, tries, offers.refusals)
            same = bool(tries) and tries[-1].error == outcome.sentence
            failed = WireTry(
                error=outcome.sentence,
                status=outcome.status,
                waited_s=wait or 0,
                latency_s=latency_s,
            )
            tries.append(failed)
            if (response := self._without_answer(request, outcome, messages, tries)) is not None:
                return replace(response, constraint=constraint)
            write = log.warning if latency_s + failed.waited_s >= WARNING_S else log.info
            waits_s = round(failed.waited_s, 1)
            write(
                "the model server is at fault",
                fault=failed.error,
                attempt=len(tries),
                waits_s=waits_s,
            )
            if wait is None:
                raise self._given_up(request, outcome, tries)
            if offer and outcome.of_form:
                offers.refuse(named=outcome.names_form)
            elif same and outcome.status == HTTPStatus.INTERNAL_SERVER_ERROR and offers.probe():
                log.info(
                    "the same error again: the next try goes without a schema", fault=failed.error
                )
            else:
                offers.failed()
            await asyncio.sleep(wait)

    def _without_answer(
        self,
        request: ModelRequest,
        fault: Fault,
        messages: tuple[Message, ...],
        tries: list[WireTry],
    ) -> ModelResponse | None:
        """Return the response that stands for a fault of the content, after which the game goes on; None for a fault of
        the server."""
        if fault.filtered:
            return self._unanswered(FILTERED, tries)
        if fault.too_long:
            return self._too_long(request, fault, tries)
        if fault.generation is not None:
            unfit = ModelResponse(text=fault.generation, finish=UNFIT)
            return self._completed(
                unfit, messages, tries, sum(attempt.latency_s for attempt in tries)
            )
        if (
            fault.too_large
        ):  # not read, but paid for, so it counts as long as it may have been, at least
            tokens = self.settings.max_answer_bytes * 5 // 16
            longest = min(tokens, self.settings.max_tokens or tokens)
            unread = ModelResponse(text="", tokens_out=longest, finish=TOO_LARGE, estimated=True)
            return self._completed(
                unread, messages, tries, sum(attempt.latency_s for attempt in tries)
            )
        return None

    def takes_schema(self, request: ModelRequest, /) -> bool:
        """Return whether it would send this request with a schema, if its form asked for one."""
        takes_formats = (
            self.transport.takes_response_format and self.settings.response_format == "json_schema"
        )
        return takes_formats and self.facts.schemas.takes(request.reply.__name__, "schema")

    def _too_long(self, request: ModelRequest, fault: Fault, tries: list[WireTry]) -> ModelResponse:
        """No answer, since the prompt is too long; the game goes on without one.

        Raises ModelError where not even a first prompt of a game fits: then hardly any will.
        """
        self.window.refuse(fault.context)
        if request.place.turn <= 1 and request.ask == 0 and not self.facts.answered:
            mend = "start the server with a longer context, or choose a graph or context with shorter prompts"
            sentence = f"node {request.node!r}: the model server {fault.sentence}; {mend}"
            raise ModelError(sentence, tuple(tries), final=True)
        if not self.facts.warned:
            self.facts.warned = True
            log.warning(
                "prompts are too long for the model; where one is, its node gives no reply",
                why=fault.sentence,
            )
        if not tries:
            tries = [WireTry(error=fault.sentence)]
        return self._unanswered(TOO_LONG, tries)

    def _unanswered(self, finish: str, tries: list[WireTry]) -> ModelResponse:
        return ModelResponse(
            text="", finish=finish, attempts=tuple(tries), usd=0.0 if self.settings.price else None
        )

    async def _tried(self, request: CompletionRequest) -> tuple[ModelResponse | Fault, float]:
        """Try once within the model's limit; return what came, and the seconds that it took. Raises Held."""
        outcome: ModelResponse | Fault
        async with self._place() as began:
            # LangChain's own models tell of themselves
            run = None if self.settings.provider else await llm_runs.begin(self.settings, request)
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    outcome = await self.transport.send(request)
                if (
                    len(outcome.text) + len(outcome.reasoning or "")
                    > self.settings.max_answer_bytes
                ):
                    raise faults.TooLargeError(
                        self.settings.max_answer_bytes
                    )  # a client without a limit has read it
            except UserError:
                raise
            except asyncio.CancelledError:
                if run is not None:
                    await run.end(None)
                raise
            except Exception as error:  # every provider raises errors of its own
                outcome = faults.classify(error, self.transport.secrets)
            latency_s = round(time.monotonic() - began, 4)
        if run is not None:
            await run.end(
                self._cleaned(outcome, request.messages)
                if isinstance(outcome, ModelResponse)
                else outcome
            )
        if isinstance(outcome, ModelResponse):
            self.limiter.answered(slow=latency_s > SLOW * self.settings.timeout_s)
        elif outcome.crowded:
            self.limiter.crowded(began, timed_out=outcome.status in (None, 408, 504))
        return outcome, latency_s

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[float]:
        """A place among the model's calls while the run is not paused. Raises Held."""
        while True:
            if why := await self.pause.over():
                raise Held(why)
            async with self.limiter as began:
                if not self.pause.on:  # it may have begun while the call waited for its place
                    yield began
                    return

    def _wait(self, fault: Fault, tries: list[WireTry], of_schemas: int = 0) -> float | None:
        """Seconds until the next try; None when there is none. `of_schemas`: of the tries, the refusals of a schema,
        which do not count.

        A refusal by a server that has answered is not believed before the third try, nor a fault that may stay.
        """
        faulty = len(tries) - of_schemas + 1
        alike = sum(attempt.error == fault.sentence for attempt in tries) + 1
        if not fault.heals and not (self.facts.answered and faulty < STUBBORN):
            return None
        if faulty >= self.settings.attempts or (fault.stubborn and alike >= STUBBORN):
            return None
        longest = min(self.settings.backoff_s * 2 ** (faulty - 1), LONGEST_WAIT_S)
        # those who were refused together must not come back together
        wait = max(
            random.uniform(longest / 2, longest),
            (fault.retry_after_s or 0) * random.uniform(1, 1.1),
        )
        waited = sum(attempt.waited_s for attempt in tries)
        return round(wait, 4) if waited + wait <= self.settings.patience_s else None

    def _given_up(self, request: ModelRequest, fault: Fault, tries: list[WireTry]) -> ModelError:
        sentence = f"node {request.node!r}: the model server {fault.sentence}"
        if fault.by_network and not self.settings.provider:
            sentence += network.proxy_hint(self.settings.url)
        if fault.heals:
            waited = sum(attempt.waited_s for attempt in tries)
            late = (
                fault.retry_after_s is not None
                and fault.retry_after_s > self.settings.patience_s - waited
            )
            sentence += (
                f"; it wants to be left alone for {fault.retry_after_s:.0f} s" if late else ""
            )
            times = "one try" if len(tries) == 1 else f"{len(tries)} tries"
            sentence += f"; given up after {times} and {waited:.1f} s of waiting"
        return ModelError(sentence, tuple(tries), final=not fault.heals)

    def _completed(
        self,
        response: ModelResponse,
        messages: tuple[Message, ...],
        tries: list[WireTry],
        latency_s: float,
    ) -> ModelResponse:
        """Return a response with what only this layer knows of it: its tries, its price, its tokens where nobody
        counted."""
        response = self._cleaned(response, messages)
        text = response.text
        tokens_in = response.tokens_in or estimated_prompt(messages)
        tokens_out = response.tokens_out or estimated(text) + estimated(response.reasoning or "")
        price = self.settings.price
        return replace(
            response,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            attempts=tuple(tries),
            usd=round(price.usd(tokens_in, tokens_out, response.cached_tokens), 8)
            if price
            else None,
            estimated=response.estimated
            or (tokens_in, tokens_out) != (response.tokens_in, response.tokens_out),
            latency_s=round(latency_s, 4),
        )

    def _cleaned(self, response: ModelResponse, messages: tuple[Message, ...]) -> ModelResponse:
        """Return a response without keys, and with one name for answers that are cut off."""
        prompt = "\n".join(message.content for message in messages)
        kind: Any = type(response)
        texts = text_fields(kind)
        cleaned = dict[str, Any]()
        for part in fields(response):
            value = self._clean(getattr(response, part.name), prompt)
            cleaned[part.name] = (
                None if part.name in texts and not isinstance(value, str) else value
            )
        finish = (cleaned["finish"] or "").lower()
        cleaned["finish"] = KNOWN_ENDS.get(finish, cleaned["finish"])
        cleaned["text"] = cleaned["text"] or ""
        return replace(response, **cleaned)

    def _clean(self, value: Any, prompt: str) -> Any:
        """Return a value whose texts have no keys, and no lone surrogates, which no file takes.

        It is read as it is written, so that a game that is resumed reads the same; words of the prompt stay in it.
        """
        if isinstance(value, str):
            return writable(redact(value, self.transport.secrets, prompt))
        if isinstance(value, tuple | list):
            return tuple(self._clean(item, prompt) for item in value)
        if isinstance(value, Mapping):
            return {
                self._clean(key, prompt): self._clean(item, prompt) for key, item in value.items()
            }
        return value

    async def check(self) -> None:
        """Raise UserError before the first call when the server cannot be used; learn what it says of its context."""
        await self.transport.check()
        self.window.tokens = self.window.tokens or self.transport.context_length

    async def aclose(self) -> None:
        await self.transport.aclose()


@cache
def text_fields(kind: Any) -> frozenset[str]:
    """Return the fields of a kind of response that are declared as texts of a server."""
    hints = get_type_hints(kind)
    return frozenset(name for name, hint in hints.items() if hint in (str, str | None))


def call_seed(base: int, request: ModelRequest) -> int:
    """Return the seed of one call: a one-way hash of where in which game it is made; 31 bits, as servers take them."""
    place = request.place
    plain = f"{base}|{place.game}|{place.repeat}|{place.seat}|{place.turn}|{request.node}|{request.sample}|{request.ask}"
    plain += f"|draw {place.draw}" if place.draw else ""
    return int.from_bytes(hashlib.sha256(plain.encode()).digest()[:4], "big") & 0x7FFFFFFF
