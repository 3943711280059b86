"""Who may ask the page's server: pages of its own address, and nobody's frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
FRAMES = ("iframe", "frame", "fencedframe", "embed", "object")
MOST_BODY = 2**16
"""Bytes of a request's body."""


def policy(scripts: Sequence[str] = (), styles: str = "'self'") -> str:
    """Return a content security policy that lets a page load nothing from elsewhere; `scripts`:
    hashes of inline scripts."""
    return (
        f"default-src 'none'; script-src 'self' {' '.join(scripts)}; style-src {styles}; img-src "
        "'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


PLAIN = policy()


@dataclass(frozen=True)
class Guard:
    """Refuses requests that were not made by the page itself, and marks all answers as the page's
    alone."""

    app: ASGIApp
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("content-security-policy", PLAIN)
            await send(message)

        app = self.app
        if refusal := self.refused(scope, Headers(scope=scope)):
            app = JSONResponse({"error": refusal}, status_code=403)
        await app(scope, receive, marked)

    def refused(self, scope: Scope, headers: Headers) -> str | None:
        """Why a request is refused; None for one that may pass."""
        host = headers.get("host", "")
        if not self._own(host, scope):
            return (
                f"this server answers only to {self.hosts[0]} and {self.hosts[1]}, not to the "
                f"host {host[:80]!r}"
            )
        for origin in headers.getlist("origin"):
            if not (origin.startswith("http://") and self._own(origin[len("http://") :], scope)):
                return f"this server answers only to its own pages, not to those of {origin[:80]!r}"
        if headers.get("sec-fetch-dest") in FRAMES:
            return "this page does not let itself be framed"
        # same-site: another port
        elsewhere = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        if elsewhere and headers.get("sec-fetch-mode") != "navigate":
            return "this server answers only to its own pages"
        if int(headers.get("content-length") or 0) > MOST_BODY or "transfer-encoding" in headers:
            return f"a request may have {MOST_BODY} bytes, and says how many"
        return None

    def _own(self, host: str, scope: Scope) -> bool:
        name, _, port = host.partition(":")
        server_port = str((scope.get("server") or ("", 80))[1])
        return name in self.hosts and (port or "80") == server_port
