"""JSON objects in a text: where they stand, and what they hold, without anything that could be meant otherwise."""

import json
import re
from typing import Any

import json_repair

from orchestrator.replies.doubts import taken_back

_ENTRY = re.compile(r"(?:\[|\},)\s*\Z")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
"""A string (to the end of the text if it is never closed) or a brace; possessive: no character is read twice."""


def objects(text: str) -> list[tuple[int, int]]:
    """Where the complete top-level {...} stretches begin and end; none at all when the last one is unclosed:
    what came before was a draft.

    Braces inside strings do not count. The entries of a list are no replies: of a list there is none.
    """
    found = []
    start = text.find("{")
    while start >= 0:
        end = _closing(text, start)
        if end is None or _ENTRY.search(text[max(0, start - 99) : start]):
            return []
        found.append((start, end))
        start = text.find("{", end)
    return found


def _closing(text: str, start: int) -> int | None:
    """Where the object that opens at `start` ends, its brace included."""
    depth = 0
    for found in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return None


def load(chunk: str) -> tuple[dict[str, object] | None, bool]:
    """The object of a complete stretch, and whether it had to be repaired; None when it cannot be read safely."""
    try:
        return _printable(json.loads(chunk, object_pairs_hook=_unique_keys)), False
    except _DuplicateKey:
        return None, False
    except (ValueError, RecursionError):
        pass
    try:
        return _printable(json.loads(chunk, object_pairs_hook=_unique_keys, strict=False)), True  # line breaks in texts
    except _DuplicateKey:
        return None, False
    except (ValueError, RecursionError):
        pass
    chunk = _uncommented(chunk)
    try:
        data = json_repair.loads(chunk)
    except (ValueError, RecursionError):
        return None, True
    kept = isinstance(data, dict) and _words(json.dumps(data, ensure_ascii=False)) == _words(chunk)
    return (_printable(data) if kept else None), True


_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<comment>(?<![:\w])//[^\n]*|/\*[^*]*+\*/)', re.DOTALL)
_DECIDES = re.compile(r"\b(?:play|discard|hint|action|move|accept)\b|[\"{}]", re.IGNORECASE)


def _uncommented(chunk: str) -> str:
    """An object without its comments; with them where one of them may change what the object says."""
    comments = [found["comment"] for found in _COMMENT.finditer(chunk) if found["comment"]]
    if any(_DECIDES.search(one) or taken_back(one.strip("/* ")) for one in comments):
        return chunk
    return _COMMENT.sub(lambda found: " " if found["comment"] else found[0], chunk)


class _DuplicateKey(ValueError):  # noqa: N818  # named for what is wrong with the object
    """A key stands there twice, so that the object is ambiguous."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _DuplicateKey
    return made


def _words(text: str) -> list[str]:
    """Every word and number, in order: a repair must not change them."""
    return re.findall(r"\w+", text.lower())


def _printable(data: Any) -> dict[str, object] | None:
    """The object with question marks for lone surrogates, which no file and no provider accepts."""
    if not isinstance(data, dict):
        return None
    clean = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    made: dict[str, object] = json.loads(clean)
    return made
