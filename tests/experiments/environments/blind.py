"""A model for environments: blind, now and then unusable, and the same for the same prompt."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabi_orchestrator.orchestrator.models.fake_endpoint import KINDS_OF_MOVE, complete
from hanabi_orchestrator.orchestrator.models.request import Message, ModelRequest, ModelResponse


def answer(messages: Sequence[Any]) -> str:
    """The response to messages; some are unusable, some name moves that may be illegal."""
    chance = random.Random(str(messages))
    if any(KINDS_OF_MOVE.search(str(message["content"])) for message in messages):
        return chance.choice(
            ["discard slot 0"] * 4
            + ["play slot 1", "hint P0 red", "hint P1 rank 5", "I shall not say."]
        )
    kind = chance.choice([None] * 4 + ["prose", "illegal"])
    return str(complete({"messages": list(messages)}, kind)["choices"][0]["message"]["content"])


@dataclass
class Blind:
    """It keeps its requests and their messages."""

    heard: list[tuple[ModelRequest, tuple[Message, ...]]] = field(default_factory=list)

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        self.heard.append((request, messages))
        return ModelResponse(
            text=answer([{"role": m.role, "content": m.content} for m in messages]), finish="stop"
        )

    async def aclose(self) -> None:
        """Nothing to close."""
