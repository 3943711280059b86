"""One try of a model call over the wire, as journals keep it."""

from orchestrator.values import Frozen


class WireTry(Frozen):
    """One try of a model call over the wire."""

    error: str | None = None
    """What went wrong; None when a response came."""
    status: int | None = None
    """The HTTP status of an error, when there was one."""
    waited_s: float = 0.0
    """Seconds waited after it before the next try."""
    latency_s: float = 0.0
