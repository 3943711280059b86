"""The model layer: the one place through which every request goes.

`ModelLayer` makes the brains of a run. A brain of a model is a chain, each link of which is a Brain: what a recording
or the cache has already answered is not asked; what the budget has no room for is not asked; the rest is asked with as
many calls at a time as the model bears, and asked again while the server is at fault.
"""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import structlog
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import SecretStr

from orchestrator.errors import ModelError, UserError
from orchestrator.journal.recorded_answers import Recording, Replay, Resumed
from orchestrator.models import faults
from orchestrator.models.budget import Budget, Metered
from orchestrator.models.cache import Cache, Cached
from orchestrator.models.faults import Fault
from orchestrator.models.limiter import Limit, Limiter
from orchestrator.models.openai_client import OpenAIChat
from orchestrator.models.request import Brain, Message, ModelRequest, ModelResponse, WireTry, estimated
from orchestrator.models.schema import constraint
from orchestrator.models.settings import OPENAI_URL, ModelSettings, of_object, settings

log = structlog.get_logger()

Named = str | Mapping[str, Any] | ModelSettings
"""A model by its string, or with settings."""

LONGEST_WAIT_S = 60.0
"""Between two tries, unless the server says another time."""
WORTH_SAYING_S = 5.0
"""A failed try that takes so long, its wait included, is told without asking for logs."""


