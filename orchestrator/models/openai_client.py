"""Models of OpenAI-compatible servers and of Azure, through the `openai` package, which no other client imports.

The client brings authentication, proxies, typed errors and Azure's addresses. It is given a body that is JSON already
and asked for the plain HTTP response, so that it builds no model of either; it does not retry.
"""

import asyncio
import json
import re
from collections.abc import Awaitable
from typing import Any

from openai import APIConnectionError, APIStatusError, AsyncAzureOpenAI, AsyncOpenAI

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import faults, network, server_error, server_info
from hanabi_orchestrator.orchestrator.models.completion import APIS, decoded
from hanabi_orchestrator.orchestrator.models.faults import (
    NotACompletion,
    RedirectedError,
    TooLargeError,
)
from hanabi_orchestrator.orchestrator.models.http_client import BoundedClient, httpx
from hanabi_orchestrator.orchestrator.models.request import ModelResponse
from hanabi_orchestrator.orchestrator.models.server_info import ServerInfo
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest

CONNECT_S = 10.0
"""Seconds for a connection, and for the check of a server."""
KEEPALIVE_S = 60.0
"""Seconds that an unused connection stays open."""
NO_KEY = "not-needed"
"""Sent where there is no key: local servers want a header, not a key. Without one the client would look for keys."""


class OpenAITransport:
    """The chat completions of one model, or its responses. Raises UserError when a key or an address is missing."""

    takes_response_format = True

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.secrets = settings.secrets
        self.info = ServerInfo()
        self._api = APIS[settings.api]
        self._fixed = self._api.fixed(settings)
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.model!r})"

    def client(self) -> AsyncOpenAI:
        """Return one client per event loop: its connections belong to the loop that opened them."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = _client(self.settings)
            self._loop = loop
        return self._client

    async def send(self, request: CompletionRequest, /) -> ModelResponse:
        content = json.dumps(self._api.body(request, self._fixed)).encode()
        return self._api.parse(
            await _json(self.client().post(self._api.path, cast_to=httpx.Response, content=content))
        )

    async def check(self) -> None:
        """Raise UserError when the server cannot be reached, refuses the key, or is no model server.

        Not every server lists its models, so any other HTTP status will do.
        """
        url = self.settings.url
        try:
            async with asyncio.timeout(CONNECT_S):
                listing = await _json(self.client().get("/models", cast_to=httpx.Response))
        except APIStatusError as error:
            if error.status_code in (401, 403):
                raise UserError(f"{url} {faults.classify(error, self.secrets).sentence}") from None
            if error.status_code in faults.GATEWAYS and (hint := network.proxy_hint(url)):
                raise UserError(
                    f"cannot reach a model server at {url}: HTTP {error.status_code}{hint}"
                ) from None
        except UserError:
            raise
        except (APIConnectionError, OSError) as error:
            raise UserError(
                f"cannot reach a model server at {url}: {_unreachable(error, url)}"
            ) from None
        except NotACompletion:
            raise UserError(
                f"{url} does not answer as a model server does, but with a page"
            ) from None
        except Exception as error:  # what aiohttp and the bounds of the client raise
            raise UserError(
                f"the model server at {url} {faults.classify(error, self.secrets).sentence}"
            ) from None
        else:
            if (wrong := server_error.of_answer(listing)) and not url.endswith("/v1"):
                fault = faults.classify(faults.AnsweredError(wrong), self.secrets)
                raise UserError(f"the model server at {url} {fault.sentence}; try {url}/v1")
            self.info = server_info.parse(self.settings.name, listing, await self._props(listing))

    async def _props(self, listing: object) -> object:
        """Ask llama.cpp how much of the context that it lists one request may have; None from other servers."""
        if not server_info.is_llama_cpp(listing):
            return None
        url = f"{self.settings.url.removesuffix('/v1')}/props"
        try:
            async with asyncio.timeout(CONNECT_S):
                return await _json(self.client().get(url, cast_to=httpx.Response))
        except Exception:  # whatever it is, the context stays unknown
            return None

    @property
    def context_length(self) -> int | None:
        """Tokens of prompt and answer together, once `check` has asked; None where the server does not say."""
        return self.info.context

    async def describe(self) -> ServerInfo:
        """Return what the server says about itself, as far as it does. Raises UserError as `check` does."""
        await self.check()
        return self.info

    async def aclose(self) -> None:
        client = self._client
        self._client = None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()


def _client(settings: ModelSettings) -> AsyncOpenAI:
    """Return a client whose connections are bounded, timed and retried by its caller."""
    common: dict[str, Any] = {
        "max_retries": 0,
        "default_query": settings.sent(settings.query),
        "timeout": httpx.Timeout(None, connect=CONNECT_S),
        "http_client": BoundedClient(
            most=settings.max_answer_bytes,
            verify=network.certificates(settings.url, httpx.create_ssl_context),
            trust_env=not network.is_local(settings.url),
            limits=httpx.Limits(max_connections=0, keepalive_expiry=KEEPALIVE_S),
        ),
    }
    if settings.azure:
        client: AsyncOpenAI = AsyncAzureOpenAI(
            azure_endpoint=settings.url,
            azure_deployment=settings.name,
            api_key=settings.secret
            if settings.key
            else None,  # else the client takes its own from the environment
            **common,
        )
    else:
        client = AsyncOpenAI(base_url=settings.url, api_key=settings.secret or NO_KEY, **common)
    if not settings.home:
        client.organization = client.project = (
            None  # of an account at OpenAI, no other server's business
        )
    # in place of OPENAI_CUSTOM_HEADERS, which may hold a key, and would go to every server
    client._custom_headers = settings.sent(settings.headers)
    return client


async def _json(response: Awaitable[httpx.Response]) -> object:
    """Return the JSON of a response.

    Raises NotACompletion as `decoded` does.
    """
    try:
        received = await response
    except APIConnectionError as error:
        if isinstance(error.__cause__, TooLargeError | RedirectedError):
            raise error.__cause__ from None  # openai 2 wraps whatever its HTTP client raises
        raise
    return decoded(received.content, received.headers.get("content-type", ""))


def _unreachable(error: BaseException, url: str) -> str:
    """Return why no connection came about."""
    kinds = faults.kinds(error)
    reasons = {
        "DNS|gaierror": "its host is unknown",
        "SSL|Certificate": "TLS fails; is it http:// rather than https://?",
        "Refused": "nothing listens there; is it running?",
        "Disconnect|Reset|Payload": "it hangs up; is it a model server, and is it https:// rather than http://?",
        "Timeout": "it is silent",
    }
    reason = next(
        (reason for names, reason in reasons.items() if re.search(names, kinds)), "is it running?"
    )
    proxy = network.proxy_hint(url)
    return f"no connection came about{proxy}" if proxy and "Proxy" in kinds else f"{reason}{proxy}"
