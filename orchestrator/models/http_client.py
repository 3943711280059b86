"""The HTTP client of model servers: it reads answers up to a limit, and sends no prompt on to another server."""

from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any

from openai import VERSION, DefaultAioHttpClient

from hanabi_orchestrator.orchestrator.models.faults import RedirectedError, TooLargeError

if TYPE_CHECKING:
    import httpx2 as httpx
else:  # the one that this version of openai is built on; both may be installed
    httpx = import_module("httpx" if VERSION.startswith("2.") else "httpx2")

__all__ = ["BoundedClient", "httpx"]

REDIRECTS = 5
"""The most redirects within one server that a request follows."""
PORTS = {"http": 80, "https": 443}


class BoundedClient(DefaultAioHttpClient):
    """A client that raises TooLargeError and RedirectedError; of an answer with an error status it reads the beginning.

    `most`: bytes of one answer, after decompression. Headers and time are bounded by aiohttp and by the caller.
    """

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(**options)
        self._most = most

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        response = await self._sent(request, **options)
        content = bytearray()
        try:
            async for part in response.aiter_bytes():
                content += part
                if len(content) > self._most:
                    if response.status_code < HTTPStatus.BAD_REQUEST:
                        raise TooLargeError(self._most)
                    break
        finally:
            await response.aclose()
        del content[self._most :]
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name != "content-encoding"
        ]
        complete = httpx.Response(
            response.status_code,
            headers=[*headers, ("content-length", str(len(content)))],
            content=bytes(content),
            request=response.request,
            extensions=response.extensions,
        )
        complete.default_encoding = response.default_encoding
        return complete

    async def _sent(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Return the response, not read yet."""
        options |= {"stream": True, "follow_redirects": False}
        for _ in range(REDIRECTS):
            response = await super().send(request, **options)
            onward = response.next_request
            if onward is None:
                return response
            await response.aclose()
            origin, target = (
                (url.host, url.scheme, url.port or PORTS.get(url.scheme))
                for url in (request.url, onward.url)
            )
            with_tls = (origin[1:], target[1:]) == (("http", 80), ("https", 443))
            if origin[0] != target[0] or (origin != target and not with_tls):
                port = f":{onward.url.port}" if onward.url.port else ""
                raise RedirectedError(
                    f"{onward.url.scheme}://{onward.url.host}{port}"
                )  # a path may hold a key
            request = onward
        raise httpx.TooManyRedirects(f"more than {REDIRECTS} redirects", request=request)
