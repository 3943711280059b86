"""The model layer: the one place through which every request goes.

`ModelLayer` makes the brains of a run. A brain of a model is a chain, each link of which is a Brain: what a recording
or the cache has already answered is not asked; what the budget has no room for is not asked; the rest is asked with as
many calls at a time as the model bears, and asked again while the server is at fault.
"""

import asyncio
import hashlib
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import SecretStr

from orchestrator import faults
from orchestrator.brain import Ask, Attempt, Brain, Message, Said
from orchestrator.budget import Budget, Metered
from orchestrator.cache import Cache, Cached
from orchestrator.chat import OpenAIChat
from orchestrator.errors import ModelError, UserError
from orchestrator.faults import Fault
from orchestrator.limiter import Limiter
from orchestrator.recording import Recording, Replay
from orchestrator.schema import response_format
from orchestrator.settings import OPENAI_URL, ModelSettings, settings

log = structlog.get_logger()

Named = str | Mapping[str, Any] | ModelSettings
"""A model by its string, or with settings."""

LONGEST_WAIT_S = 60.0
"""Between two tries, unless the server says another time."""
WORTH_SAYING_S = 5.0
"""A wait of which a user hears without asking for logs."""


@dataclass
class ChatBrain:
    """A LangChain chat model as a brain: asked within its limits, again while its server is at fault."""

    chat: BaseChatModel
    settings: ModelSettings
    limiter: Limiter
    form: bool = True
    """Whether to send `response_format`; given up when a server refuses a request with it and answers one without."""

    def __post_init__(self) -> None:
        """Other LangChain models have ways of their own to be given a schema; the prompt has to do."""
        self.form &= isinstance(self.chat, OpenAIChat) and self.settings.response_format != "none"

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
        """Raises ModelError when no answer came, whatever was tried."""
        began = time.monotonic()
        told = [_langchain(message) for message in said]
        tries: list[Attempt] = []
        formed = self.form
        while True:
            found, latency_s = await self._tried(ask, told, formed)
            if isinstance(found, AIMessage):
                self.form &= formed or not any(attempt.status in faults.FORM for attempt in tries)
                tries.append(Attempt(latency_s=latency_s))
                return self._said(found, tries, time.monotonic() - began)
            if found.status in faults.FORM and formed and not found.filtered:
                formed, found = False, replace(found, heals=True, retry_after_s=0.0)
            wait = self._wait(found, tries)
            failed = Attempt(error=found.sentence, status=found.status, waited_s=wait or 0, latency_s=latency_s)
            tries.append(failed)
            if found.filtered:
                return Said(text="", finish="content_filter", attempts=tuple(tries))
            _tell(failed, len(tries))
            if wait is None:
                raise self._given_up(ask, found, tries)
            await asyncio.sleep(wait)

    async def _tried(self, ask: Ask, told: list[BaseMessage], formed: bool) -> tuple[AIMessage | Fault, float]:
        """One try within the model's limit, and the seconds that it took."""
        async with self.limiter as began:
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    found: AIMessage | Fault = await self.chat.ainvoke(told, **self._sampling(ask, formed))
            except Exception as error:  # every provider raises errors of its own
                found = faults.of(error, self._secret)
            latency_s = round(time.monotonic() - began, 4)
        if isinstance(found, AIMessage):
            self.limiter.answered()
        elif found.crowded:
            self.limiter.crowded(began)
        return found, latency_s

    @property
    def _secret(self) -> str | None:
        key = getattr(self.chat, "api_key", None) or getattr(self.chat, "openai_api_key", None)
        return key.get_secret_value() if isinstance(key, SecretStr) else None

    def _sampling(self, ask: Ask, formed: bool) -> dict[str, Any]:
        """What is sent besides the messages: what is set, and nothing else."""
        sent: dict[str, Any] = {}
        if formed:
            json_object = self.settings.response_format == "json_object"
            sent["response_format"] = {"type": "json_object"} if json_object else response_format(ask.reply)
        if self.settings.seed is not None:
            sent["seed"] = call_seed(self.settings.seed, ask)
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

    def _wait(self, fault: Fault, tries: list[Attempt]) -> float | None:
        """Seconds until the next try; None when there is none."""
        if not fault.heals or len(tries) + 1 >= self.settings.attempts:
            return None
        longest = min(self.settings.backoff_s * 2 ** len(tries), LONGEST_WAIT_S)
        wait = random.uniform(longest / 2, longest) if fault.retry_after_s is None else fault.retry_after_s
        waited = sum(attempt.waited_s for attempt in tries)
        return round(wait, 4) if waited + wait <= self.settings.patience_s else None

    def _given_up(self, ask: Ask, fault: Fault, tries: list[Attempt]) -> ModelError:
        sentence = f"node {ask.node!r}: the model server {fault.sentence}"
        if fault.heals:
            waited = sum(attempt.waited_s for attempt in tries)
            sentence += f"; given up after {_times(len(tries))} and {waited:.1f} s of waiting"
            if fault.retry_after_s is not None and fault.retry_after_s > self.settings.patience_s - waited:
                sentence += f" (it wants {fault.retry_after_s:.0f} s more)"
        return ModelError(sentence, tuple(tries), final=not fault.heals)

    def _said(self, message: AIMessage, tries: list[Attempt], latency_s: float) -> Said:
        usage: Any = message.usage_metadata or {}
        meta = message.response_metadata
        tokens_in, tokens_out = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
        price = self.settings.price

        def safe(text: Any) -> Any:
            """Some proxies echo a request's headers: the key must not come back in."""
            return text.replace(self._secret, "***") if self._secret and isinstance(text, str) else text

        return Said(
            text=safe(message.text),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cached_tokens=cached,
            reasoning_tokens=(usage.get("output_token_details") or {}).get("reasoning") or 0,
            finish=safe(meta.get("finish_reason") or meta.get("stop_reason")),
            served_by=safe(meta.get("model_name")),
            fingerprint=safe(meta.get("system_fingerprint")),
            reasoning=safe(message.additional_kwargs.get("reasoning_content")),
            attempts=tuple(tries),
            usd=round(price.of(tokens_in, tokens_out, cached), 8) if price else None,
            latency_s=round(latency_s, 4),
        )

    async def check(self) -> None:
        """Raise UserError before the first call when the server cannot be used."""
        if isinstance(self.chat, OpenAIChat):
            await self.chat.check()

    async def aclose(self) -> None:
        if isinstance(self.chat, OpenAIChat):
            await self.chat.aclose()


