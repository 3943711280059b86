"""The base class of all reply types, what a role answers; and the errors of texts that are none."""

import re
from collections.abc import Mapping
from inspect import get_annotations
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, PrivateAttr

from hanabi_orchestrator.orchestrator.errors import UserError

Options = Mapping[str, Any]
"""What a reply may choose from, by the labels in the prompt: `0`, `1` ... or `A`, `B` ...

A reply type that names options turns their texts into them where it validates; the context of its validation has them
under `moves`.
"""


class TableOptions(dict[str, Any]):
    """Options of a turn, with the table on which what they are called depends: `seat` for the player's own number,
    `players` and `slots` for how many there are; a number that names one must be smaller."""

    def __init__(self, options: Options, table: Mapping[str, int], judged: Any = None) -> None:
        """`judged`: of a judge, the option whose verdict is asked for."""
        super().__init__(options)
        self.table = table
        self.judged = judged


Form = Literal["text", "json", "json_schema"]
"""How a model is to answer: in named lines of plain text, as a JSON object, or as one whose schema the server gets."""


OPTION = "x-option"
"""Marks the JSON schema of a field that names an option."""
BEGINS = "x-begins"
"""With the first word of the options that a field may name, where it may not name all."""
EACH = "x-each"
MOST = "x-most"
"""How many entries a list has: with what there is one for each of (`players`, `others`, `slots`), or at most; or a
number. A schema states it where the server takes bounds; the reader does not insist on it."""
BELOW = "x-below"
"""What a number is smaller than, in the same words: that of a player than `players`. The reader insists on it."""
Counts = tuple[tuple[str, int], ...]
"""How many players, others and slots there are at a table, by these words."""


class NotAnOption(ValueError):  # noqa: N818  # named for what is wrong with the text
    """A text names none of the options, or several; the message is a sentence for the model."""


class Contradiction(ValueError):  # noqa: N818  # named for what is wrong with the reply
    """A reply says the opposite of what it decides; the message is a sentence for the model."""


Cause = Literal[
    "cut_off",
    "too_long",
    "empty",
    "prose",
    "schema",
    "illegal",
    "contradiction",
    "overflow",
    "refused",
]
"""Why an answer is unusable: it was cut off; has more characters than are read; is empty; has no object or part in it;
has a wrong value in a field; names a move that is not on the list; has a reason that says the opposite of what it
decides; or never came, since the prompt was too long for the model, or its content, or the answer's, was refused."""


class Unreadable(Exception):  # noqa: N818  # named for the text; callers ask the model again
    """A text that is not the wanted reply; the message is a sentence for the model."""

    def __init__(self, sentence: str, cause: Cause = "schema") -> None:
        super().__init__(sentence)
        self.cause = cause


# Where a model's thinking ends and its answer begins: the marks of the common models

_TAGS = "think|thinking|thought|thoughts|reasoning|analysis|scratchpad"
_MESSAGE = r"[^<]*(?:<\|constrain\|>\w+)?<\|message\|>"
_END = re.compile(
    rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|channel\|>(?:final|commentary){_MESSAGE}|<channel\|>",
    re.IGNORECASE,
)
_BEGIN = re.compile(
    rf"<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|channel\|>analysis|<\|channel>thought", re.IGNORECASE
)
_CLOSING = re.compile(r"\s*<\|(?:end|return|call|im_end|eot_id)\|>\s*\Z")
_TURN_END = re.compile(r"(?<=\S)\s*(?:<\|(?:im_end|eot_id|endoftext)\|>|<end_of_turn>|</s>)")
"""What follows is a turn that the model made up."""
_WRAPPED = re.compile(
    r"\s*<(answer|final|final_answer|response|output)>(.*)</\1>\s*", re.DOTALL | re.IGNORECASE
)


def answer_of(text: str) -> str:
    """Return what follows the thinking, without the tag around all of it."""
    if not any(
        mark in text for mark in "<[◁"
    ):  # each tag has one, and the patterns look at every character
        return text
    turn = _TURN_END.split(text, maxsplit=1)[0] if "<" in text else text
    *_, answer = _END.split(turn)
    answer = _CLOSING.sub("", answer) if "<|" in answer else answer
    wrapped = _WRAPPED.fullmatch(answer)
    return wrapped[2].strip() if wrapped else answer


def still_thinks(answer: str) -> bool:
    """Return whether thinking begins that never ends."""
    return _BEGIN.search(answer) is not None


class Reply(BaseModel):
    """Base class of replies. Keys that a model adds are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    names_moves: ClassVar[bool] = False
    """True if it names legal moves, so that the prompt must list them."""
    example: ClassVar[dict[str, Any]] = {}
    """One well-formed reply, which tests read back. No model is shown it: weak ones copy what they are shown."""
    labels: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Other names of fields: models see the first, the reader accepts all."""
    openings: ClassVar[Mapping[str, str]] = {}
    """Beginnings of a sentence that state a field, as regular expressions: `I choose ` in `I choose D`."""

    decisive: ClassVar[tuple[str, ...]] = ()
    """Fields that decide: if one of them is in doubt, the whole reply is unusable, and nothing is left out."""
    spare: ClassVar[Mapping[str, Any]] = {}
    """Fields that may be missing, with the values that they then have."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Lists that may have no usable entry; any other list that is asked for needs one."""
    unique: ClassVar[str | None] = None
    """For the entries of a list: the field that identifies duplicates, of which only the first counts."""

    bare: ClassVar[bool] = False
    """Whether plain text gives its only field without a name."""

    programmed: ClassVar[tuple[str, ...]] = ()
    """Fields that only programs fill: models are not asked for them, and what a model writes there is dropped."""

    unsaid: ClassVar[tuple[str, ...]] = ()
    """The `programmed` fields that models which read the reply do not see."""

    conclusion: ClassVar[tuple[str, ...]] = ()
    """The fields that are shown to models which read the reply where reports are brief; empty for all."""

    _text: str | None = PrivateAttr(default=None)

    def __init_subclass__(cls, **options: Any) -> None:
        """Raises UserError for a field with the name of something that every reply has."""
        super().__init_subclass__(**options)
        for name, kind in get_annotations(cls).items():
            if hasattr(Reply, name) and "ClassVar" not in str(kind):
                reserved = "a name that every reply has for itself; rename it"
                raise UserError(f"{cls.__name__} has a field {name!r}, {reserved}")

    @classmethod
    def unnamed(cls, text: str) -> dict[str, Any] | None:
        """Return the fields of an answer that names none of them; None where it has none, as for most types."""
        return None

    @classmethod
    def arranged(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return an object with what belongs to one field under its name, where models spread it over several keys."""
        return dict(data)

    @classmethod
    def answer_fields(cls) -> tuple[str, ...]:
        """Return the fields that a model writes, in order."""
        return tuple(name for name in cls.model_fields if name not in cls.programmed)

    @property
    def text(self) -> str | None:
        """What the model wrote, without its thinking; None when a program made the reply."""
        return self._text

    def with_text(self, text: str | None) -> "Reply":
        """Return a copy that holds the text which the model wrote."""
        reply = self.model_copy()
        reply._text = None if text is None else answer_of(text).strip()
        return reply

    def as_data(self) -> dict[str, Any]:
        """Return the fields that a model writes, as plain data in order."""
        data = self.model_dump(mode="json")
        return {name: data[name] for name in self.answer_fields()}

    def besides(self) -> dict[str, Any]:
        """Return the fields that a program filled and that models may see, as plain data."""
        data = self.model_dump(mode="json", include=set(self.programmed) - set(self.unsaid))
        return {name: value for name, value in data.items() if value}
