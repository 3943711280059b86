"""Every failure names the boundary it crossed.

UserError         a config, a prompt, a deck or a command is written wrongly: raised before any turn
TurnError         a turn could not be finished
+ ModelError      the provider: no answer came, whatever was tried
  + OverBudget    the run has no room for the call, which was not made
+ IllegalMove     the rules: a decision that the table refuses
+ RoleError       a role's program raised
Suspended         a game stopped before its end, unscored; its journal can go on
"""

from pydantic import BaseModel, ConfigDict


class WireTry(BaseModel):
    """One try of a model call over the wire."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    error: str | None = None
    """What went wrong; None when a response came."""
    status: int | None = None
    """The HTTP status of an error, when there was one."""
    waited_s: float = 0.0
    """Seconds waited after it before the next try."""
    latency_s: float = 0.0


class UserError(ValueError):
    """Somebody wrote something wrongly; the message names the value and what would be right."""


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
