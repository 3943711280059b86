"""The reply types that more than one role shares, and how a reply type is explained to a model."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo

from hanabi_orchestrator.orchestrator.game.registry import loaded, of_move
from hanabi_orchestrator.orchestrator.game.stored import StoredMove
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reply import (
    BELOW,
    EACH,
    MOST,
    Contradiction,
    Counts,
    TableOptions,
)
from hanabi_orchestrator.orchestrator.replies.reply import Form as Form
from hanabi_orchestrator.orchestrator.replies.reply import Reply as Reply
from hanabi_orchestrator.orchestrator.replies.values import entry, numbered
from hanabi_orchestrator.orchestrator.replies.verdicts import bare_verdict, verdict
from hanabi_orchestrator.roles import reply_form
from hanabi_orchestrator.roles.words import ENGLISH, Words

Chance = Annotated[float, Field(ge=0, le=1)]


def _below(name: str) -> Callable[[int, ValidationInfo], int]:
    """Return a check that a number is smaller than the table's count of this name; any is right where none is given."""

    def check(number: int, info: ValidationInfo) -> int:
        moves = (info.context or {}).get("moves")
        count = moves.table.get(name) if isinstance(moves, TableOptions) else None
        if count is not None and number >= count:
            raise ValueError(f"input should be less than or equal to {count - 1}")
        return number

    return check


Seat = Annotated[
    int, Field(ge=0, le=4, json_schema_extra={BELOW: "players"}), AfterValidator(_below("players"))
]
IS_A_SLOT = AfterValidator(_below("slots"))
Slot = Annotated[int, Field(ge=0, le=4, json_schema_extra={BELOW: "slots"}), IS_A_SLOT]


@cache
def slot_fields(kind: type[BaseModel]) -> frozenset[str]:
    """Return the fields of a reply type that hold numbers of slots, one or several."""
    return frozenset(name for name, field in kind.model_fields.items() if _is_a_slot(field))


def _is_a_slot(annotation: Any) -> bool:
    """Return whether a field, or any part of its type, is a `Slot`."""
    if isinstance(annotation, FieldInfo):
        return IS_A_SLOT in annotation.metadata or _is_a_slot(annotation.annotation)
    if IS_A_SLOT in getattr(annotation, "__metadata__", ()):
        return True
    return any(map(_is_a_slot, get_args(annotation)))


FINAL = (
    "Final move",
    "Final action",
    "Final choice",
    "Final answer",
    "My move",
    "My choice",
    "My action",
    "Choice",
)
ENTRY = {"action": ("Action", "Move", "行动"), "rating": ("Rating", "Score")}
"""What models call the fields of an entry about a move."""


class PlainText(Reply):
    """A report in plain text, whatever the form in which its reader answers."""


