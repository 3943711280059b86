"""Every failure names the boundary it crossed.

UserError         a config, a prompt, a deck or a command is written wrongly: raised before any turn
TurnError         a turn could not be finished
+ ModelError      the provider: no answer came, whatever was tried
  + OverBudget    the run has no room for the call, which was not made
+ IllegalMove     the rules: a decision that the table refuses
+ RoleError       a role's program raised
Suspended         a game stopped before its end, unscored; its journal can go on
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

if TYPE_CHECKING:
    from orchestrator.models.request import WireTry


class UserError(ValueError):
    """Somebody wrote something wrongly; the message names the value and what would be right."""


def user_error(where: str, error: ValidationError) -> UserError:
    """The first thing wrong in a file or option, as one sentence; `where` may be empty."""
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
        """The tries over the wire, if any were made."""
        self.final = final
        """The server refused for good: trying again changes nothing."""


class OverBudget(ModelError):  # noqa: N818  # what the call would be
    """There is no room left for the call."""


class IllegalMove(TurnError):  # noqa: N818  # "an illegal move" is the thing itself
    """A seat decided something that the rules do not allow now."""


class RoleError(TurnError):
    """A role's program raised; the cause is chained."""


class Suspended(RuntimeError):  # noqa: N818  # what the game is
    """A game stopped before its end and has no score. Where it has a journal, playing it again goes on there."""

    def __init__(self, sentence: str, turn: int, *, held: bool = False, refused: bool = False) -> None:
        super().__init__(sentence)
        self.turn = turn
        self.held = held
        """The run itself held it, for want of budget, say: it goes on when that has changed."""
        self.refused = refused
        """A server refused for good before anything was answered: there is nothing to go on with."""
