"""How notes are worded in a prompt: an adviser's reply under its node's name, a node's own samples as candidates."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.models.request import Absent, estimated
from hanabi_orchestrator.orchestrator.replies.values import entry
from hanabi_orchestrator.orchestrator.replies.writer import text_of
from hanabi_orchestrator.roles.reply_types import (
    Choice,
    Form,
    PlainText,
    RatedChoice,
    Reply,
    Verdict,
)
from hanabi_orchestrator.roles.words import ENGLISH, Words

Notes = Mapping[str, tuple[BaseModel, ...]]
"""Node name -> its replies, one per sample, in sample order; an absent reply is an `Absent`."""

R = TypeVar("R", bound=BaseModel)


def of_type(notes: Notes, *kinds: type[R]) -> list[R]:
    """The replies of these types, node by node."""
    return [reply for replies in notes.values() for reply in replies if isinstance(reply, kinds)]


def notes_text(
    notes: Notes,
    words: Words = ENGLISH,
    raw: Form | None = None,
    *,
    ratings: bool = False,
    brief: bool = False,
) -> str:
    """The notes as one block: reports under their nodes' names, candidates of the node itself, refused moves.

    Absent replies leave no trace, but for a padded note: a text that says that it is empty. `raw`: reports as they were
    written, those of programs in this form. `ratings`: candidates with the ratings that the answers gave them. `brief`:
    of reports only what they conclude.
    """
    present = {
        node: [n for n in replies if not isinstance(n, Absent)] for node, replies in notes.items()
    }
    verdicts = [n for answers in present.values() for n in answers if isinstance(n, Verdict)]
    reports = {
        node: answers
        for node, answers in present.items()
        if answers and not isinstance(answers[0], Verdict)
    }
    sampled = [
        node
        for node, answers in reports.items()
        if len(notes[node]) > 1 and isinstance(answers[0], Choice)
    ]
    worded = {
        node: report(node, answers, words, raw, brief=brief)
        for node, answers in reports.items()
        if node not in sampled
    }
    worded |= {
        node: empty_report(node, replies, words)
        for node, replies in notes.items()
        if padding(replies)
    }
    blocks = {
        "reports": "\n\n".join(worded[node] for node in notes if node in worded),
        "candidates": "\n\n".join(
            candidates(reports[node], words, ratings=ratings) for node in sampled
        ),
        "refusals": "\n".join(
            words("- $name: $text", name=v.move, text=v.reason) for v in verdicts if not v.accept
        ),
    }
    return "\n\n".join(
        words.fill(f"{name}.md", **{name: text}) for name, text in blocks.items() if text
    )


def notes_for_judge(
    notes: Notes,
    words: Words = ENGLISH,
    raw: Form | None = None,
    *,
    reason: bool = True,
    brief: bool = False,
) -> str:
    """The reports, and the one choice that a judge is asked about, with the player's reason or without."""
    reports = {
        node: replies
        for node, replies in notes.items()
        if not any(isinstance(n, Choice) for n in replies)
    }
    chosen = []
    for choice in of_type(notes, Choice):
        text = (
            "\n\n" + words("The player's reason: $reason", reason=choice.reason) if reason else ""
        )
        chosen.append(words.fill("judged.md", move=choice.action, reason=text))
    return "\n\n".join(
        part for part in (notes_text(reports, words, raw, brief=brief), *chosen) if part
    )


def report(
    node: str,
    replies: Sequence[BaseModel],
    words: Words,
    raw: Form | None = None,
    *,
    brief: bool = False,
) -> str:
    """A node's reply under its name; of several samples, one after the other."""
    title = words.name(node)
    texts = [as_read(reply, words, raw, brief=brief) for reply in replies]
    if len(texts) == 1:
        return f"## {title}\n{texts[0]}"
    titles = (
        words("$title, answer $number", title=title, number=number)
        for number, _ in enumerate(texts, 1)
    )
    return "\n\n".join(f"## {heading}\n{text}" for heading, text in zip(titles, texts, strict=True))


def as_read(reply: BaseModel, words: Words, raw: Form | None = None, *, brief: bool = False) -> str:
    """A reply as its readers see it."""
    return plain(reply, words, brief=brief) if raw is None else written(reply, raw)


EMPTY = "Empty: this note says nothing. It stands here for its length alone; go on as if it were not there."


