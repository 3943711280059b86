"""The interface to model servers: one completion request goes out, one response comes back or an exception is raised.

`openai_client` and `langchain_client` implement it. What all servers have in common (how many calls run at a time,
retries, the classification of faults, prices, keys that must not be written) is `orchestrator.models.layer`'s.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from hanabi_orchestrator.orchestrator.models.request import Message, ModelResponse


@dataclass(frozen=True)
class CompletionRequest:
    """What one call sends besides the settings that its model always has."""

    messages: tuple[Message, ...]
    response_format: Mapping[str, Any] | None = None
    """As OpenAI's API takes it; None to leave it out."""
    seed: int | None = None
    labels: Mapping[str, str | int] = field(default_factory=dict)
    """What a trace says of it; no server gets them."""


class Transport(Protocol):
    """How the requests of one model reach it."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Keys that are removed from whatever the server says."""

    @property
    def takes_response_format(self) -> bool:
        """True if it sends the `response_format` of a request."""

    @property
    def context_length(self) -> int | None:
        """Tokens that the model takes at a time, as `check` learnt it from the server; None when it does not say."""

    async def send(self, request: CompletionRequest, /) -> ModelResponse:
        """Send a request once; token counts are 0 where the server sends none.

        Raises the exceptions of its client, which `orchestrator.models.faults` classifies, or NotACompletion.
        """

    async def check(self) -> None:
        """Raise UserError when the server cannot be used; called before the first request."""

    async def aclose(self) -> None:
        """Close the connections; a later request opens new ones."""


@dataclass
class FakeTransport:
    """A transport that gives prepared responses in turn, and keeps the requests: a public test double.

    A text stands for a response of that text; an exception is raised. Raises IndexError when there are none left.
    """

    responses: Iterable[str | ModelResponse | Exception]
    secrets: tuple[str, ...] = ()
    takes_response_format: bool = True
    context_length: int | None = None
    requests: list[CompletionRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._prepared = list(self.responses)

    async def send(self, request: CompletionRequest, /) -> ModelResponse:
        self.requests.append(request)
        response = self._prepared.pop(0)
        if isinstance(response, Exception):
            raise response
        return (
            ModelResponse(text=response, finish="stop") if isinstance(response, str) else response
        )

    async def check(self) -> None:
        """Always fit for use."""

    async def aclose(self) -> None:
        """Nothing to close."""
