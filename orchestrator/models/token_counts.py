"""The token counts of one answer, in the one way in which they are kept, from the several in which servers count."""

from typing import NamedTuple


class TokenCounts(NamedTuple):
    """Counts of one call; 0 where nothing is known."""

    tokens_in: int
    """Of the prompt, those from the provider's cache included."""
    tokens_out: int
    """Of the answer, reasoning included."""
    cached: int
    """Of `tokens_in`."""
    reasoning: int
    """Of `tokens_out`."""


def counted(prompt: int, completion: int, total: int = 0, cached: int = 0, reasoning: int = 0) -> TokenCounts:
    """What a server's counts mean, 0 for one that it does not send.

    Most servers count cached tokens in the prompt and reasoning in the completion, some beside them. A part that is
    larger than its whole is beside it; where a total is larger than its sum, the rest of it is what lies beside. A rest
    that is nothing known is reasoning.
    """
    if not prompt and completion:
        prompt = max(0, total - completion)
    rest = max(0, total - prompt - completion)
    if cached > prompt or (cached and rest in (cached, cached + reasoning)):
        prompt, rest = prompt + cached, max(0, rest - cached)
    completion += reasoning if reasoning > completion else rest
    return TokenCounts(prompt, completion, cached, reasoning)