def padding(replies: Sequence[BaseModel]) -> int:
    """The tokens of the text that stands in the place of an absent note; 0 for one that leaves no trace."""
    return sum(reply.padding for reply in replies if isinstance(reply, Absent))


def empty_report(node: str, replies: Sequence[BaseModel], words: Words) -> str:
    """A padded note under its node's name."""
    return f"## {words.name(node)}\n{fit(words(EMPTY), padding(replies))}"


def fit(text: str, tokens: int) -> str:
    """The beginning of a text that is so long by `estimated`, to the nearest word; repeated where it is too short."""
    pieces: list[str] = re.findall(r"[\x21-\x7e]+\s*|[^\x00-\x7f]|\s+", text + " ")
    piece = pieces[0]
    before = pieces[0]
    number = 1
    while estimated(piece.strip()) < tokens:
        before = piece
        piece = piece + pieces[number % len(pieces)]
        number = number + 1
    over = estimated(piece.strip()) - tokens
    under = tokens - estimated(before.strip())
    return (before if 0 <= under < over else piece).strip()


def written(reply: BaseModel, form: Form) -> str:
    """What the model wrote; of a program's reply, what a model would have written in this form."""
    if not isinstance(reply, Reply):
        return plain(reply, ENGLISH)
    return reply.text or text_of(reply, "text" if isinstance(reply, PlainText) else form)


CANDIDATE = "candidate $number: $move (given $times of $all times)"


def candidates(replies: Sequence[BaseModel], words: Words, *, ratings: bool = False) -> str:
    """Several choices of one node; equal ones once, with their count, all reasons and, if asked for, all ratings."""
    choices = [reply for reply in replies if isinstance(reply, Choice)]
    counts = Counter(str(choice.action) for choice in choices)
    blocks: list[str] = []
    for number, (move, times) in enumerate(counts.items(), 1):
        reasons = dict.fromkeys(choice.reason for choice in choices if str(choice.action) == move)
        bullets = "\n".join(f"- {reason}" for reason in reasons)
        head = words(CANDIDATE, number=number, move=move, times=times, all=len(choices))
        every = [
            rating
            for choice in choices
            if isinstance(choice, RatedChoice)
            for rating in choice.ratings
        ]
        marks = [scalar(rating.rating, words) for rating in every if str(rating.action) == move]
        rated = (
            [words("- rated by the answers: $ratings", ratings=words.series(marks))]
            if ratings and marks
            else []
        )
        blocks += (f"{head}\n{bullets}", *rated)
    return "\n".join(blocks)


def plain(reply: BaseModel, words: Words, *, brief: bool = False) -> str:
    """A reply as lines: a field each, and an entry of a list of objects each. `brief`: only what it concludes."""
    if not isinstance(reply, Reply):
        return lines(reply.model_dump(mode="json"), words)
    data = reply.as_data() | reply.besides()
    fields = reply.conclusion if brief and reply.conclusion else tuple(data)
    return lines({name: value for name, value in data.items() if name in fields}, words)


def lines(reply: Mapping[str, Any], words: Words) -> str:
    """The same for a reply as plain data."""
    return "\n".join(line for key, value in reply.items() for line in _field(key, value, words))


def label(key: str, words: Words) -> str:
    """How a field is called in a report. Raises UserError for one that the language has no phrase for."""
    return words(key.replace("_", " "))


def check_report(kind: type[BaseModel], words: Words) -> None:
    """Raises UserError when a language has no phrase for a part of such a reply."""
    for key, field in kind.model_fields.items():
        label(key, words)
        if inner := entry(field.annotation):
            check_report(inner, words)


def _field(key: str, value: Any, words: Words) -> Iterator[str]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield words("$name:", name=label(key, words))
        for entry in value:
            parts = (_named(inner, v, words) for inner, v in entry.items() if v is not None)
            yield "- " + words("; ").join(parts)
    elif value is not None:
        yield _named(key, value, words)


def _named(key: str, value: Any, words: Words) -> str:
    return words("$name: $text", name=label(key, words), text=scalar(value, words))


def scalar(value: Any, words: Words = ENGLISH) -> str:
    """A value in words; a probability is 0 or 1 only when it is certain."""
    if isinstance(value, list):
        return words.series(scalar(inner, words) for inner in value) or words("none")
    if isinstance(value, bool):
        return words("yes" if value else "no")
    if isinstance(value, float) and 0 < value < 1:
        return f"{min(max(value, 0.01), 0.99):.2f}"
    return (
        words("none") if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    )