@dataclass
class ChatBrain:
    """A LangChain chat model as a brain: asked within its limits, again while its server is at fault."""

    chat: BaseChatModel
    settings: ModelSettings
    limiter: Limit
    form: bool = True
    """Whether to send `response_format`; given up when a server refuses a request with it and answers one without."""

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Every key that the model was made with."""
        held = (getattr(self.chat, name, None) for name in type(self.chat).model_fields)
        return tuple(key for one in held if isinstance(one, SecretStr) and (key := one.get_secret_value()))

    def __post_init__(self) -> None:
        """Other LangChain models have ways of their own to be given a schema; the prompt has to do."""
        self.form &= isinstance(self.chat, OpenAIChat)

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        """Raises ModelError when no answer came, whatever was tried."""
        began = time.monotonic()
        told = [_langchain(message) for message in messages]
        tries: list[WireTry] = []
        constrained = constraint(request, self.settings.response_format) if self.form else None
        formed = constrained is not None
        wait: float | None
        while True:
            found, latency_s = await self._tried(request, told, constrained if formed else None)
            if isinstance(found, AIMessage):
                if constrained and not formed:  # refused with it, answered without
                    self.form = False
                tries.append(WireTry(latency_s=latency_s))
                return self._said(found, messages, tries, time.monotonic() - began)
            if found.status in faults.FORM and formed and not found.filtered:
                formed, wait = False, 0.0  # no waiting, and no try lost
            else:
                wait = self._wait(found, tries)
            failed = WireTry(error=found.sentence, status=found.status, waited_s=wait or 0, latency_s=latency_s)
            tries.append(failed)
            if found.filtered:
                usd = 0.0 if self.settings.price else None
                return ModelResponse(text="", finish="content_filter", attempts=tuple(tries), usd=usd)
            _tell(failed, len(tries))
            if wait is None:
                raise self._given_up(request, found, tries)
            await asyncio.sleep(wait)

    async def _tried(
        self, request: ModelRequest, told: list[BaseMessage], constrained: dict[str, Any] | None
    ) -> tuple[AIMessage | Fault, float]:
        """One try within the model's limit, and the seconds that it took."""
        async with self.limiter as began:
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    found: AIMessage | Fault = await self.chat.ainvoke(told, **self._sampling(request, constrained))
            except Exception as error:  # every provider raises errors of its own
                found = faults.of(error, self.secrets)
            latency_s = round(time.monotonic() - began, 4)
        if isinstance(found, AIMessage):
            self.limiter.answered()
        elif found.crowded:
            self.limiter.crowded(began)
        return found, latency_s

    def _sampling(self, request: ModelRequest, constrained: dict[str, Any] | None) -> dict[str, Any]:
        """What is sent besides the messages: what is set, and nothing else."""
        sent: dict[str, Any] = {}
        if constrained:
            sent["response_format"] = constrained
        if self.settings.seed is not None:
            sent["seed"] = call_seed(self.settings.seed, request)
        if not isinstance(self.chat, OpenAIChat):
            return sent  # the rest was given when the model was made
        for key in ("temperature", "top_p", "reasoning_effort"):
            if (value := getattr(self.settings, key)) is not None:
                sent[key] = value
        if self.settings.max_tokens is not None:
            # OpenAI's reasoning models refuse the older name, other servers do not know the newer one
            key = "max_completion_tokens" if self.chat.base_url == OPENAI_URL else "max_tokens"
            sent[key] = self.settings.max_tokens
        return sent | self.settings.extra_body

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

    def _said(
        self, message: AIMessage, messages: tuple[Message, ...], tries: list[WireTry], latency_s: float
    ) -> ModelResponse:
        usage: Any = message.usage_metadata or {}
        meta = message.response_metadata
        text = self._safe(message.text) or ""
        counts = (usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
        counted = any(counts)
        tokens_in, tokens_out = counts if counted else (sum(estimated(m.content) for m in messages), estimated(text))
        cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
        price = self.settings.price
        return ModelResponse(
            text=text,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cached_tokens=cached,
            reasoning_tokens=(usage.get("output_token_details") or {}).get("reasoning") or 0,
            finish=_finish(self._safe(meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason"))),
            served_by=self._safe(meta.get("model_name")),
            fingerprint=self._safe(meta.get("system_fingerprint")),
            reasoning=self._safe(message.additional_kwargs.get("reasoning_content")),
            attempts=tuple(tries),
            usd=round(price.of(tokens_in, tokens_out, cached), 8) if price else None,
            estimated=not counted,
            latency_s=round(latency_s, 4),
        )

    def _safe(self, text: Any) -> str | None:
        """A server's text without keys, and without half characters, which no file takes."""
        if not isinstance(text, str):
            return None
        return faults.redact(text, self.secrets).encode("utf-8", "replace").decode()

    async def check(self) -> None:
        """Raise UserError before the first call when the server cannot be used."""
        if isinstance(self.chat, OpenAIChat):
            await self.chat.check()

    async def aclose(self) -> None:
        if isinstance(self.chat, OpenAIChat):
            await self.chat.aclose()


CUT_OFF = ("length", "max_tokens", "model_length")
"""How providers say that an answer was cut off, in small letters."""


def _finish(reason: str | None) -> str | None:
    return "length" if reason is not None and reason.lower() in CUT_OFF else reason


def _tell(failed: WireTry, number: int) -> None:
    """Long waits are for everybody to hear, short ones for who asked for logs."""
    tell = log.warning if failed.latency_s + failed.waited_s >= WORTH_SAYING_S else log.info
    tell("the model server is at fault", fault=failed.error, attempt=number, waits_s=round(failed.waited_s, 1))


def _times(tries: int) -> str:
    return "one try" if tries == 1 else f"{tries} tries"


def call_seed(base: int, request: ModelRequest) -> int:
    """The seed of one call: a one-way hash of where in which game it is made; 31 bits, as servers take them."""
    place = request.place
    plain = (
        f"{base}|{place.game}|{place.repeat}|{place.seat}|{place.turn}|{request.node}|{request.sample}|{request.ask}"
    )
    return int.from_bytes(hashlib.sha256(plain.encode()).digest()[:4], "big") & 0x7FFFFFFF


def _langchain(message: Message) -> BaseMessage:
    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return kinds[message.role](content=message.content)


def chat(model: Named) -> BaseChatModel:
    """The LangChain chat model of a string or settings. Raises UserError when it lacks its key or its package."""
    asked = settings(model)
    if asked.provider is not None:
        return _langchain_chat(asked.provider, asked)
    secret = asked.secret
    return OpenAIChat(
        model=asked.name,
        base_url=asked.url,
        api_key=SecretStr(secret) if secret else None,
        timeout_s=asked.timeout_s,
    )


def _langchain_chat(provider: str, asked: ModelSettings) -> BaseChatModel:
    """A model of any provider that LangChain knows; retries are this layer's alone."""
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise UserError(f"{asked.model} needs LangChain: pip install 'hanabi-orchestrator[langchain]'") from None
    given = asked.model_dump(include={"base_url", "temperature", "top_p", "max_tokens", "reasoning_effort"})
    given["extra_body"] = asked.extra_body or None
    if asked.key:
        given["api_key"] = asked.secret
    try:
        made = init_chat_model(
            asked.name,
            model_provider=provider,
            max_retries=0,
            timeout=asked.timeout_s,
            **{key: value for key, value in given.items() if value is not None},
        )
    except ImportError as error:
        raise UserError(f"{asked.model}: {error}") from None
    except Exception as error:  # each provider has its own way to miss a key
        said = str(error).split("\n")[0]
        raise UserError(f"{asked.model} cannot be used: {said}") from None
    assert isinstance(made, BaseChatModel)
    return made


@dataclass
class ModelLayer:
    """Makes the brains of a run; they share what belongs to the run and to the models."""

    cache: Cache | None = None
    budget: Budget | None = None
    replay: Recording | None = None
    """Instead of every model: nothing is asked of anybody."""
    _brains: list[ChatBrain] = field(default_factory=list)
    limit: Callable[[str, str, int], Limit] = lambda server, model, most: Limiter(most)
    """Makes what bounds the calls of a model of a server."""
    limits: dict[tuple[str, str], Limit] = field(default_factory=dict)
    """By server and model, however it is sampled."""

    def brain(self, model: Named | BaseChatModel) -> Brain:
        """The brain of a model. Raises UserError when it cannot be used."""
        if self.replay is not None:
            return Replay(self.replay)
        if isinstance(model, BaseChatModel):
            asked, server = described(model), str(id(model))
            made = ChatBrain(model, asked, self._limit(asked, server))
        else:
            asked = settings(model)
            made = ChatBrain(chat(asked), asked, self._limit(asked, asked.url))
        self._brains.append(made)
        return self._shared(made, asked)

    def _shared(self, brain: Brain, asked: ModelSettings) -> Brain:
        if self.budget is not None:
            self.budget.check(asked)
            brain = Metered(brain, self.budget, asked)
        return brain if self.cache is None else Cached(brain, self.cache, asked)

    def _limit(self, asked: ModelSettings, server: str) -> Limit:
        key = server, asked.model
        if key not in self.limits:
            self.limits[key] = self.limit(*key, asked.max_concurrency)
        return self.limits[key]

    async def check(self) -> None:
        """Raise UserError before the first call when a server cannot be used; a cache may need none."""
        for brain in self._brains if self.cache is None else ():
            await brain.check()

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


def limit_of(brain: object) -> Limit | None:
    """What bounds the calls of a brain of a layer; None for any other."""
    while isinstance(brain, Metered | Cached | Resumed):
        brain = brain.brain
    return brain.limiter if isinstance(brain, ChatBrain) else None


def described(model: BaseChatModel) -> ModelSettings:
    """The settings of a model object: its class and name, and all that it was given and that can be written down."""
    name: Any = getattr(model, "model_name", None) or getattr(model, "model", None) or "unnamed"
    given = {field: getattr(model, field) for field in sorted(model.model_fields_set) if field not in NOT_DECIDING}
    plain = {field: value for field, value in given.items() if _is_plain(value)}
    return of_object(f"langchain:{type(model).__name__}:{str(name).replace(' ', '-')}", plain)


NOT_DECIDING = ("cache", "callbacks", "metadata", "tags", "verbose", "max_retries", "request_timeout", "timeout_s")
"""Fields of LangChain models that do not change an answer."""


def _is_plain(value: Any) -> bool:
    """Whether it can stand in a journal; keys and clients cannot."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


__all__ = ["ChatBrain", "ModelLayer", "Named", "call_seed", "chat", "described"]
