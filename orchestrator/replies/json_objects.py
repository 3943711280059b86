"""JSON objects in a text: where they stand, what they hold, and whether the words around them leave doubt about it.

Nothing is repaired that could be meant otherwise.
"""

import json
import re
from functools import cache
from typing import Annotated, Any, cast

import json_repair
from pydantic import TypeAdapter, ValidationError

from hanabi_orchestrator.orchestrator.printable import writable
from hanabi_orchestrator.orchestrator.replies.doubts import RETRACTS, disowned, phrases, taken_back
from hanabi_orchestrator.orchestrator.replies.reply import Options, Reply, Unreadable
from hanabi_orchestrator.orchestrator.replies.text import Missing, last_stated, parts
from hanabi_orchestrator.orchestrator.replies.values import by_field, meant

_ENTRY = re.compile(r"(?:\[|\},)\s*\Z")
"""The end of the text before an entry of a list."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
"""A string (to the end of the text if it is never closed) or a brace; possessive: no character is read twice."""


def objects(text: str) -> list[tuple[int, int]]:
    """Return where the complete top-level {...} stretches begin and end. There are none when the last one is unclosed,
    since what came before was a draft, and none when an object is an entry of a list, since entries are no replies.

    Braces inside strings do not count.
    """
    spans = []
    start = text.find("{")
    while start >= 0:
        depth = 0
        end = None
        for token in _TOKEN.finditer(text, start):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if depth == 0:
                end = token.end()
                break
        if end is None or _ENTRY.search(text[max(0, start - 99) : start]):
            return []
        spans.append((start, end))
        start = text.find("{", end)
    return spans


_FINAL = re.compile(
    r"\W*(?:(?:my|the|here is my) )?(?:corrected,? )?final(?: answer| move| choice| version| reply| decision)?\W*",
    re.IGNORECASE,
)


def finals(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the objects that count: the last alone if the words between it and the one before call it
    final, and take back the others or say nothing else; else all."""
    between = re.sub(r"```\w*", "", text[spans[-2][1] : spans[-1][0]]) if len(spans) > 1 else ""
    *before, last = re.split(r"(?<=[.!])\s+|\n+", between.strip())
    if _FINAL.fullmatch(last) and (not "".join(before).strip() or RETRACTS.search(between)):
        return spans[-1:]
    return spans


_ENVELOPES = {
    "answer",
    "reply",
    "response",
    "result",
    "output",
    "json",
    "final",
    "final_answer",
    "message",
    "content",
    "arguments",
    "parameters",
    "input",
    "function",
    "function_call",
    "tool_call",
    "tool_calls",
}
_NAMES = {"name", "id", "type", "index", "tool", "tool_name", "recipient_name", "role"}
"""What else an envelope of a tool call or a message says."""
_CALLS = phrases("""
    choose / select / submit / make / take / act / action / move / respond / response / reply / answer / final / return
    give / output / decide / decision / choice / json / tool / function / functions / call / hanabi / verify / verdict
    report / assistant / the / a / my / default / structured / play
""")
_CALLED = re.compile(rf"(?:(?:{_CALLS})(?:[\W_]+|\Z))+", re.IGNORECASE)


def unwrapped(data: dict[str, Any], kind: type[Reply]) -> tuple[dict[str, Any], bool]:
    """Return the object inside an object that is only its envelope: one named as the answer, or a tool call."""
    keys = {key.lower(): value for key, value in data.items()}
    inner = [
        value
        for key, value in keys.items()
        if key in _ENVELOPES and not (key == "function" and "name" in keys)
    ]
    names = [value for key, value in keys.items() if key in _NAMES - {"id", "index"}]
    if by_field(data, kind) or len(inner) != 1 or not set(keys) <= _ENVELOPES | _NAMES:
        return data, False
    if not all(isinstance(name, str) and _CALLED.fullmatch(name) for name in names):
        return data, False
    (value,) = inner
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, str):
        value = load(value)[0]
    return (unwrapped(value, kind)[0], True) if isinstance(value, dict) else (data, False)


