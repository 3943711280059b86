"""JSON schemas of reply types, by which servers constrain what a model writes."""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.models.answer_room import fitted
from hanabi_orchestrator.orchestrator.models.request import Constraint, ModelRequest
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.replies.reply import BEGINS, BELOW, EACH, MOST, OPTION, Reply
from hanabi_orchestrator.orchestrator.replies.values import leaves, numbered

MOST_VALUES = 1000
"""Enumerated values that OpenAI takes in one schema, all together; beyond them decimals have no steps."""
STEPS = 20
WIDEST = 2
"""Into how many steps the range of a decimal is cut that servers are not known to bound, and how wide it may be."""


class Constrained(NamedTuple):
    """A way to constrain an answer: its name, and the `response_format` that asks for it."""

    name: Constraint
    response_format: dict[str, Any]


class _Turn(NamedTuple):
    """What a schema may say of a turn."""

    moves: tuple[str, ...] = ()
    """The legal moves, where the schema names them."""
    counts: tuple[tuple[str, int], ...] = ()
    bounds: bool = False
    steps: bool = False
    """True if a decimal between bounds is one of a few values: llama.cpp and others hold no decimal to its bounds."""
    objects: bool = False
    """True if a list of one number for each move is an object with a key for each: nothing twice, nothing missing."""


@cache
def response_format(reply: type[Reply]) -> dict[str, Any]:
    """Return the `response_format` of OpenAI, vLLM and llama.cpp: a strict schema, references inlined, all keys
    required.

    It has no bounds of numbers, and names no legal moves.
    """
    return _format(reply, _Turn())


def constraints(request: ModelRequest, settings: ModelSettings) -> tuple[Constrained, ...]:
    """Return the ways to constrain the answer to a request, the strictest first; none where none is asked for.

    A server that refuses one may take the next.
    """
    if request.form == "text" or settings.response_format == "none":
        return ()
    if settings.response_format == "json_object":
        return (Constrained("json_object", {"type": "json_object"}),)
    if request.form != "json_schema":
        return ()
    bounded = _Turn(counts=tuple(sorted(request.counts.items())), bounds=settings.bounds_values)
    if not settings.enumerates_moves:
        return _distinct(*_weaker(request.reply, bounded))
    moves = tuple(str(move) for move in request.moves.values())
    return _schemas(
        request.reply, bounded._replace(moves=moves, steps=bounded.bounds), settings.max_tokens
    )


@lru_cache(maxsize=512)
def _weaker(reply: type[Reply], bounded: _Turn) -> tuple[Constrained, Constrained]:
    return Constrained("bounds", _format(reply, bounded)), Constrained(
        "schema", response_format(reply)
    )


@lru_cache(maxsize=512)  # the nodes and samples of a turn ask with the same moves
def _schemas(reply: type[Reply], turn: _Turn, max_tokens: int | None) -> tuple[Constrained, ...]:
    """Return the ways to constrain an answer for a server that is told the legal moves."""
    full = _format(reply, turn._replace(objects=bool(turn.moves)))
    enumerated = (
        [path for path, _ in leaves(full) if re.search(r"\.enum\.\d+$", path)] if turn.steps else []
    )
    if len(enumerated) > MOST_VALUES:  # decimals in steps are too many values for some servers
        full = _format(reply, turn._replace(objects=bool(turn.moves), steps=False))
    bounded, plain = _weaker(reply, turn._replace(moves=(), steps=False))
    strictest = bounded if full == bounded.response_format else Constrained("moves", full)
    if max_tokens is None or not turn.bounds:
        return _distinct(strictest, plain)
    with_lists = _format(reply, turn)  # lists of moves stay lists where not all fit
    schema = fitted([format["json_schema"]["schema"] for format in (full, with_lists)], max_tokens)
    if schema is None:
        return _distinct(strictest, plain)
    format = {**full, "json_schema": {**full["json_schema"], "schema": schema}}
    return _distinct(Constrained("fitted", format), strictest, plain)


def _distinct(*offered: Constrained) -> tuple[Constrained, ...]:
    """Return the constraints that are not the same as a weaker one."""
    return tuple(
        constraint
        for number, constraint in enumerate(offered)
        if all(
            constraint.response_format != other.response_format for other in offered[number + 1 :]
        )
    )


SCHEMAS = cache(lambda reply: reply.model_json_schema())
"""By reply type: making one takes milliseconds, and a turn's moves are put into several."""