class Choice(Reply):
    """The reply of a deciding role: a reason and a move. A subclass may add fields.

    The order of the fields is the order in which a model writes them: what a subclass adds comes first, unless the
    context says `reason_first`, then the reason, and the move last, so that no cut-off reply passes for a choice.
    """

    names_moves = True
    example = {
        "reason": "Slot 2 was told red and 1, and no red card is played yet.",
        "action": "play slot 2",
    }
    labels = {
        "reason": ("Reasoning", "Reason", "Explanation", "理由"),
        "ratings": ("Move ratings", "Ratings"),
        "action": (
            "Chosen move",
            "Chosen move number",
            "Chosen action",
            "Action",
            "Move",
            "行动",
            *FINAL,
        ),
    }
    openings = {
        "action": r"(?:I(?:['’]ll| will)? (?:choose|pick|select|go with)|My (?:move|choice|action) is)\b[ :]*"
    }
    decisive = ("action",)
    spare = {"reason": ""}
    reason_first: ClassVar[bool] = False

    reason: str = Field(description="why, in a few sentences")
    action: StoredMove = Field(description="the chosen legal move, copied from the list")

    @model_validator(mode="after")
    def _of_one_mind(self, info: ValidationInfo) -> Self:
        """Of a model's answer: a reason that states another move as the chosen one leaves doubt."""
        if info.context is None:
            return self
        if of_move(self.action).speaks_for_another(self.reason, self.action):
            raise Contradiction("the reason states another move than the one chosen; state one")
        return self

    @classmethod
    def unnamed(cls, text: str) -> dict[str, Any] | None:
        """An answer that ends with its move and names no field is that choice, and its own reason."""
        for game in loaded():
            if (conclusion := game.concluded(text)) is not None:
                reason, move = conclusion
                return {"action": move, "reason": reason} if reason else {"action": move}
        return None

    @classmethod
    def arranged(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        answer = dict(data)
        for game in loaded():
            answer = game.gathered(answer, "action")
        return answer

    @classmethod
    def answer_fields(cls) -> tuple[str, ...]:
        more = tuple(name for name in cls.model_fields if name not in ("reason", "action"))
        return ("reason", *more, "action") if cls.reason_first else (*more, "reason", "action")


class BareChoice(Choice):
    """A move alone: the choice of a context with `reason_words: 0`."""

    example = {"action": "play slot 2"}

    bare: ClassVar[bool] = True

    reason: str = ""

    @classmethod
    def answer_fields(cls) -> tuple[str, ...]:
        return ("action",)


class Rating(Reply):
    labels = ENTRY
    unique = "action"

    action: StoredMove = Field(description="the legal move, copied from the list")
    rating: float = Field(ge=-1, le=1, description="from -1 (terrible) to 1 (excellent)")


class RatedChoice(Choice):
    """A choice with a rating of every legal move, as Sherlock and Watson ask for."""

    example = {
        **Choice.example,
        "ratings": [
            {"action": "play slot 2", "rating": 0.9},
            {"action": "discard slot 0", "rating": -0.2},
        ],
    }

    spare = {"reason": "", "ratings": ()}
    beside: ClassVar[tuple[str, ...]] = ("ratings",)

    ratings: tuple[Rating, ...] = Field(description="one entry for EVERY legal move")


class Deduction(Reply):
    unique = "seat"

    seat: Seat = Field(description="the player's number, your own included")
    slots: tuple[str, ...] = Field(
        description="what the hints leave of each of their cards, slot 0 first: its colours with / between "
        "them (or: any colour), then its ranks (or: any rank)",
        json_schema_extra={MOST: "slots"},
    )


class TrackedChoice(RatedChoice):
    """A choice with the player's own list of what the hints leave of every card, as Mycroft keeps it."""

    example = {
        **RatedChoice.example,
        "deductions": [
            {"seat": 1, "slots": ["red any rank", "yellow/green/white/blue 1", "anything"]}
        ],
    }

    spare = {"reason": "", "ratings": (), "deductions": ()}
    beside = ("ratings", "deductions")

    deductions: tuple[Deduction, ...] = Field(
        description="one entry for EVERY player, yourself included",
        json_schema_extra={EACH: "players"},
    )


REASON = "your thinking, step by step, and what follows from it, in up to $count words"
WORDS = "x-words"
"""With the number of words of a reason, where a context gives one."""


@cache
def variant(
    kind: type[Reply],
    ratings: bool = False,
    reason_first: bool = False,
    reason_words: int | None = None,
) -> type[Reply]:
    """A reply type as a context asks for it: a plain choice with ratings, and any choice with its reason first, or with
    room for so many words of it."""
    if reason_words == 0 and kind is Choice:
        return BareChoice
    base = RatedChoice if ratings and kind is Choice else kind
    if not issubclass(base, Choice) or not (reason_first or reason_words):
        return base
    fields: dict[str, Any] = {}
    if reason_words:
        reason = Field(
            description=ENGLISH(REASON, count=reason_words), json_schema_extra={WORDS: reason_words}
        )
        fields["reason"] = (str, reason)
    choice: type[Choice] = base
    reasoned: type[Choice] = create_model(
        choice.__name__, __base__=choice, __doc__=choice.__doc__, **fields
    )
    reasoned.reason_first = reason_first
    return reasoned


class Recommended(Reply):
    labels = ENTRY
    unique = "action"

    action: StoredMove = Field(description="the legal move, copied from the list")
    rank: int = Field(ge=1, description="1 is the best")
    why: str = Field(description="why it has this rank")


class Shortlist(Reply):
    """The moves that a recommender lists, in the order shown: a role that reads it sees no other legal moves."""

    names_moves = True
    example = {
        "entries": [{"action": "play slot 2", "rank": 1, "why": "slot 2 is known to be playable"}]
    }

    entries: tuple[Recommended, ...] = Field(description="the recommended moves")

    @property
    def moves(self) -> tuple[Any, ...]:
        return tuple(entry.action for entry in self.entries)

    def rank(self, move: Any) -> int | None:
        return next((entry.rank for entry in self.entries if entry.action == move), None)


def _accepted(value: Any) -> bool:
    """What a verdict says by its leading word: `true`, `Okay.`, `No, it is unsafe`."""
    accepts = verdict(value) if isinstance(value, str) else value
    if not isinstance(accepts, bool):
        raise ValueError(f"{str(value)[:80]!r} is no clear verdict; begin with yes or no")
    return accepts


Accepted = Annotated[bool, BeforeValidator(_accepted)]


class Judgement(Reply):
    """A verifier's reply about a chosen move."""

    labels = {
        "reason": ("Reason", "Reasoning", "Explanation"),
        "accept": ("Verification", "Accept", "Accepted", "Verdict", "Final verdict"),
    }
    decisive = ("accept",)
    spare = {"reason": ""}
    example = {"reason": "Slot 0 is known to be the red 1, and red is next at 1.", "accept": True}

    reason: str = Field(description="the check, in at most five sentences")
    accept: Accepted = Field(description="whether the move may be made")

    @model_validator(mode="after")
    def _of_the_choice(self, info: ValidationInfo) -> Self:
        """Of a model's answer: a reason must judge the chosen move."""
        judged = getattr((info.context or {}).get("moves"), "judged", None)
        if judged is not None and of_move(judged).judges_another(self.reason, judged):
            raise ValueError(f"the reason judges another move than the chosen one, {judged}")
        return self

    @classmethod
    def unnamed(cls, text: str) -> dict[str, Any] | None:
        """An answer that begins with its verdict and names no field is that verdict, and its own reason."""
        accepts = bare_verdict(text)
        return None if accepts is None else {"reason": text.strip(), "accept": accepts}


class Verdict(Judgement):
    """A judgement with its move, as later attempts read it."""

    move: StoredMove


_LISTS = "; a list has as many entries as asked for above"
_SEVERAL = "; lists and inner objects have as many entries as asked for above"
KEY = "- each key ($kind): $meaning"
VALUE = "- its value ($kind): $meaning"


@cache
def answer_format(
    kind: type[Reply], form: Form = "json", words: Words = ENGLISH, counts: Counts = ()
) -> str:
    """The part of a prompt that states how to answer: fields with their meaning, then the form to fill in.

    The names of the fields are the same in all languages: they are what is read. `counts`: of the table, which bound
    the numbers of players and slots.
    """
    empty = reply_form.form(kind, form, words, counts)
    objects = numbered(kind) if form == "json_schema" else {}
    lists = (
        words(_SEVERAL if objects else _LISTS) if objects or "[" in empty or "\n- " in empty else ""
    )
    if form == "text" and kind.bare:
        return ""  # the instruction says it
    if form == "text":
        parts = "\n".join(_text_parts(kind, words))
        return words.fill("answer_text.md", parts=parts, lists=lists, form=empty)
    fields = "\n".join(_fields(kind, kind.answer_fields(), words, objects))
    return words.fill("answer_json.md", fields=fields, lists=lists, form=empty)


def _fields(
    kind: type[BaseModel],
    names: Iterable[str],
    words: Words,
    objects: Mapping[str, Any],
    indent: str = "",
) -> list[str]:
    """A line for each field; `objects`: the lists that are asked for as objects."""
    lines = []
    for name in names:
        field = kind.model_fields[name]
        inner = entry(field.annotation)
        wording = words("object") if name in objects else _kind(field.annotation, words)
        lines.append(
            indent
            + words(
                '- "$name" ($kind): $meaning', name=name, kind=wording, meaning=_meant(field, words)
            )
        )
        if inner and name in objects:
            for pattern, part in zip((KEY, VALUE), inner.model_fields.values(), strict=True):
                line = words(
                    pattern, kind=_kind(part.annotation, words), meaning=_meant(part, words)
                )
                lines.append(f"  {line}")
        elif inner:
            lines += _fields(inner, inner.model_fields, words, {}, indent + "  ")
    return lines


def _meant(field: FieldInfo, words: Words) -> str:
    more = field.json_schema_extra
    if isinstance(more, dict) and WORDS in more:
        return words(REASON, count=more[WORDS])
    return words(str(field.description))


def _text_parts(kind: type[Reply], words: Words) -> Iterator[str]:
    for name in kind.answer_fields():
        field = kind.model_fields[name]
        inner = entry(field.annotation)
        cells = (
            {key.replace("_", " "): cell for key, cell in inner.model_fields.items()}
            if inner
            else {}
        )
        two = "`- <{}>: <{}>`".format(*cells) if len(cells) == 2 else ""
        pattern = two or f"`- {': ...; '.join(cells)}: ...`"
        entries = words("; a line each: $pattern", pattern=pattern) if inner else ""
        yield f"- {writer.label(kind, name)}: {_meaning(field, words)}{entries}"
        yield from (f"  - {key}: {_meaning(cell, words)}" for key, cell in cells.items())


def _meaning(field: FieldInfo, words: Words) -> str:
    """What a field is for, with its words when it is one of a few."""
    one_of = _kind(field.annotation, words).replace("true | false", "yes | no")
    meant = _meant(field, words)
    return words("$meaning ($kind)", meaning=meant, kind=one_of) if " | " in one_of else meant


def _kind(annotation: Any, words: Words) -> str:
    """A field's type in words; the values that it may have are the same in all languages."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return " | ".join(map(str, arguments))
    if get_origin(annotation) is tuple:
        return words(
            "list of objects" if entry(annotation) else f"list of {_kind(arguments[0], ENGLISH)}s"
        )
    if type(None) in arguments:
        kinds = dict.fromkeys("null" if a is type(None) else _kind(a, words) for a in arguments)
        return words(" or ").join(kinds)
    if get_origin(annotation) is Annotated:
        return _kind(arguments[0], words)
    if annotation is bool:
        return "true | false"
    return words({int: "whole number", float: "number"}.get(annotation, "text"))
