"""The reply types that more than one role shares, and how a reply type is explained to a model."""

import json
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

import prompts
from orchestrator.moves import Grounded


class Reply(BaseModel):
    """What a role answers. Models may add keys of their own; they are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    names_moves: ClassVar[bool] = False
    """Whether it names legal moves, so that it cannot be given without being told them."""
    example: ClassVar[dict[str, Any]] = {}
    """One well-formed reply, to show the form."""


Chance = Annotated[float, Field(ge=0, le=1)]


class Choice(Reply):
    """What a deciding role replies; the seat makes the Decision."""

    names_moves = True
    example = {"reason": "Slot 2 was told red and 1, and no red card is played yet.", "action": "play slot 2"}

    reason: str = Field(description="why, in a few sentences")
    action: Grounded = Field(description="the chosen legal move, copied without its number")


class Rating(Reply):
    action: Grounded = Field(description="the legal move, copied without its number")
    rating: float = Field(ge=-1, le=1, description="from -1 (terrible) to 1 (excellent)")


_RATINGS = [{"action": "play slot 2", "rating": 0.9}, {"action": "discard slot 0", "rating": -0.2}]


class RatedChoice(Reply):
    """A choice with a rating of every legal move, asked for before the reason, as Sherlock does.

    The order of the fields is the order in which a model writes them, which is why this does not inherit from Choice.
    """

    names_moves = True
    example = {"ratings": _RATINGS, **Choice.example}

    ratings: tuple[Rating, ...] = Field(description="one entry for EVERY legal move")
    reason: str = Field(description="why, in a few sentences")
    action: Grounded = Field(description="the chosen legal move, copied without its number")


class ReasonedChoice(Reply):
    """A choice with ratings asked for after the reason, as Watson does."""

    names_moves = True
    example = {"reason": Choice.example["reason"], "ratings": _RATINGS, "action": Choice.example["action"]}

    reason: str = Field(description="why, in a few sentences")
    ratings: tuple[Rating, ...] = Field(description="one entry for EVERY legal move")
    action: Grounded = Field(description="the chosen legal move, copied without its number")


class Deduction(Reply):
    seat: int = Field(ge=0, le=4, description="the player's number, your own included")
    slots: tuple[str, ...] = Field(
        description="what the hints leave of each of his cards, slot 0 first, e.g. 'red/blue 1/2', 'green any rank'"
    )


class TrackedChoice(Reply):
    """A choice with the player's own list of what the hints leave of every card, as Mycroft keeps it."""

    names_moves = True
    example = {
        "ratings": _RATINGS,
        "deductions": [{"seat": 1, "slots": ["red any rank", "yellow/green/white/blue 1", "anything"]}],
        **Choice.example,
    }

    ratings: tuple[Rating, ...] = Field(description="one entry for EVERY legal move")
    deductions: tuple[Deduction, ...] = Field(description="one entry for EVERY player, yourself included")
    reason: str = Field(description="why, in at most 120 words")
    action: Grounded = Field(description="the chosen legal move, copied without its number")


AnyChoice = Choice | RatedChoice | ReasonedChoice | TrackedChoice

Ratings = Literal["none", "first", "after_reason"]
"""Whether deciding roles rate every legal move, and when."""

CHOICES: dict[Ratings, type[Reply]] = {"none": Choice, "first": RatedChoice, "after_reason": ReasonedChoice}


class Judgement(Reply):
    """What a judge replies about the move before him."""

    example = {"reason": "Slot 0 is known to be the red 1, and red is next at 1.", "accept": True}

    reason: str = Field(description="the check, in four or five sentences at most")
    accept: bool = Field(description="true if the move may be made, false if it is refused")


class Verdict(Judgement):
    """A judgement with the move it is about: what later attempts read."""

    move: Grounded


def answer_format(kind: type[Reply]) -> str:
    """The part of a prompt that states how to answer: fields with their meaning, then the example."""
    example = json.dumps(kind.example, ensure_ascii=False)
    return prompts.fill("answer_json.md", {"fields": "\n".join(_fields(kind)), "example": example})


def _fields(kind: type[BaseModel], indent: str = "") -> list[str]:
    lines = []
    for name, field in kind.model_fields.items():
        inner = _entry(field.annotation)
        lines.append(f'{indent}- "{name}" ({_kind(field.annotation)}): {field.description}')
        lines += _fields(inner, indent + "  ") if inner else []
    return lines


def _entry(annotation: Any) -> type[BaseModel] | None:
    """The type of a list's entries, when they have fields of their own."""
    inner = get_args(annotation)[0] if get_origin(annotation) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def _kind(annotation: Any) -> str:
    """A field's type in words."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return " | ".join(map(str, arguments))
    if get_origin(annotation) is tuple:
        return "list of objects" if _entry(annotation) else f"list of {_kind(arguments[0])}s"
    if type(None) in arguments:
        return " or ".join(dict.fromkeys("null" if a is type(None) else _kind(a) for a in arguments))
    if get_origin(annotation) is Annotated:
        return _kind(arguments[0])
    return {int: "whole number", float: "number", bool: "true | false"}.get(annotation, "text")
