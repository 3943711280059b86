"""What calls of models use: tokens and money, in one type that adds up."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Usage:
    """The tokens and the price of some calls, none at first."""

    tokens_in: int = 0
    """Of the prompts, those from the provider's cache included."""
    tokens_out: int = 0
    """Of the answers, reasoning included."""
    usd: float | None = 0.0
    """US dollars; None where the price of a call is not known."""
    calls: int = 0
    cached_tokens: int = 0
    """Part of `tokens_in`."""
    reasoning_tokens: int = 0
    """Part of `tokens_out`."""

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Self) -> "Usage":
        return self._with(other, 1)

    def __sub__(self, other: Self) -> "Usage":
        return self._with(other, -1)

    def _with(self, other: Self, sign: int) -> "Usage":
        return Usage(
            self.tokens_in + sign * other.tokens_in,
            self.tokens_out + sign * other.tokens_out,
            None if self.usd is None or other.usd is None else self.usd + sign * other.usd,
            self.calls + sign * other.calls,
            self.cached_tokens + sign * other.cached_tokens,
            self.reasoning_tokens + sign * other.reasoning_tokens,
        )

    @classmethod
    def counted(cls, prompt: int, completion: int, total: int = 0, cached: int = 0, reasoning: int = 0) -> Self:
        """Return what a server's counts of one call mean, 0 for one that it does not send; the price is not known.

        Most servers count cached tokens in the prompt and reasoning in the completion, some beside them. A part that is
        larger than its whole is beside it; where a total is larger than its sum, the rest of it is what lies beside. A
        rest that is nothing known is reasoning.
        """
        if not prompt and completion:
            prompt = max(0, total - completion)
        rest = max(0, total - prompt - completion)
        if cached > prompt or (cached and rest in (cached, cached + reasoning)):
            prompt, rest = prompt + cached, max(0, rest - cached)
        completion += reasoning if reasoning > completion else rest
        return cls(prompt, completion, None, 1, cached, reasoning)


NO_USAGE = Usage()
