"""The error model: each class names the boundary at which something failed.

UserError         a config, a prompt, a deck or a command is wrong: raised before any turn is played
TurnError         a turn could not be finished
+ ModelError      no answer came from the provider, after all retries
  + OverBudget    the budget leaves no room for the call, so it was not made
+ IllegalMove     a seat decided a move that the rules do not allow
+ RoleError       the program of a role raised
Suspended         a game stopped before its end and has no score; it can be resumed from its journal
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for `--help`, which takes as long as its imports
    from pydantic import ValidationError

    from orchestrator.wire_try import WireTry


class UserError(ValueError):
    """Something that a user wrote is wrong; the message names the value and what would be right."""


def user_error(where: str, error: ValidationError) -> UserError:
    """The first problem that pydantic found in a file or option, as one sentence; `where` may be empty."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    sentence = first["msg"].removeprefix("Value error, ")
    shown = "" if first["type"] in ("value_error", "missing") else f", not {first['input']!r}"
    return UserError(": ".join(part for part in (where, path, f"{sentence}{shown}") if part))


class TurnError(RuntimeError):
    """A turn failed; the journal holds everything up to it."""


class ModelError(TurnError):
    """No answer came from a provider."""

    def __init__(self, sentence: str, attempts: tuple[WireTry, ...] = (), *, final: bool = False) -> None:
        super().__init__(sentence)
        self.attempts = attempts
        """The requests that were sent for it, if any."""
        self.final = final
        """The server refused for good: a retry would change nothing."""


class OverBudget(ModelError):  # noqa: N818  # the field's short name
    """The budget leaves no room for the call."""


class IllegalMove(TurnError):  # noqa: N818  # the field's short name
    """A seat decided a move that the rules do not allow now."""


class RoleError(TurnError):
    """The program of a role raised; the cause is chained."""


class Suspended(RuntimeError):  # noqa: N818  # the state of the game
    """A game stopped before its end and has no score. If it has a journal, the same call resumes it there."""

    def __init__(self, sentence: str, turn: int, *, held: bool = False, refused: bool = False) -> None:
        super().__init__(sentence)
        self.turn = turn
        self.held = held
        """The run itself stopped it, for example for want of budget; it can be resumed when that has changed."""
        self.refused = refused
        """A server refused for good before it answered anything, so there is nothing to resume."""
