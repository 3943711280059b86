"""Who can sit at a table, by a word: a partner, a Python object, or a graph."""

from importlib import import_module

import graphs
from orchestrator import partners
from orchestrator.errors import UserError
from orchestrator.models import ModelLayer
from orchestrator.partners.base import PREFIX
from orchestrator.seat import Seat

PYTHON = "python:"


def read(spec: str, *, model: graphs.Model = "program", layer: ModelLayer | None = None) -> Seat:
    """The seat of `partner:NAME`, `python:module:object`, or a graph's name or YAML file. Raises UserError."""
    if spec.startswith(PREFIX):
        return partners.get(spec.removeprefix(PREFIX))
    if spec.startswith(PYTHON):
        return _python(spec)
    return graphs.seat(spec, model, layer=layer)


def _python(spec: str) -> Seat:
    module, _, name = spec.removeprefix(PYTHON).partition(":")
    try:
        found: Seat = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(f"seat {spec!r}: {error}; it is python:module:object") from None
    return found
