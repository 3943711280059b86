"""How many tokens a model takes at a time, as far as that is known, and how many a prompt is likely to have."""

from dataclasses import dataclass

from orchestrator.models.request import Message, ModelResponse, estimated

CERTAIN = 1.5
"""A first ask is held back only when its estimate is so many times the context: no tokeniser differs by more."""


@dataclass
class ContextWindow:
    """The context of one model. The estimate of a prompt's tokens improves with every response that counts them."""

    tokens: int | None = None
    """Prompt and answer together; None when unknown."""
    counted: int = 0
    """Tokens of the prompts so far, by the server's counts."""
    expected: int = 0
    """The same, as they had been estimated."""

    def learn(self, messages: tuple[Message, ...], response: ModelResponse) -> None:
        """Compare the server's count of a prompt with the estimate."""
        if response.tokens_in:
            self.counted += response.tokens_in
            self.expected += _estimated(messages)

    def likely(self, messages: tuple[Message, ...]) -> int:
        """Return the tokens that a prompt is likely to have."""
        tokens = _estimated(messages)
        return tokens * self.counted // self.expected if self.expected else tokens

    def bears(self, messages: tuple[Message, ...], ask: int) -> bool:
        """Return whether a prompt may be sent: a second ask if it is likely to fit, a first one unless it cannot."""
        if self.tokens is None:
            return True
        doubt = 1.0 if ask else 1.05 if self.expected else CERTAIN
        return self.likely(messages) < self.tokens * doubt


def _estimated(messages: tuple[Message, ...]) -> int:
    return sum(estimated(message.content) for message in messages)