def load(chunk: str) -> tuple[dict[str, object] | None, bool]:
    """Return the object of a complete stretch, None when it cannot be read safely; and whether it was repaired."""
    for strict in (True, False):  # line breaks in texts are a repair
        try:
            return _printable(
                json.loads(chunk, object_pairs_hook=_unique_keys, strict=strict)
            ), not strict
        except _DuplicateKey:
            return None, False
        except (ValueError, RecursionError):
            continue
    chunk = _uncommented(chunk)
    try:
        data = json_repair.loads(chunk)
    except (ValueError, RecursionError):
        return None, True
    unchanged = isinstance(data, dict) and words(json.dumps(data, ensure_ascii=False)) == words(
        chunk
    )
    return (_printable(data) if unchanged else None), True


_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<comment>(?<![:\w])//[^\n]*|/\*[^*]*+\*/)', re.DOTALL)
_DECIDES = re.compile(r"\b(?:play|discard|hint|action|move|accept)\b|[\"{}]", re.IGNORECASE)


def _uncommented(chunk: str) -> str:
    """Return an object without its comments; with them where one of them may change what the object says."""
    comments = [match["comment"] for match in _COMMENT.finditer(chunk) if match["comment"]]
    if any(_DECIDES.search(comment) or taken_back(comment.strip("/* ")) for comment in comments):
        return chunk
    return _COMMENT.sub(lambda match: " " if match["comment"] else match[0], chunk)


class _DuplicateKey(ValueError):  # noqa: N818  # named for what is wrong with the object
    """A key stands there twice, so that the object is ambiguous."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise _DuplicateKey
    return data


def words(text: str) -> tuple[str, ...]:
    """Return every word and number, in order: a repair must not change them."""
    return tuple(re.findall(r"\w+", text.lower()))


def _printable(data: Any) -> dict[str, object] | None:
    """Return the object with question marks for lone surrogates, which no file and no provider accepts."""
    clean = writable(json.dumps(data, ensure_ascii=False))
    printable: dict[str, object] | None = json.loads(clean) if isinstance(data, dict) else None
    return printable


MOST = 200
"""How many sentences after an object are read as decisions."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")


def check_around(reply: Reply, before: str, after: str, moves: Options) -> None:
    """Raise Unreadable where the words before or after the object of a reply leave doubt about its decision."""
    near = before.rpartition("}")[2]  # what comes before is a draft
    for name in reply.decisive:
        rest = _check_stated(reply, name, near, after, moves)
        if disowned(near, rest):
            raise Unreadable(
                "the words around its object take it back; reply with the object alone"
            )


def _check_stated(reply: Reply, name: str, before: str, after: str, moves: Options) -> str:
    """Return what comes after, without the sentences that say the decision again. Raises Unreadable where a named line
    or a sentence decides something else."""
    kind = type(reply)
    try:
        parts(after, kind)
    except Missing as missing:
        raise Unreadable(str(missing)) from None
    sentences = [sentence for sentence in _SENTENCES.split(after.strip()) if sentence]
    decisions = {
        sentence: _value(sentence, kind, name, moves)
        for sentence in sentences[:MOST]
        if len(sentence.split()) > 1
    }
    named = [
        last_stated(before, kind, name),
        last_stated(after, kind, name),
        (kind.unnamed(after) or {}).get(name),
    ]
    values = {*decisions.values(), *(_value(sentence, kind, name, moves) for sentence in named)}
    if values - {None, getattr(reply, name)} or (
        named[1] and _value(named[1], kind, name, moves) is None
    ):
        raise Unreadable(
            f"{name}: the words around the object say something else; reply with the object alone"
        )
    return "\n".join(sentence for sentence in sentences if decisions.get(sentence) is None)


def _value(words: Any, kind: type[Reply], name: str, moves: Options) -> Any:
    """Return what some words mean as the value of a field; None if nothing."""
    if words is None:
        return None
    try:
        return _field(kind, name).validate_python(
            meant({name: words}, kind)[name], context={"moves": moves}
        )
    except ValidationError:
        return None


@cache
def _field(kind: type[Reply], name: str) -> TypeAdapter[Any]:
    field = kind.model_fields[name]
    annotated = cast(Any, Annotated)
    return TypeAdapter(annotated[(field.annotation, *field.metadata)])
