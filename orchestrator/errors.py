"""Every failure names the boundary it crossed.

UserError         a config, a prompt, a deck or a command is written wrongly: raised before any turn
TurnError         a turn could not be finished
+ ModelError      the provider: transport, status, timeout
+ IllegalMove     the rules: a decision that the table refuses
"""


class UserError(ValueError):
    """Somebody wrote something wrongly; the message names the value and what would be right."""


class TurnError(RuntimeError):
    """A turn failed; the journal holds everything up to it."""


class ModelError(TurnError):
    """A provider did not answer: transport, status or timeout."""


class IllegalMove(TurnError):  # noqa: N818  # "an illegal move" is the thing itself
    """A seat decided something that the rules do not allow now."""


class RoleError(TurnError):
    """A role's program raised; the cause is chained."""
