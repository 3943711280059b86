"""The way to a server: the proxies and certificates that the environment names."""

import os
import ssl
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables that name certificates in place of the packaged ones."""


def is_local(url: str) -> bool:
    """Return whether a server is on this machine, so that no proxy is asked for it."""
    name = keys.host(url)
    return name is not None and keys.is_loopback(name)


def proxy_hint(url: str) -> str:
    """Return a clause about the proxy that requests to a server go through, to end a sentence about a failure; empty
    where they go through none."""
    parts = urlsplit(url)
    name = parts.hostname or ""
    proxies = getproxies_environment()
    scheme = next((scheme for scheme in (parts.scheme, "all") if proxies.get(scheme)), None)
    if scheme is None or is_local(url) or proxy_bypass(name):
        return ""
    variable = next(
        name for name in (f"{scheme}_proxy", f"{scheme.upper()}_PROXY") if os.environ.get(name)
    )
    proxy = urlsplit(proxies[scheme] if "://" in proxies[scheme] else f"//{proxies[scheme]}")
    port = f":{proxy.port}" if proxy.port else ""  # a user and a password stay unsaid
    return (
        f"; requests go through the proxy {proxy.hostname}{port} that {variable} names: is it right? "
        f"NO_PROXY={name} goes without it"
    )


@lru_cache(maxsize=4)
def _loaded(
    load: Callable[..., ssl.SSLContext], named: tuple[str | None, ...], trust_env: bool
) -> ssl.SSLContext:
    """Loading the certificates takes a tenth of a second."""
    return load(trust_env=trust_env)


def certificates(url: str, load: Callable[..., ssl.SSLContext]) -> ssl.SSLContext:
    """Return the certificates for a server; without TLS it does not matter what the environment names.

    Raises UserError where it names some that cannot be read.
    """
    named = tuple(os.environ.get(variable) for variable in CERTIFICATES)
    try:
        return _loaded(load, named, True)
    except (OSError, ssl.SSLError):
        variable = next(
            (name for name, path in zip(CERTIFICATES, named, strict=True) if path), None
        )
        if variable is None:
            raise
        if urlsplit(url).scheme.lower() == "http":
            return _loaded(load, named, False)
        raise UserError(
            f"{variable} is {os.environ[variable]!r}, from which no certificates can be read: correct it, or unset it"
        ) from None
