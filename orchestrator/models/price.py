"""What tokens cost."""

from typing import Annotated

from pydantic import Field

from hanabi_orchestrator.orchestrator.values import Frozen

Share = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A finite number that is not negative."""


class Price(Frozen):
    """US dollars per million tokens."""

    input: Share
    cached: Share | None = None
    """For input tokens that the provider had cached; the same as `input` if not given."""
    output: Share
    """Reasoning tokens are output."""

    def usd(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """Return what a call costs, never less than 0; `cached` are among `tokens_in`, all of them at most."""
        cached = min(cached, tokens_in)
        dear = self.input if self.cached is None else self.cached
        return ((tokens_in - cached) * self.input + cached * dear + tokens_out * self.output) / 1e6
