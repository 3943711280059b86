"""How a model is named in one string, such as `openai:NAME@URL`, and what was meant by another."""

import re
from urllib.parse import urlsplit

from hanabi_orchestrator.orchestrator.errors import similar_name
from hanabi_orchestrator.orchestrator.models import simulated_settings

PROGRAM = "program"
"""Stands for a model where the role's own exact program answers."""

FORMS = (
    "openai:NAME, openai:NAME@http://HOST:PORT/v1, azure:DEPLOYMENT, langchain:PROVIDER:NAME, "
    + simulated_settings.NAMES
)

OPENAI = re.compile(r"openai:(?:(?P<there>\S+)@(?P<url>(?i:https?)://\S+)|(?P<name>@?[^@\s]+))")
AZURE = re.compile(r"azure:(?P<name>[\w.-]+)")
LANGCHAIN = re.compile(r"langchain:(?P<provider>[\w-]+):(?P<name>\S+)")


def meant(model: str) -> str | None:
    """Return what a model without a provider, or with another way to name one, probably stands for."""
    provider, slash, name = model.partition("/")
    if slash and provider in ("openai", "azure"):
        return f"{provider}:{name}"
    if near := similar_name(model, (PROGRAM, *simulated_settings.NAMES.split(", "))):
        return near
    maker = next(
        (langchain for start, langchain in MAKERS.items() if model.startswith(start)), None
    )
    written = f"langchain:{maker}:{model}" if maker else f"openai:{model}"
    return written if named(written) and ":" not in model else None


MAKERS = {"claude": "anthropic", "gemini": "google_genai", "mistral": "mistralai"}
"""How names of models begin that LangChain's providers serve, and the provider."""


def named(model: str) -> re.Match[str] | None:
    return OPENAI.fullmatch(model) or AZURE.fullmatch(model) or LANGCHAIN.fullmatch(model)


def check_url(url: str) -> None:
    """Raises ValueError for what is no server's address, or holds a password: the URL is written to journals."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
        parts = urlsplit("")
    if parts.username or parts.password:
        raise ValueError(
            "a model's URL cannot hold a user or a password; set HANABI_API_KEY instead"
        )
    if parts.query:
        raise ValueError(
            "a model's URL cannot hold a query; in a models file, `query: {api-version: VALUE}` sends one, and "
            "`headers:` sends headers"
        )
    if not usable:
        raise ValueError(
            f"{url!r} is not a server's address; it reads like http://localhost:8000/v1"
        )