def _tell(failed: Attempt, number: int) -> None:
    """Long waits are for everybody to hear, short ones for who asked for logs."""
    tell = log.warning if failed.waited_s >= WORTH_SAYING_S else log.info
    tell("the model server is at fault", fault=failed.error, attempt=number, waits_s=round(failed.waited_s, 1))


def _times(tries: int) -> str:
    return "one try" if tries == 1 else f"{tries} tries"


def call_seed(base: int, ask: Ask) -> int:
    """The seed of one call: a one-way hash of where in which game it is made; 31 bits, as servers take them."""
    place = ask.place
    plain = f"{base}|{place.game}|{place.repeat}|{place.seat}|{place.turn}|{ask.node}|{ask.sample}|{ask.number}"
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
    _limiters: dict[tuple[str, str], Limiter] = field(default_factory=dict)

    def brain(self, model: Named | BaseChatModel) -> Brain:
        """The brain of a model. Raises UserError when it cannot be used."""
        if self.replay is not None:
            return Replay(self.replay)
        if isinstance(model, BaseChatModel):
            asked = _settings_of(model)
            made = ChatBrain(model, asked, Limiter(asked.max_concurrency))
        else:
            asked = settings(model)
            made = ChatBrain(chat(asked), asked, self._limiter(asked))
        self._brains.append(made)
        return self._shared(made, asked)

    def _shared(self, brain: Brain, asked: ModelSettings) -> Brain:
        if self.budget is not None:
            self.budget.check(asked)
            brain = Metered(brain, self.budget, asked)
        return brain if self.cache is None else Cached(brain, self.cache, asked)

    def _limiter(self, asked: ModelSettings) -> Limiter:
        """One for every model of a server, however it is sampled."""
        return self._limiters.setdefault((asked.url, asked.model), Limiter(asked.max_concurrency))

    async def check(self) -> None:
        """Raise UserError before the first call when a server cannot be used."""
        for brain in self._brains:
            await brain.check()

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


def _settings_of(model: BaseChatModel) -> ModelSettings:
    """What is known of a model object: its class and name, which stand in the cache's key."""
    name: Any = getattr(model, "model_name", None) or getattr(model, "model", None) or "unnamed"
    sampling = {key: getattr(model, key, None) for key in ("temperature", "top_p", "max_tokens")}
    given = {key: value for key, value in sampling.items() if isinstance(value, int | float)}
    return ModelSettings(model=f"langchain:{type(model).__name__}:{str(name).replace(' ', '-')}", **given)


__all__ = ["ChatBrain", "ModelLayer", "Named", "call_seed", "chat"]
