"""Malformed answers, as models write them: fenced, wrapped in prose, unfinished, cut off. Some can be repaired."""

import json
import random
from typing import NamedTuple

from orchestrator.replies import text_format
from orchestrator.replies.reply import Form, Reply


class Spoilt(NamedTuple):
    text: str
    finish: str
    """The finish reason of a provider: `stop`, or `length` for a text that was cut off."""


def spoilt(reply: Reply, form: Form, dice: random.Random) -> Spoilt:
    """A reply as a malformed text, in one of two ways that can be repaired or two that cannot."""
    text = text_format.text_of(reply, form)
    way = dice.choice(("fence", "prose", "unfinished", "cut off"))
    fenced = f"```{'' if form == 'text' else 'json'}\n{text}\n```"
    if way == "fence":
        return Spoilt(fenced, "stop")
    if way == "prose":
        return Spoilt(f"Here is my answer:\n\n{fenced}", "stop")
    if way == "unfinished":
        return Spoilt(_unfinished(reply, form), "stop")
    return Spoilt(text[: dice.randrange(1, len(text))], "length")


def _unfinished(reply: Reply, form: Form) -> str:
    """The reply without its closing brace, or without its last required part."""
    data, kind = reply.as_data(), type(reply)
    if form != "text":
        return json.dumps(data, ensure_ascii=False)[:-1]
    required = [name for name in kind.answer_fields() if kind.model_fields[name].is_required()]
    return text_format.write(kind, {name: value for name, value in data.items() if name not in required[-1:]})
