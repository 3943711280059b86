"""The parts of a plain-text reply: which of its lines name a field, and whether they leave doubt about the decision."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from orchestrator.replies.doubts import RETRACTS, phrases
from orchestrator.replies.reply import Reply
from orchestrator.replies.values import entry, fields, names


class Missing(ValueError):  # noqa: N818  # named for what is wrong with the text; callers ask the model again
    """A part of the text is missing or in doubt; the message is a sentence for the model."""


class Part(NamedTuple):
    name: str
    """Of the field."""
    head: int
    """Where its name begins."""
    start: int
    """Where its value begins."""
    end: int


def parts(text: str, kind: type[Reply]) -> dict[str, str]:
    """The text of each part, up to the next one; of parts with the same name, the last. Raises Missing."""
    heads = _heads(text, kind)
    _check(text, heads, kind)
    found = {part.name: text[part.start : part.end].strip() for part in heads}
    first = kind.answer_fields()[0]
    before = text[: heads[0].head].strip() if heads else ""
    if before and first not in found and kind.model_fields[first].annotation is str:
        found[first] = before  # models leave out the name of the first part
    return found


def last_stated(text: str, kind: type[Reply], name: str) -> str | None:
    """The first line of the last part of a name, even where the text leaves doubt about it."""
    stated = [part for part in _heads(text, kind) if part.name == name]
    return text[stated[-1].start : stated[-1].end].strip().partition("\n")[0] if stated else None


_SPACE = r"[ \t*_]*"
"""White space, and marks of bold and italics."""
_EMOJI_OR_MARK = r"[>*#_ \t\U0001F000-\U0001FAFF☀-➿\uFE0F-]"
_NUMBER = rf"\d+[.)]{_SPACE}+"
"""Of a list: `3. `."""


def _heads(text: str, kind: type[Reply]) -> list[Part]:
    """The parts that the text names.

    After a list, the keys of its entries are not names of parts: `Action: play slot 0` is an entry there, not a choice.
    A part name that is marked as a heading needs no colon.
    """
    known = {title: name for title, name in fields(kind).items() if name in kind.answer_fields()}
    titles = "|".join(re.escape(title) for title in sorted(known, key=len, reverse=True))
    said = "".join(
        rf"|(?P<said_{name}>{pattern})" for name, pattern in kind.openings.items() if name in kind.answer_fields()
    )
    named = rf"(?P<title>{titles})(?:{_SPACE}[:：]{_SPACE}|(?P<bare>{_SPACE}$))"
    head = re.compile(rf"^(?P<mark>{_EMOJI_OR_MARK}*+(?:{_NUMBER})?)(?:{named}{said})", re.IGNORECASE | re.MULTILINE)
    found: list[tuple[str, re.Match[str]]] = []
    keys: set[str] = set()
    for one in head.finditer(text):
        title = (one["title"] or "").lower()
        name = known[title] if title else str(one.lastgroup).removeprefix("said_")
        heading = one["bare"] is None or "#" in one["mark"] or "**" in one["mark"]
        if heading and title not in keys:
            found.append((name, one))
            inner = entry(kind.model_fields[name].annotation)
            keys = set(fields(inner)) if inner else set()
    ends = [one.start() for _, one in found[1:]]
    return [
        Part(name, one.start(), one.end(), end) for (name, one), end in zip(found, [*ends, len(text)], strict=False)
    ]


def _check(text: str, heads: Sequence[Part], kind: type[Reply]) -> None:
    """Raise Missing where the text leaves doubt about the decision: it is stated twice, or taken back after it."""
    for name in kind.decisive:
        stated = [number for number, part in enumerate(heads) if part.name == name]
        for one, other in pairwise(stated):
            if _first_line(text, heads[one]) != _first_line(text, heads[other]) and not _draft(heads, one, other, kind):
                raise Missing(f"it says '{names(kind, name)[0]}:' in two ways; say it once")
        if stated and heads[-1].name != name and not entry(kind.model_fields[name].annotation):
            _check_after(text, heads, stated[-1], kind, name)


def _first_line(text: str, part: Part) -> str:
    return text[part.start : part.end].strip().partition("\n")[0].strip(" *_`.").lower()


def _draft(heads: Sequence[Part], one: int, other: int, kind: type[Reply]) -> bool:
    """Whether the whole reply is written again after a first version that ended with its decision."""
    again = {part.name for part in heads[one + 1 : other]}
    return heads[0].name not in kind.decisive and set(kind.answer_fields()) - set(kind.decisive) <= again


_BETTER = phrases("""
    wait / actually / hmm+ / instead(?! of) / rather(?! than) / (?:would be|is) better / better to / worst / opposite
    (?:this|it)(?: move| action)? is (?:forbidden|illegal)
    let(?:['’]s| us| me) (?:think|check|see|look|consider|verify|keep|start)
""")
_TAKEN_BACK = re.compile(
    rf"""
    \b (?:{_BETTER}) \b
    | (?: ^ | [:：] ) [ \t]* no [ \t]* (?: [,.;!—-] | $ )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""In the parts after a decision: words that prefer something else, or begin to think again."""
_LABEL = re.compile(r"(?<![\w'’])[A-HJ-Z](?![\w'’])")
"""The label of another option; `I` is none."""


def reconsiders(reason: str) -> bool:
    """Whether a reason that stands after its decision takes it back."""
    return bool(_TAKEN_BACK.search(reason) or RETRACTS.search(reason))


def _check_after(text: str, heads: Sequence[Part], decided: int, kind: type[Reply], name: str) -> None:
    """A decision may come before its reason, if each part stands there once and none takes the decision back."""
    label = names(kind, name)[0]
    if len({part.name for part in heads}) < len(heads):
        raise Missing(f"it goes on after '{label}:', which must be the last part")
    after = text[heads[decided].end :]
    if reconsiders(after) or _LABEL.search(after):
        raise Missing(f"it takes back what it says after '{label}:'; say only the final decision")
