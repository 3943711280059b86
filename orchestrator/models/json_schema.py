"""JSON schemas of reply types, by which servers constrain what a model writes."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from orchestrator.models.request import Constraint, ModelRequest
from orchestrator.models.settings import ModelSettings
from orchestrator.replies.reply import BEGINS, OPTION, Reply


class Constrained(NamedTuple):
    """A way to constrain an answer: its name, and the `response_format` that asks for it."""

    name: Constraint
    response_format: dict[str, Any]


@cache
def response_format(reply: type[Reply]) -> dict[str, Any]:
    """The `response_format` of OpenAI, vLLM and llama.cpp: a strict schema, references inlined, all keys required.

    It has no bounds of numbers, and names no legal moves.
    """
    return _format(reply, (), bounds=False)


def constraints(request: ModelRequest, settings: ModelSettings) -> tuple[Constrained, ...]:
    """The ways to constrain the answer to a request, the strictest first; none where none is asked for.

    A server that refuses one may take the next.
    """
    if request.form == "text" or settings.response_format == "none":
        return ()
    if settings.response_format == "json_object":
        return (Constrained("json_object", {"type": "json_object"}),)
    if request.form != "json_schema":
        return ()
    listed = tuple(str(move) for move in request.moves.values()) if settings.enumerates_moves else ()
    return _schemas(request.reply, listed, settings.bounds_values)


@lru_cache(maxsize=512)  # the nodes and samples of a turn ask with the same moves
def _schemas(reply: type[Reply], moves: tuple[str, ...], bounds: bool) -> tuple[Constrained, ...]:
    plain = Constrained("schema", response_format(reply))
    bounded = Constrained("bounds", _format(reply, (), bounds))
    full = Constrained("moves", _format(reply, moves, bounds))
    if full.response_format != bounded.response_format:
        return full, plain
    return (bounded, plain) if bounded.response_format != plain.response_format else (plain,)


def _format(reply: type[Reply], moves: Sequence[str], bounds: bool) -> dict[str, Any]:
    schema = reply.model_json_schema()
    strict = _Strict(schema.get("$defs", {}), bounds).of(schema, tuple(moves))
    strict["properties"] = {name: strict["properties"][name] for name in reply.asked()}
    strict["required"] = list(strict["properties"])
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": strict}}


_LEFT_OUT = {"title", "default", "minLength", "maxLength"}
"""Keys that strict mode does not take, beside ours, which begin with `x-`; the reader checks what they say."""
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}


class _Strict(NamedTuple):
    """Makes a schema strict: servers choke on references, strict mode on keys that may be left out."""

    defs: dict[str, Any]
    bounds: bool

    def of(self, schema: Any, moves: tuple[str, ...]) -> Any:
        """The schema, with `moves` as the only values of fields that name a move."""
        if isinstance(schema, list):
            return [self.of(item, moves) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self.of(self.defs[schema["$ref"].rpartition("/")[2]], moves)
        if "properties" in schema:
            properties = {key: self.of(value, moves) for key, value in schema["properties"].items()}
            required = list(properties)
            return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return self._value(schema, moves)

    def _value(self, schema: dict[str, Any], moves: tuple[str, ...]) -> dict[str, Any]:
        fitting = tuple(move for move in moves if move.startswith(schema.get(BEGINS, "")))
        gone = _LEFT_OUT if self.bounds else _LEFT_OUT | _BOUNDS
        made = {k: self.of(value, fitting) for k, value in schema.items() if k not in gone and not k.startswith("x-")}
        if fitting and OPTION in schema:
            made["enum"] = list(fitting)
        if moves and not fitting and "anyOf" in schema:  # no legal move begins so: null is all that is left
            made["anyOf"] = [one for one in schema["anyOf"] if OPTION not in one]
        if fitting and self.bounds and self._names_moves(schema.get("items")):
            made["maxItems"] = min(len(fitting), schema.get("maxItems", len(fitting)))
        return made

    def _names_moves(self, items: Any) -> bool:
        """Whether the entries of a list are moves, or objects about one move each."""
        entry = self.defs[items["$ref"].rpartition("/")[2]] if isinstance(items, dict) and "$ref" in items else items
        if not isinstance(entry, dict):
            return False
        return OPTION in entry or any(OPTION in field for field in entry.get("properties", {}).values())
