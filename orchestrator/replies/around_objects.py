"""The words around a JSON object: they must neither disown it nor decide something else."""

import re
from functools import cache
from typing import Annotated, Any, cast

from pydantic import TypeAdapter, ValidationError

from orchestrator.replies.disowned import disowned
from orchestrator.replies.reply import Options, Reply
from orchestrator.replies.text_parts import Missing, last_stated, parts
from orchestrator.replies.unreadable import Unreadable
from orchestrator.replies.values import meant

MOST = 200
"""How many sentences after an object are read as decisions."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")


def check_around(reply: Reply, before: str, after: str, moves: Options) -> None:
    """Raise Unreadable where the words before or after the object of a reply leave doubt about its decision."""
    near = before.rpartition("}")[2]  # what comes before is a draft
    for name in reply.decisive:
        rest = _check_stated(reply, name, near, after, moves)
        if disowned(near, rest):
            raise Unreadable("the words around its object take it back; reply with the object alone")


def _check_stated(reply: Reply, name: str, before: str, after: str, moves: Options) -> str:
    """Raise Unreadable where a named line or a sentence decides something else; what comes after, without the sentences
    that say the decision again."""
    kind = type(reply)
    try:
        parts(after, kind)
    except Missing as missing:
        raise Unreadable(str(missing)) from None
    sentences = [one for one in _SENTENCES.split(after.strip()) if one]
    said = {one: _value(one, kind, name, moves) for one in sentences[:MOST] if len(one.split()) > 1}
    named = [last_stated(before, kind, name), last_stated(after, kind, name), (kind.unnamed(after) or {}).get(name)]
    others = {*said.values(), *(_value(one, kind, name, moves) for one in named)}
    if others - {None, getattr(reply, name)} or (named[1] and _value(named[1], kind, name, moves) is None):
        raise Unreadable(f"{name}: the words around the object say something else; reply with the object alone")
    return "\n".join(one for one in sentences if said.get(one) is None)


def _value(said: Any, kind: type[Reply], name: str, moves: Options) -> Any:
    """What some words mean as the value of a field; None if nothing."""
    if said is None:
        return None
    try:
        return _field(kind, name).validate_python(meant({name: said}, kind)[name], context={"moves": moves})
    except ValidationError:
        return None


@cache
def _field(kind: type[Reply], name: str) -> TypeAdapter[Any]:
    field, made = kind.model_fields[name], cast(Any, Annotated)
    return TypeAdapter(made[(field.annotation, *field.metadata)])
