"""What a model server says about itself: the models it serves, and how many tokens they take."""

from typing import Any

from hanabi_orchestrator.orchestrator.models.completion import at, count, string
from hanabi_orchestrator.orchestrator.values import Frozen

CONTEXT = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx",
    "loaded_context_length",
)
"""The names under which servers give the length of the context, in the order in which they are believed."""


class ServerInfo(Frozen):
    models: tuple[str, ...] = ()
    """The names of its models; empty where it does not list them."""
    context: int | None = None
    """Tokens of prompt and answer together; None where it does not say."""
    slots: int | None = None
    """Calls that it answers at the same time; None where it does not say."""


def parse(name: str, listing: object, props: object = None) -> ServerInfo:
    """Return what an answer to GET /models says about a model, and llama.cpp's to GET /props, given as plain data."""
    entries = _entries(listing)
    mine = [entry for entry in entries if entry["id"] == name] or (
        entries if len(entries) == 1 else []
    )
    places = [
        at(props, "default_generation_settings"),
        *(place for entry in mine for place in (entry, entry.get("meta"))),
    ]
    lengths = (count(place, key) for place in places for key in CONTEXT)
    return ServerInfo(
        models=tuple(entry["id"] for entry in entries),
        context=next(filter(None, lengths), None),
        slots=count(props, "total_slots") or None,
    )


def is_llama_cpp(listing: object) -> bool:
    """Return whether an answer to GET /models is one of llama.cpp, which alone describes its models so."""
    return any("meta" in entry for entry in _entries(listing))


def _entries(listing: object) -> list[dict[str, Any]]:
    data = at(listing, "data")
    return [
        entry
        for entry in (data if isinstance(data, list) else [])
        if string(at(entry, "id")) is not None
    ]
