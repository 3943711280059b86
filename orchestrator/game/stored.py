"""Moves, past turns and views of any game as fields of stored values: in JSON a move is its text."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
)

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get, of_move, of_moves, parse
from hanabi_orchestrator.orchestrator.replies.reply import OPTION


def _move(answer: Any, info: ValidationInfo) -> Any:
    legal = (info.context or {}).get("moves")
    if legal is not None:
        return of_moves(legal).ground(answer, legal)
    if isinstance(answer, str):
        return parse(answer)
    if isinstance(answer, BaseModel):
        return answer
    raise ValueError(f"{str(answer)[:80]!r} is not a move; a move is stored as its text")


StoredMove = Annotated[
    Any,
    BeforeValidator(_move),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(
        {
            "type": "string",
            "description": "One of the legal moves, copied from the list.",
            OPTION: True,
        }
    ),
]
"""A move as a reply or a journal names it: a text in JSON, matched to a legal move when `context={"moves": ...}` is
given."""


def _past(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    move = value.get("move")
    game = of_move(parse(move)) if isinstance(move, str) else get(DEFAULT)
    return game.past.model_validate(value)


StoredPast = Annotated[Any, BeforeValidator(_past)]
"""A past turn, read as the game of its move has it."""


def read_view(value: Any) -> Any:
    """Return a view, of which plain data is read as its game has it. Raises ValueError."""
    if not isinstance(value, Mapping):
        return value
    return get(str(value.get("game", DEFAULT))).view.model_validate(value)


def short_view(view: Any) -> dict[str, Any]:
    """Return a view as plain data without its defaults, but with the name of its game."""
    data: dict[str, Any] = view.model_dump(mode="json", exclude_defaults=True)
    game = getattr(view, "game", DEFAULT)
    return data if game == DEFAULT else {"game": game, **data}


StoredView = Annotated[
    Any, BeforeValidator(read_view), PlainSerializer(short_view, return_type=dict)
]
"""A view that is stored without its defaults: it holds the whole history, and a journal has one view a turn."""
