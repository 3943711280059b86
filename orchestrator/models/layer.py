"""The model layer: the one place through which every request to a model goes.

`ModelLayer` makes the brains of a run. The brain of a model is a chain of brains: the cache answers what has been asked
before, the budget holds back what it has no room for, and a `ChatBrain` sends the rest, as many calls at a time as the
model bears, and again while the server is at fault. A `Transport` carries its requests; the clients of providers are
imported when their first model is made.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hanabi_orchestrator.orchestrator.models import keys
from hanabi_orchestrator.orchestrator.models.budget import Budget, Metered
from hanabi_orchestrator.orchestrator.models.cache import Cache, Cached
from hanabi_orchestrator.orchestrator.models.limiter import Limit, Limiter
from hanabi_orchestrator.orchestrator.models.pause import Pause
from hanabi_orchestrator.orchestrator.models.request import Brain
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.server_facts import ServerFacts
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings, settings
from hanabi_orchestrator.orchestrator.models.transport import Transport

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from typing_extensions import TypeIs


Named = str | Mapping[str, Any] | ModelSettings
"""A model by its string, or with settings."""


def transport(model: Named) -> Transport:
    """Return the transport to a model. Raises UserError when a key or a package is missing."""
    chosen = settings(model)
    if chosen.provider is not None:
        from hanabi_orchestrator.orchestrator.models.langchain_client import (
            LangChainTransport,
            init,
        )

        return LangChainTransport(init(chosen))
    _ = (
        chosen.secrets
    )  # what is missing is said before the client is imported, which takes a second
    if carried := [variable for variable in chosen.key_variables if os.environ.get(variable)]:
        keys.sent(carried[-1], chosen.server)
    for variable in chosen.sent_variables:
        keys.sent(variable, chosen.server)
    from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport

    return OpenAITransport(chosen)


def is_langchain(model: object) -> "TypeIs[BaseChatModel]":
    """Return whether it is a LangChain chat model; LangChain is not imported to find out."""
    loaded = sys.modules.get("langchain_core.language_models.chat_models")
    return loaded is not None and isinstance(model, loaded.BaseChatModel)


def described(model: "BaseChatModel") -> ModelSettings:
    """Return the settings of a LangChain model: its class and name, and what it was given that decides its
    responses."""
    from hanabi_orchestrator.orchestrator.models import langchain_client

    return langchain_client.described(model)


@dataclass
class ModelLayer:
    """The limits, cache, budget and recording that the models of a run share."""

    cache: Cache | None = None
    budget: Budget | None = None
    replay: Brain | None = None
    """Answers instead of every model: no model is made."""
    _brains: list[ChatBrain] = field(default_factory=list)
    limit: Callable[[str, str, int], Limit] = lambda server, model, most: Limiter(most)
    """Makes the limit of a model's calls, from its server, its name and `max_concurrency`."""
    limits: dict[tuple[str, str], Limit] = field(default_factory=dict)
    """By server and model: settings of one model that differ in sampling share a limit."""
    facts: dict[tuple[str, str], ServerFacts] = field(default_factory=dict)
    """What is learnt of a model, by server and model: the arms of a run share it, in one process."""
    pause: Pause = field(default_factory=Pause)
    """While it lasts, no call to a server begins."""

    def brain(self, model: "Named | BaseChatModel") -> Brain:
        """Return the brain of a model. Raises UserError when it cannot be used."""
        if self.replay is not None:
            return self.replay
        if is_langchain(model):
            from hanabi_orchestrator.orchestrator.models.langchain_client import LangChainTransport

            reached: Transport = LangChainTransport(model)
            chosen = described(model)
            server = str(id(model))
        else:
            chosen = settings(model)
            reached = transport(chosen)
            server = chosen.url
        key = server, chosen.model
        if key not in self.limits:
            self.limits[key] = self.limit(*key, chosen.max_concurrency)
        facts = self.facts.setdefault(key, ServerFacts())
        self._brains.append(ChatBrain(reached, chosen, self.limits[key], facts, self.pause))
        brain: Brain = self._brains[-1]
        if self.budget is not None:
            self.budget.check(chosen)
            brain = Metered(brain, self.budget, chosen)
        return brain if self.cache is None else Cached(brain, self.cache, chosen)

    async def check(self) -> None:
        """Raise UserError when a server cannot be used. With a cache nothing is checked: it may have all responses."""
        for brain in self._brains if self.cache is None else ():
            await brain.check()

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


@runtime_checkable
class Wrapper(Protocol):
    """A brain that passes on to another what it does not answer itself."""

    brain: Brain


def limit_of(brain: object) -> Limit | None:
    """Return the limit of a model's calls, given its brain; None for a brain that no layer has made."""
    while isinstance(brain, Wrapper):
        brain = brain.brain
    return brain.limiter if isinstance(brain, ChatBrain) else None
