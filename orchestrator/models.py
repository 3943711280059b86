"""Providers: the only module that talks to one.

`OpenAIChat` is a thin LangChain chat model over any OpenAI-compatible server; `ChatBrain` makes a Brain of it or of
any other LangChain chat model.
"""

import asyncio
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, DefaultAioHttpClient, OpenAIError
from pydantic import BaseModel, PrivateAttr, SecretStr

from orchestrator.brain import Ask, Message, Said
from orchestrator.errors import ModelError, UserError

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_S = 600.0
"""One call; reasoning models think for minutes."""


class OpenAIChat(BaseChatModel):
    """A chat model of an OpenAI-compatible server, asked by `AsyncOpenAI.post` over aiohttp.

    The typed client's request and response models cost more than the rest of a call, so both sides are plain dicts.
    """

    model: str
    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    """None sends a placeholder: local servers want a header, not a key."""
    timeout_s: float = TIMEOUT_S

    _client: AsyncOpenAI | None = PrivateAttr(default=None)
    _loop: asyncio.AbstractEventLoop | None = PrivateAttr(default=None)

    @property
    def _llm_type(self) -> str:
        return "openai-compatible"

    def client(self) -> AsyncOpenAI:
        """One client per event loop: its connections belong to the loop that opened them."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            key = self.api_key.get_secret_value() if self.api_key else "not-needed"
            self._loop = loop
            self._client = AsyncOpenAI(
                base_url=self.base_url, api_key=key, timeout=self.timeout_s, http_client=DefaultAioHttpClient()
            )
        return self._client

    async def aclose(self) -> None:
        if self._client is not None and self._loop is asyncio.get_running_loop():
            await self._client.close()
        self._client = None

    async def check(self) -> None:
        """Raise UserError when the server cannot be reached, refuses the key, or is no model server.

        Not every server lists its models, so any other status will do.
        """
        try:
            await self.client().with_options(max_retries=0, timeout=10).get("/models", cast_to=object)
        except APIStatusError as error:
            if error.status_code in (401, 403):
                raise UserError(f"{self.base_url} refuses the key: HTTP {error.status_code}") from None
        except APIConnectionError:
            raise UserError(f"cannot reach a model server at {self.base_url}; is it running?") from None
        except Exception as error:  # anything may be listening there
            what = type(error).__name__
            raise UserError(f"{self.base_url} does not answer as a model server does ({what})") from None

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        body: dict[str, Any] = {"model": self.model, "messages": [_wire(message) for message in messages], **kwargs}
        if stop:
            body["stop"] = stop
        answer = await self.client().post("/chat/completions", body=body, cast_to=object)
        return ChatResult(generations=[ChatGeneration(message=_heard(answer))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return asyncio.run(self._agenerate(messages, stop, None, **kwargs))


_WIRE_ROLES = {"system": "system", "human": "user", "ai": "assistant"}


def _wire(message: BaseMessage) -> dict[str, Any]:
    return {"role": _WIRE_ROLES[message.type], "content": message.content}


def _heard(answer: object) -> AIMessage:
    """The first choice of a chat completion. Raises ModelError when it is none."""
    choices = _of(answer, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _of(choice, "message")
    if not isinstance(message, dict):
        raise ModelError(f"the server's answer is no chat completion: {str(answer)[:80]!r}")
    thought = _of(message, "reasoning_content")
    counted = {key: _count(answer, *path) for key, path in _COUNTS.items()}
    return AIMessage(
        content=_text(_of(message, "content")),
        additional_kwargs={"reasoning_content": thought} if isinstance(thought, str) else {},
        response_metadata={
            "model_name": _named(answer, "model"),
            "finish_reason": _named(choice, "finish_reason"),
            "system_fingerprint": _named(answer, "system_fingerprint"),
        },
        usage_metadata={
            "input_tokens": counted["in"],
            "output_tokens": counted["out"],
            "total_tokens": counted["in"] + counted["out"],
            "input_token_details": {"cache_read": counted["cached"]},
            "output_token_details": {"reasoning": counted["reasoning"]},
        },
    )


_COUNTS = {
    "in": ("usage", "prompt_tokens"),
    "out": ("usage", "completion_tokens"),
    "cached": ("usage", "prompt_tokens_details", "cached_tokens"),
    "reasoning": ("usage", "completion_tokens_details", "reasoning_tokens"),
}


def _of(value: object, *path: str) -> object:
    """What lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: object, *path: str) -> int:
    found = _of(value, *path)
    return int(found) if isinstance(found, int | float) else 0


def _named(value: object, key: str) -> str | None:
    found = _of(value, key)
    return found if isinstance(found, str) else None


def _text(content: object) -> str:
    """A text, or the texts of a list of content parts."""
    if isinstance(content, list):
        return "".join(_text(_of(part, "text")) for part in content)
    return content if isinstance(content, str) else ""


