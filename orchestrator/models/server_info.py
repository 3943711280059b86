"""What a model server says about itself: the models it serves, and how many tokens they take."""

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.values import Frozen

CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx", "loaded_context_length")
"""The names under which servers give the length of the context, in the order in which they are believed."""


class ServerInfo(Frozen):
    models: tuple[str, ...] = ()
    """The names of its models; empty where it does not list them."""
    context: int | None = None
    """Tokens of prompt and answer together; None where it does not say."""
    slots: int | None = None
    """Calls that it answers at the same time; None where it does not say."""


def parse(name: str, listing: object, props: object = None) -> ServerInfo:
    """From the answers to GET /models and to llama.cpp's GET /props, given as plain data; both may be anything.

    `name`: the model whose context is meant, where several are listed.
    """
    entries = list(_entries(listing))
    ids = tuple(entry["id"] for entry in entries)
    mine = [entry for entry in entries if entry["id"] == name] or (entries if len(entries) == 1 else [])
    served = _mapping(props)
    settings = _mapping(served.get("default_generation_settings"))
    lengths = [_length(settings), *(_length(place) for entry in mine for place in (entry, _mapping(entry.get("meta"))))]
    return ServerInfo(models=ids, context=next(filter(None, lengths), None), slots=_count(served.get("total_slots")))


def is_llama_cpp(listing: object) -> bool:
    """Return whether an answer to GET /models is one of llama.cpp, which alone describes its models so."""
    return any("meta" in entry for entry in _entries(listing))


def _entries(listing: object) -> Iterator[Mapping[str, Any]]:
    data = _mapping(listing).get("data")
    for entry in data if isinstance(data, list) else []:
        if isinstance(_mapping(entry).get("id"), str):
            yield entry


def _length(place: Mapping[str, Any]) -> int | None:
    return next(filter(None, (_count(place.get(name)) for name in CONTEXT)), None)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