def _format(reply: type[Reply], turn: _Turn) -> dict[str, Any]:
    schema = SCHEMAS(reply)
    strict = _Strict(schema.get("$defs", {}), turn).strict(schema, turn.moves)
    strict["properties"] = {name: strict["properties"][name] for name in reply.answer_fields()}
    for name, (option, number) in numbered(reply).items() if turn.objects else ():
        if name in strict["properties"]:
            entry = strict["properties"][name]["items"]["properties"]
            strict["properties"][name] = _object(
                dict.fromkeys(entry[option]["enum"], entry[number])
            )
    return {
        "type": "json_schema",
        "json_schema": {
            "name": reply.__name__,
            "strict": True,
            "schema": _object(strict["properties"]),
        },
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_LEFT_OUT = {"title", "default", "minLength", "maxLength"}
"""Keys that strict mode does not take, beside ours, which begin with `x-`; the reader checks what they say."""
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}


class _Strict(NamedTuple):
    """Makes a schema strict: servers choke on references, strict mode on keys that may be left out."""

    defs: dict[str, Any]
    turn: _Turn

    def strict(self, schema: Any, moves: tuple[str, ...]) -> Any:
        """Return the schema, with `moves` as the only values of fields that name a move."""
        if isinstance(schema, list):
            return [self.strict(item, moves) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self.strict(self.defs[schema["$ref"].rpartition("/")[2]], moves)
        if "properties" in schema:
            return _object(
                {key: self.strict(value, moves) for key, value in schema["properties"].items()}
            )
        return self._value(schema, moves)

    def _value(self, schema: dict[str, Any], moves: tuple[str, ...]) -> dict[str, Any]:
        fitting = tuple(move for move in moves if move.startswith(schema.get(BEGINS, "")))
        dropped = _LEFT_OUT if self.turn.bounds else _LEFT_OUT | _BOUNDS
        keys = [key for key in schema if key not in dropped and not key.startswith("x-")]
        strict = {key: self.strict(schema[key], fitting) for key in keys}
        if fitting and OPTION in schema:
            strict["enum"] = list(fitting)
        if (
            moves and not fitting and "anyOf" in schema
        ):  # no legal move begins so: null is all that is left
            strict["anyOf"] = [option for option in schema["anyOf"] if OPTION not in option]
        if self.turn.bounds and schema.get("type") == "array":
            strict |= self._lengths(schema, fitting)
        if (
            self.turn.bounds
            and (below := dict(self.turn.counts).get(schema.get(BELOW, ""))) is not None
        ):
            strict["maximum"] = below - 1
        return _stepped(strict) if self.turn.steps else strict

    def _lengths(self, schema: dict[str, Any], fitting: tuple[str, ...]) -> dict[str, int]:
        """Return how long a list may be: as many as there are players, slots, legal moves."""
        counts = dict(self.turn.counts)
        if (exactly := counts.get(schema.get(EACH, ""))) is not None:
            return {"minItems": exactly, "maxItems": exactly}
        most = schema.get(MOST)
        several = [
            schema.get("maxItems"),
            most if isinstance(most, int) else counts.get(most or ""),
        ]
        if fitting and self._names_moves(schema.get("items")):
            several.append(len(fitting))
        bounds = [bound for bound in several if bound is not None]
        return {"maxItems": min(bounds)} if bounds else {}

    def _names_moves(self, items: Any) -> bool:
        """Return whether the entries of a list are moves, or objects about one move each."""
        entry = (
            self.defs[items["$ref"].rpartition("/")[2]]
            if isinstance(items, dict) and "$ref" in items
            else items
        )
        if not isinstance(entry, dict):
            return False
        return OPTION in entry or any(
            OPTION in field for field in entry.get("properties", {}).values()
        )


def _stepped(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a decimal between bounds as one of the values 0, 0.05, 0.1 ... or -1, -0.9, -0.8 ..."""
    low = schema.get("minimum")
    high = schema.get("maximum")
    if schema.get("type") != "number" or low is None or high is None or high - low > WIDEST:
        return schema
    values = [round(low + (high - low) * step / STEPS, 4) for step in range(STEPS + 1)]
    rest = {key: value for key, value in schema.items() if key not in _BOUNDS}
    return {**rest, "enum": [int(value) if value == int(value) else value for value in values]}
