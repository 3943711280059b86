"""JSON schemas of reply types, by which servers constrain what a model writes."""

from functools import cache
from typing import Any

from orchestrator.models.request import ModelRequest
from orchestrator.replies.reply import Reply


@cache
def response_format(reply: type[Reply]) -> dict[str, Any]:
    """The `response_format` of OpenAI, vLLM and llama.cpp: a strict schema, references inlined, all keys required."""
    schema = reply.model_json_schema()
    plain = _strict(schema, schema.get("$defs", {}))
    plain["properties"] = {name: plain["properties"][name] for name in reply.asked()}
    plain["required"] = list(plain["properties"])
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": plain}}


def constraint(request: ModelRequest, setting: str) -> dict[str, Any] | None:
    """The `response_format` of a request, by the setting of its model; None to send none."""
    if request.form == "text" or setting == "none":
        return None
    if setting == "json_object":
        return {"type": "json_object"}
    return response_format(request.reply) if request.form == "json_schema" else None


_BOUNDS = {
    "title",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
}


def _strict(schema: Any, defs: dict[str, Any]) -> Any:
    """Servers choke on references, strict mode on bounds and on keys that may be left out: the reader checks those."""
    if isinstance(schema, list):
        return [_strict(item, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _strict(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "properties" in schema:
        properties = {key: _strict(value, defs) for key, value in schema["properties"].items()}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: _strict(value, defs) for key, value in schema.items() if key not in _BOUNDS}
