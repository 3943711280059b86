"""What a model's answers to real questions measure: tokens, their length in characters, and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from orchestrator.models.request import Exchange, estimated


@dataclass(frozen=True)
class Measure:
    """Means over the first answers to real questions."""

    density: float
    """The server's tokens per token as `request.estimated` counts them."""
    answer: float
    """Tokens of an answer, reasoning included."""
    reasoning: float
    """Tokens of reasoning among them."""
    latency_s: float


def measured(exchanges: Sequence[Exchange]) -> Measure | None:
    """None where no answer came, or the server counts no tokens."""
    answers = [
        (exchange, exchange.response) for exchange in exchanges if exchange.response and not exchange.response.estimated
    ]
    if not answers:
        return None
    guessed = sum(estimated(message.content) for exchange, _ in answers for message in exchange.messages)
    return Measure(
        density=sum(response.tokens_in for _, response in answers) / guessed,
        answer=fmean(response.tokens_out for _, response in answers),
        reasoning=fmean(response.reasoning_tokens or estimated(response.reasoning or "") for _, response in answers),
        latency_s=fmean(response.latency_s for _, response in answers),
    )