@dataclass
class ChatBrain:
    """A LangChain chat model as a brain."""

    chat: BaseChatModel
    schema: bool = False
    """Whether to send the reply's JSON schema as `response_format`; the prompt states the format anyway."""

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
        began = time.perf_counter()
        told = [_langchain(message) for message in said]
        try:
            message = await self._asked(told, ask.reply)
        except ModelError as error:
            raise ModelError(f"node {ask.node!r}: {error}") from None
        except OpenAIError as error:
            raise ModelError(f"node {ask.node!r}: {_reason(error)}") from None
        except Exception as error:  # other providers raise errors of their own
            raise ModelError(f"node {ask.node!r}: the model failed: {type(error).__name__}: {error}") from error
        return _said(message, time.perf_counter() - began)

    async def _asked(self, told: list[BaseMessage], reply: type[BaseModel]) -> AIMessage:
        """With the schema, unless the server refuses that; then never again: the prompt states the format too."""
        if not self.schema:
            return await self.chat.ainvoke(told)
        try:
            return await self.chat.ainvoke(told, response_format=response_format(reply))
        except APIStatusError as error:
            if error.status_code not in (400, 422):
                raise
            message = await self.chat.ainvoke(told)
            self.schema = False
            return message

    async def aclose(self) -> None:
        if isinstance(self.chat, OpenAIChat):
            await self.chat.aclose()


def _reason(error: OpenAIError) -> str:
    if isinstance(error, APITimeoutError):
        return "the model server did not answer in time"
    if isinstance(error, APIStatusError):
        hint = "; is that the right model, and should the URL end in /v1?" if error.status_code == 404 else ""
        return f"the model server answered HTTP {error.status_code}{hint}"
    return f"the model server could not be reached ({type(error).__name__})"


def _langchain(message: Message) -> BaseMessage:
    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return kinds[message.role](content=message.content)


def _said(message: AIMessage, latency_s: float) -> Said:
    usage: Any = message.usage_metadata or {}
    meta = message.response_metadata
    return Said(
        text=message.text,
        tokens_in=usage.get("input_tokens", 0),
        tokens_out=usage.get("output_tokens", 0),
        cached_tokens=(usage.get("input_token_details") or {}).get("cache_read", 0),
        reasoning_tokens=(usage.get("output_token_details") or {}).get("reasoning", 0),
        finish=meta.get("finish_reason"),
        served_by=meta.get("model_name"),
        fingerprint=meta.get("system_fingerprint"),
        reasoning=message.additional_kwargs.get("reasoning_content"),
        latency_s=round(latency_s, 4),
    )


@cache
def response_format(reply: type[BaseModel]) -> dict[str, Any]:
    """The json_schema form that OpenAI, vLLM and llama.cpp constrain decoding by: references inlined, all required."""
    schema = reply.model_json_schema()
    plain = _strict(schema, schema.get("$defs", {}))
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": plain}}


_BOUNDS = {
    "title",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
}


def _strict(schema: Any, defs: dict[str, Any]) -> Any:
    """Servers choke on references, strict mode on bounds and on keys that may be left out: the reader checks those."""
    if isinstance(schema, list):
        return [_strict(item, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _strict(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "properties" in schema:
        properties = {key: _strict(value, defs) for key, value in schema["properties"].items()}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: _strict(value, defs) for key, value in schema.items() if key not in _BOUNDS}


_SPEC = re.compile(r"openai:(?P<model>[^@]+)(?:@(?P<url>https?://\S+))?")


def chat(spec: str) -> OpenAIChat:
    """The model of `openai:NAME` or `openai:NAME@URL`; raises UserError when it is neither or lacks its key.

    Keys: OPENAI_API_KEY for api.openai.com and nobody else; HANABI_API_KEY, if set, for a URL.
    """
    found = _SPEC.fullmatch(spec)
    if not found:
        raise UserError(f"unknown model {spec!r}; known: program, openai:NAME, openai:NAME@http://HOST:PORT/v1")
    variable = "HANABI_API_KEY" if found["url"] else "OPENAI_API_KEY"
    key = os.environ.get(variable)
    if not key and not found["url"]:
        raise UserError(f"{spec} needs a key: set {variable} in the environment or in .env")
    if key and not key.isascii():
        raise UserError(f"the key in {variable} has characters that no key has")
    url = _checked_url(found["url"]) if found["url"] else OPENAI_URL
    return OpenAIChat(model=found["model"], base_url=url, api_key=SecretStr(key) if key else None)


def _checked_url(url: str) -> str:
    """Raises UserError for what is no server's address, or holds a password: the URL is written to journals."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UserError(f"{url!r} is not a server's address; it reads like http://localhost:8000/v1") from None
    if parts.username or parts.password:
        raise UserError("a model's URL cannot hold a user or a password; set HANABI_API_KEY instead")
    if not usable:
        raise UserError(f"{url!r} is not a server's address; it reads like http://localhost:8000/v1")
    return url


def brain(model: str | BaseChatModel) -> ChatBrain:
    """A brain for a model string or for any LangChain chat model."""
    if isinstance(model, str):
        return ChatBrain(chat(model), schema=True)
    return ChatBrain(model, schema=isinstance(model, OpenAIChat))


async def check(brains: Sequence[ChatBrain]) -> None:
    """Raise UserError before the first call when a server cannot be used."""
    for asked in brains:
        if isinstance(asked.chat, OpenAIChat):
            await asked.chat.check()


__all__ = ["ChatBrain", "OpenAIChat", "brain", "chat", "check", "response_format"]
