"""Replies as models write them: as JSON, or as plain text in named parts; and malformed, in ways that models have."""

import json
import random
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args, get_origin

from hanabi_orchestrator.orchestrator.replies.reply import Form, Reply
from hanabi_orchestrator.orchestrator.replies.values import as_objects, names


def label(kind: type[Reply], name: str) -> str:
    """Return the name of a field in the text."""
    return names(kind, name)[0]


def text_of(reply: Reply, form: Form) -> str:
    """Write a reply as a model would."""
    data = reply.as_data()
    kind = type(reply)
    if form == "text":
        return write(kind, data)
    return json.dumps(as_objects(data, kind) if form == "json_schema" else data, ensure_ascii=False)


def write(kind: type[Reply], data: Mapping[str, Any]) -> str:
    """Write a reply, given as plain data, as the text that `text.parse` reads."""
    if kind.bare:
        return _scalar(*data.values())
    return "\n".join(
        f"{label(kind, name)}:{_written(data[name], kind.model_fields[name].annotation)}"
        for name in kind.answer_fields()
        if name in data
    )


def _written(value: Any, annotation: Any) -> str:
    """Write the value of a part; entries of a list of objects or texts stand on lines of their own."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(f"\n- {_entry(item)}" for item in value)
    if value and get_origin(annotation) is tuple and get_args(annotation)[0] is str:
        return "".join(f"\n- {_scalar(item)}" for item in value)
    return f" {_scalar(value)}"


def _entry(item: Mapping[str, Any]) -> str:
    """Write an entry of a list; null values are left out, as "discard risk: none" of a play would be misread."""
    if len(item) == 2:
        first, second = map(_scalar, item.values())
        return f"{first}: {second}"
    return "; ".join(
        f"{key.replace('_', ' ')}: {_scalar(value)}"
        for key, value in item.items()
        if value is not None
    )


def _scalar(value: Any) -> str:
    """Write a value on one line: a further line that began with the name of a part would be read as that part."""
    if isinstance(value, list):
        return ", ".join(map(_scalar, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else " ".join(str(value).split())


class Spoilt(NamedTuple):
    text: str
    finish: str
    """The finish reason of a provider: `stop`, or `length` for a text that was cut off."""


def spoilt(reply: Reply, form: Form, dice: random.Random) -> Spoilt:
    """Write a reply as a malformed text: fenced or wrapped in prose, which can be repaired; or without its closing
    brace or last required part, or cut off, which cannot."""
    text = text_of(reply, form)
    way = dice.choice(("fence", "prose", "unfinished", "cut off"))
    fenced = f"```{'' if form == 'text' else 'json'}\n{text}\n```"
    if way == "fence":
        return Spoilt(fenced, "stop")
    if way == "prose":
        return Spoilt(f"Here is my answer:\n\n{fenced}", "stop")
    if way == "unfinished":
        data = reply.as_data()
        kind = type(reply)
        if form != "text":
            return Spoilt(json.dumps(data, ensure_ascii=False)[:-1], "stop")
        required = [name for name in kind.answer_fields() if kind.model_fields[name].is_required()]
        rest = {name: value for name, value in data.items() if name not in required[-1:]}
        return Spoilt(write(kind, rest), "stop")
    return Spoilt(text[: dice.randrange(1, len(text))], "length")
