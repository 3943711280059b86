"""Schemas for a small `max_tokens`: lists and texts so short that the answer ends before it is cut off.

A cut-off answer is lost as a whole. Where the longest answer that a schema allows does not fit, its lists get fewer
entries and its texts a greatest length: first those lists that may have any number of entries, then texts, and last
the lists of so many moves or players. Tokens are estimated, with most tokenisers on the safe side.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.replies.values import leaves

SHARE = 0.95
"""Part of `max_tokens`: what the longest answer may take by the estimate."""
STRUCTURE = 2.0
PROSE = 3.0
"""Characters of a token: in keys, moves and numbers, and in texts."""
BESIDE = 3.0
"""Tokens of the quotes, colon, comma and blanks around a key or an entry."""
NUMBER = 5.0
"""Tokens of a number that is not one of a few."""
WEIGHTS = 4, 2, 1
"""The share of a text in the room that is left for texts: of the reply itself, of an entry, of a list in an entry."""
LEAST = 16
"""The fewest characters for a text of weight 1."""
SMALL = 1000
"""Tokens: from so many on nothing is shortened, for a model that keeps to its task needs no help there."""
FEW = 6
"""The most entries of a list without a bound."""


class _Lengths(NamedTuple):
    """The most entries of lists that have a bound, and of those that have none."""

    bounded: int
    free: int

    def most_entries(self, schema: dict[str, Any]) -> int:
        return min(schema["maxItems"], self.bounded) if "maxItems" in schema else self.free


class _Size(NamedTuple):
    """The longest answer: its tokens without texts, and the weights of all its texts."""

    tokens: float = 0.0
    texts: int = 0

    def plus(self, tokens: float, texts: int = 0) -> "_Size":
        return _Size(self.tokens + tokens, self.texts + texts)

    def times(self, count: int) -> "_Size":
        return _Size(self.tokens * count, self.texts * count)


def fitted(schemas: Sequence[dict[str, Any]], max_tokens: int) -> dict[str, Any] | None:
    """Return the schema whose lists need the least shortening, with lists and texts as long as fit.

    None where not even the shortest do, and for SMALL tokens and more.
    """
    if max_tokens >= SMALL:
        return None
    bounds = [value for path, value in leaves(list(schemas)) if path.endswith(".maxItems")]
    longest = range(max(bounds, default=1), 0, -1)
    for bounded, free, schema in product(longest, range(FEW, 0, -1), schemas):
        lengths = _Lengths(bounded, free)
        size = _size(schema, lengths, 0)
        unit = (SHARE * max_tokens - size.tokens) * PROSE / max(size.texts, 1)
        if unit >= LEAST * bool(size.texts):
            shortened: dict[str, Any] = _bounded(schema, lengths, unit, 0)
            return shortened
    return None


def _size(schema: dict[str, Any], lengths: _Lengths, depth: int) -> _Size:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return _Size(
            max(len(v) / STRUCTURE if isinstance(v, str) else float(len(str(v))) for v in values)
        )
    if "anyOf" in schema:
        several = [_size(option, lengths, depth) for option in schema["anyOf"]]
        return _Size(
            max(option.tokens for option in several), max(option.texts for option in several)
        )
    match schema.get("type"):
        case "object":
            size = _Size(BESIDE)
            for key, value in schema["properties"].items():
                size = size.plus(len(key) / STRUCTURE + BESIDE).plus(*_size(value, lengths, depth))
            return size
        case "array":
            entry = _size(schema["items"], lengths, depth + 1).plus(BESIDE)
            return entry.times(lengths.most_entries(schema)).plus(BESIDE)
        case "string":
            return _Size(BESIDE, WEIGHTS[min(depth, 2)])
    return _Size(NUMBER)


def _bounded(schema: Any, lengths: _Lengths, unit: float, depth: int) -> Any:
    if not isinstance(schema, dict) or "enum" in schema or "const" in schema:
        return schema
    if "anyOf" in schema:
        return {
            **schema,
            "anyOf": [_bounded(option, lengths, unit, depth) for option in schema["anyOf"]],
        }
    match schema.get("type"):
        case "object":
            properties = {
                key: _bounded(value, lengths, unit, depth)
                for key, value in schema["properties"].items()
            }
            return {**schema, "properties": properties}
        case "array":
            most = lengths.most_entries(schema)
            fewest = {"minItems": min(schema["minItems"], most)} if "minItems" in schema else {}
            return {
                **schema,
                "items": _bounded(schema["items"], lengths, unit, depth + 1),
                **fewest,
                "maxItems": most,
            }
        case "string":
            return {**schema, "maxLength": int(unit * WEIGHTS[min(depth, 2)])}
    return schema
