"""What calls of models use: tokens and money, in one type that adds up."""

from dataclasses import dataclass
from typing import Any, Self

TOKENS = ("tokens_in", "tokens_out", "cached_tokens", "reasoning_tokens")


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

    @property
    def counts(self) -> dict[str, Any]:
        """The tokens by their names, as a response has them."""
        return {name: getattr(self, name) for name in TOKENS}

    def __add__(self, other: "Usage") -> "Usage":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        tokens = {name: getattr(self, name) + getattr(other, name) for name in TOKENS}
        return Usage(**tokens, usd=usd, calls=self.calls + other.calls)

    def __sub__(self, other: "Usage") -> "Usage":
        return self + Usage(
            **{name: -getattr(other, name) for name in TOKENS},
            usd=None if other.usd is None else -other.usd,
            calls=-other.calls,
        )

    def largest(self, other: "Usage") -> "Usage":
        """Return the larger of two amounts, in tokens and in dollars each."""
        most = max(self, other, key=lambda amount: amount.tokens)
        return Usage(most.tokens_in, most.tokens_out, max(self.usd or 0, other.usd or 0))

    @classmethod
    def counted(
        cls, prompt: int, completion: int, total: int = 0, cached: int = 0, reasoning: int = 0
    ) -> Self:
        """Return what a server's counts of one call mean, 0 for one that it does not send; the price is not known.

        Most servers count cached tokens in the prompt and reasoning in the completion, some beside them. A part that is
        larger than its whole is beside it; where a total is larger than its sum, the rest of it is what lies beside. A
        rest that is nothing known is reasoning.
        """
        if not prompt and completion:
            prompt = max(0, total - completion)
        rest = max(0, total - prompt - completion)
        if cached > prompt or (cached and rest in (cached, cached + reasoning)):
            prompt = prompt + cached
            rest = max(0, rest - cached)
        completion += reasoning if reasoning > completion else rest
        return cls(prompt, completion, None, 1, cached, reasoning)


NO_USAGE = Usage()
