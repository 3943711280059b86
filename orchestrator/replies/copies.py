"""Answers that repeat what the prompt shows in place of an answer, so that they are not the model's own."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from orchestrator.replies.reply import Reply


def copied(text: str, reply: Reply | None, blanks: Collection[str]) -> bool:
    """Whether an answer repeats one of the `blanks` of its prompt: `<a legal move>` anywhere in its text, or a blank or
    the description of a field as a whole value of the reply, without its marks."""
    answer = text.rpartition("</think>")[2]
    if any(blank in answer for blank in blanks if blank.startswith("<")):
        return True
    plain = {_plain(blank) for blank in blanks}
    return reply is not None and any(_plain(value) in plain for value in _texts(reply.as_data()))


def _plain(text: str) -> str:
    """The words of a text, in small letters."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
