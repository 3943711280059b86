"""The HTTP client of model servers: it reads answers up to a limit, and sends no prompt on to another server."""

from http import HTTPStatus
from typing import Any

import httpx2
from openai import DefaultAioHttpClient

from orchestrator.models.faults import RedirectedError, TooLargeError

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

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        response = await self._sent(request, **options)
        try:
            content = await self._read(response)
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name != "content-encoding"]
        complete = httpx2.Response(
            response.status_code,
            headers=[*headers, ("content-length", str(len(content)))],
            content=content,
            request=response.request,
            extensions=response.extensions,
        )
        complete.default_encoding = response.default_encoding
        return complete

    async def _sent(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The response, not read yet."""
        options |= {"stream": True, "follow_redirects": False}
        for _ in range(REDIRECTS):
            response = await super().send(request, **options)
            onward = response.next_request
            if onward is None:
                return response
            await response.aclose()
            if not _same_server(request.url, onward.url):
                raise RedirectedError(_origin(onward.url))
            request = onward
        raise httpx2.TooManyRedirects(f"more than {REDIRECTS} redirects", request=request)

    async def _read(self, response: httpx2.Response) -> bytes:
        parts, size = list[bytes](), 0
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > self._most:
                if response.status_code >= HTTPStatus.BAD_REQUEST:
                    break
                raise TooLargeError(self._most)
        return b"".join(parts)[: self._most]


def _same_server(origin: httpx2.URL, target: httpx2.URL) -> bool:
    """Whether it is the same host and port, or the same host with TLS."""
    if origin.host != target.host:
        return False
    return _place(origin) == _place(target) or (_place(origin), _place(target)) == (("http", 80), ("https", 443))


def _place(url: httpx2.URL) -> tuple[str, int | None]:
    return url.scheme, url.port or PORTS.get(url.scheme)


def _origin(url: httpx2.URL) -> str:
    """Where an address leads, without a path or a query, which may hold a key."""
    return f"{url.scheme}://{url.host}" + (f":{url.port}" if url.port else "")
