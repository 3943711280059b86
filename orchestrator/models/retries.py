"""One model, asked through its transport: within its limit, and again after each fault that may pass."""

import asyncio
import hashlib
import random
import time
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.errors import ModelError
from orchestrator.logs import log
from orchestrator.models import faults
from orchestrator.models.faults import Fault
from orchestrator.models.json_schema import constraint
from orchestrator.models.limiter import Limit
from orchestrator.models.request import Message, ModelRequest, ModelResponse, estimated
from orchestrator.models.settings import ModelSettings
from orchestrator.models.transport import CompletionRequest, Transport
from orchestrator.wire_try import WireTry

LONGEST_WAIT_S = 60.0
"""The longest wait between two tries, unless the server names a longer one."""


SLOW = 0.25
"""The share of `timeout_s` beyond which an answer is slow: with more calls at a time, some might be cut."""

WARNING_S = 5.0
"""A failed try that takes so long, its wait included, is a warning; a shorter one is shown with -v alone."""


@dataclass
class ChatBrain:
    """One model as a brain: called within its limits, and again while its server is at fault."""

    transport: Transport
    settings: ModelSettings
    limiter: Limit
    takes_format: bool = True
    """Whether to send `response_format`; given up when a server refuses a request with it and answers one without."""

    def __post_init__(self) -> None:
        self.takes_format &= self.transport.takes_response_format

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        """Raises ModelError when no response came, whatever was tried."""
        began = time.monotonic()
        tries: list[WireTry] = []
        sent = self._request(request, messages)
        formed = sent.response_format is not None
        wait: float | None
        while True:
            found, latency_s = await self._tried(sent)
            if isinstance(found, ModelResponse):
                if formed and sent.response_format is None:  # refused with it, answered without
                    self.takes_format = False
                tries.append(WireTry(latency_s=latency_s))
                return self._completed(found, messages, tries, time.monotonic() - began)
            if found.status in faults.FORM and sent.response_format is not None and not found.filtered:
                sent, wait = replace(sent, response_format=None), 0.0  # no waiting, and no try lost
            else:
                wait = self._wait(found, tries)
            failed = WireTry(error=found.sentence, status=found.status, waited_s=wait or 0, latency_s=latency_s)
            tries.append(failed)
            if found.filtered:
                usd = 0.0 if self.settings.price else None
                return ModelResponse(text="", finish="content_filter", attempts=tuple(tries), usd=usd)
            _log(failed, len(tries))
            if wait is None:
                raise self._given_up(request, found, tries)
            await asyncio.sleep(wait)

    def _request(self, request: ModelRequest, messages: tuple[Message, ...]) -> CompletionRequest:
        formed = constraint(request, self.settings.response_format) if self.takes_format else None
        seed = None if self.settings.seed is None else call_seed(self.settings.seed, request)
        return CompletionRequest(messages, formed, seed)

    async def _tried(self, request: CompletionRequest) -> tuple[ModelResponse | Fault, float]:
        """One try within the model's limit, and the seconds that it took."""
        found: ModelResponse | Fault
        async with self.limiter as began:
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    found = await self.transport.send(request)
            except Exception as error:  # every provider raises errors of its own
                found = faults.of(error, self.transport.secrets)
            latency_s = round(time.monotonic() - began, 4)
        if isinstance(found, ModelResponse):
            self.limiter.answered(slow=latency_s > SLOW * self.settings.timeout_s)
        elif found.crowded:
            self.limiter.crowded(began, timed_out=found.status != 429)
        return found, latency_s

    def _wait(self, fault: Fault, tries: list[WireTry]) -> float | None:
        """Seconds until the next try; None when there is none."""
        faulty = sum(attempt.status not in faults.FORM for attempt in tries) + 1
        if not fault.heals or faulty >= self.settings.attempts:
            return None
        longest = min(self.settings.backoff_s * 2 ** (faulty - 1), LONGEST_WAIT_S)
        # those who were refused together must not come back together
        wait = max(random.uniform(longest / 2, longest), (fault.retry_after_s or 0) * random.uniform(1, 1.1))
        waited = sum(attempt.waited_s for attempt in tries)
        return round(wait, 4) if waited + wait <= self.settings.patience_s else None

    def _given_up(self, request: ModelRequest, fault: Fault, tries: list[WireTry]) -> ModelError:
        sentence = f"node {request.node!r}: the model server {fault.sentence}"
        if fault.heals:
            waited = sum(attempt.waited_s for attempt in tries)
            late = fault.retry_after_s is not None and fault.retry_after_s > self.settings.patience_s - waited
            sentence += f"; it wants to be left alone for {fault.retry_after_s:.0f} s" if late else ""
            sentence += f"; given up after {_times(len(tries))} and {waited:.1f} s of waiting"
        return ModelError(sentence, tuple(tries), final=not fault.heals)

    def _completed(
        self, response: ModelResponse, messages: tuple[Message, ...], tries: list[WireTry], latency_s: float
    ) -> ModelResponse:
        """A response with what only this layer knows of it: its tries, its price, its tokens where nobody counted."""
        text = self._clean(response.text) or ""
        counts = response.tokens_in, response.tokens_out
        counted = any(counts)
        tokens_in, tokens_out = counts if counted else (sum(estimated(m.content) for m in messages), estimated(text))
        price = self.settings.price
        return replace(
            response,
            text=text,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            finish=_finish(self._clean(response.finish)),
            served_by=self._clean(response.served_by),
            fingerprint=self._clean(response.fingerprint),
            reasoning=self._clean(response.reasoning),
            attempts=tuple(tries),
            usd=round(price.of(tokens_in, tokens_out, response.cached_tokens), 8) if price else None,
            estimated=not counted,
            latency_s=round(latency_s, 4),
        )

    def _clean(self, text: Any) -> str | None:
        """A server's text without keys, and without lone surrogates, which no file takes."""
        if not isinstance(text, str):
            return None
        return faults.redact(text, self.transport.secrets).encode("utf-8", "replace").decode()

    async def check(self) -> None:
        """Raise UserError before the first call when the server cannot be used."""
        await self.transport.check()

    async def aclose(self) -> None:
        await self.transport.aclose()


CUT_OFF = ("length", "max_tokens", "model_length")
"""The finish reasons of providers for an answer that was cut off, in small letters."""


def _finish(reason: str | None) -> str | None:
    return "length" if reason is not None and reason.lower() in CUT_OFF else reason


def _log(failed: WireTry, number: int) -> None:
    write = log.warning if failed.latency_s + failed.waited_s >= WARNING_S else log.info
    write("the model server is at fault", fault=failed.error, attempt=number, waits_s=round(failed.waited_s, 1))


def _times(tries: int) -> str:
    return "one try" if tries == 1 else f"{tries} tries"


def call_seed(base: int, request: ModelRequest) -> int:
    """The seed of one call: a one-way hash of where in which game it is made; 31 bits, as servers take them."""
    place = request.place
    plain = (
        f"{base}|{place.game}|{place.repeat}|{place.seat}|{place.turn}|{request.node}|{request.sample}|{request.ask}"
    )
    return int.from_bytes(hashlib.sha256(plain.encode()).digest()[:4], "big") & 0x7FFFFFFF
