"""A thin LangChain chat model over any OpenAI-compatible server: the only module that speaks HTTP to a model."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr, SecretStr

from orchestrator.errors import UserError
from orchestrator.models import faults
from orchestrator.models.faults import NotACompletion
from orchestrator.models.settings import OPENAI_URL


class RefusedRequest(Exception):  # noqa: N818  # what it is
    """The server answered with an HTTP status that is no success."""

    def __init__(self, status: int, headers: Mapping[str, str], body: object) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status
        self.headers = headers
        self.body = body


class OpenAIChat(BaseChatModel):
    """A chat model of an OpenAI-compatible server, asked over aiohttp.

    What is sent and what comes back are plain dicts: a client library's models of them cost more than the rest of a
    call, and bounding, retrying and classifying faults is done above.
    """

    model: str
    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    """None sends a placeholder: local servers want a header, not a key."""
    timeout_s: float = 600

    _session: ClientSession | None = PrivateAttr(default=None)
    _loop: asyncio.AbstractEventLoop | None = PrivateAttr(default=None)

    @property
    def _llm_type(self) -> str:
        return "openai-compatible"

    def session(self) -> ClientSession:
        """One session per event loop: its connections belong to the loop that opened them."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            key = self.api_key.get_secret_value() if self.api_key else "not-needed"
            self._loop = loop
            self._session = ClientSession(
                headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
                connector=TCPConnector(limit=0, keepalive_timeout=60),  # calls are bounded above
                timeout=ClientTimeout(total=self.timeout_s, sock_connect=CONNECT_S),
                trust_env=True,
            )
        return self._session

    async def aclose(self) -> None:
        if self._session is not None and self._loop is asyncio.get_running_loop():
            await self._session.close()
        self._session = None

    async def check(self) -> None:
        """Raise UserError when the server cannot be reached, refuses the key, or is no model server.

        Not every server lists its models, so any other status will do.
        """
        try:
            await self._asked("get", "/models", timeout=ClientTimeout(total=CONNECT_S))
        except RefusedRequest as error:
            if error.status_code in (401, 403):
                raise UserError(f"{self.base_url} refuses the key: HTTP {error.status_code}") from None
        except (ClientError, OSError, TimeoutError) as error:
            raise UserError(f"cannot reach a model server at {self.base_url}: {_unreachable(error)}") from None
        except NotACompletion:
            raise UserError(f"{self.base_url} does not answer as a model server does, but with a page") from None

    async def _asked(self, method: str, path: str, **more: Any) -> object:
        """The JSON of an answer. Raises RefusedRequest, Garbled, and what aiohttp raises."""
        url = self.base_url.rstrip("/") + path
        async with self.session().request(method, url, **more) as answer:
            data = await answer.read()
            if answer.status >= 400:
                raise RefusedRequest(answer.status, answer.headers, _json(data))
        said = _json(data)
        if not isinstance(said, dict | list):  # half an answer, a page, or something else that is called JSON
            raise NotACompletion("it sent no JSON")
        return said

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
        answer = await self._asked("post", "/chat/completions", data=json.dumps(body))
        return ChatResult(generations=[ChatGeneration(message=parse_completion(answer))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return asyncio.run(self._agenerate(messages, stop, None, **kwargs))


CONNECT_S = 10.0
"""Seconds for a connection, and for a first look at a server."""


def _json(data: bytes) -> object:
    """None for what is no JSON."""
    try:
        return json.loads(data)
    except ValueError:
        return None


def _unreachable(error: BaseException) -> str:
    """Why no connection came about."""
    kinds = faults.kinds(error)
    reasons = {
        "DNS|gaierror": "its host is unknown",
        "SSL|Certificate": "TLS fails; is it http:// rather than https://?",
        "Refused": "nothing listens there; is it running?",
        "Disconnect|Reset|Payload": "it hangs up; is it a model server, and is it https:// rather than http://?",
        "Timeout": "it is silent",
    }
    return next((said for names, said in reasons.items() if re.search(names, kinds)), "is it running?")


_WIRE_ROLES = {"system": "system", "human": "user", "ai": "assistant"}


def _wire(message: BaseMessage) -> dict[str, Any]:
    return {"role": _WIRE_ROLES[message.type], "content": message.content}


def parse_completion(answer: object) -> AIMessage:
    """The first choice of a chat completion. Raises Garbled when it is none."""
    choices = _of(answer, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _of(choice, "message")
    if not isinstance(message, dict):
        raise NotACompletion(f"it sent {str(answer)[:2000]!r}")  # shortened when keys are blotted out
    thought = _of(message, "reasoning_content") or _of(message, "reasoning")
    counted = {key: _count(answer, *path) for key, path in _COUNTS.items()}
    # some servers leave reasoning tokens out of the completion's; the total has them
    counted["out"] = max(counted["out"], counted["total"] - counted["in"])
    return AIMessage(
        content=_text(_of(message, "content")) or _text(_of(message, "refusal")),
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
    "total": ("usage", "total_tokens"),
    "cached": ("usage", "prompt_tokens_details", "cached_tokens"),
    "reasoning": ("usage", "completion_tokens_details", "reasoning_tokens"),
}


def _of(value: object, *path: str) -> object:
    """What lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: object, *path: str) -> int:
    """A count; 0 for what is none."""
    found = _of(value, *path)
    return int(found) if isinstance(found, int | float) and 0 <= found < 1e12 else 0


def _named(value: object, key: str) -> str | None:
    found = _of(value, key)
    return found if isinstance(found, str) else None


def _text(content: object) -> str:
    """A text, or the texts of a list of content parts."""
    if isinstance(content, list):
        return "".join(_text(_of(part, "text")) for part in content)
    return content if isinstance(content, str) else ""
