"""The models that the page may ask, and what they may cost: those named when the server was
started, and no others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from hanabi_orchestrator.experiments.tasks.games import single_game
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.budget import Accounts, Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer, Named, described, is_langchain
from hanabi_orchestrator.orchestrator.models.request import Brain
from hanabi_orchestrator.orchestrator.models.settings import (
    PROGRAM,
    REPLAY,
    ModelSettings,
    settings,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings, is_simulated
from hanabi_orchestrator.orchestrator.models.usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel


class SharedAccounts(Accounts):
    """Accounts of several event loops, each in a thread of its own."""

    def __init__(self, max_tokens: int | None, max_usd: float | None) -> None:
        super().__init__(max_tokens, max_usd)
        self._lock = Lock()

    async def ask(self, what: str, *arguments: Any) -> Any:
        with self._lock:
            return await super().ask(what, *arguments)

    def tell(self, what: str, *arguments: Any) -> None:
        with self._lock:
            super().tell(what, *arguments)


class ServerBudget(Budget):
    """What the server may spend as long as it runs; what its games have cost before does not
    count."""

    def remember(self, turns: Iterable[Iterable[Usage]]) -> None:
        """Count nothing: a game that was left and goes on would be counted twice."""


@dataclass
class NamedLayer(ModelLayer):
    """Makes the brains of named models alone."""

    named: Sequence[ModelSettings] = ()

    def brain(self, model: "Named | BaseChatModel") -> Brain:
        """Return the brain of a model. Raises UserError for one that was not named: a game's own
        must not be paid for without a word."""
        if is_langchain(model):
            config = described(model)
        else:
            config = settings(model)
        # its name, its server and the key tell one model from another
        allowed = {(named.model, named.url, named.key) for named in self.named}
        if (config.model, config.url, config.key) not in allowed:
            raise UserError(
                f"this asks {config.model}, which may cost money: to allow that, start the server "
                f"with --model {config.model}, or with the models file that has its server and key"
            )
        return super().brain(model)


@dataclass(frozen=True)
class NamedModels:
    """The models that `view --model` named."""

    names: tuple[str, ...] = ()
    """Models, and files of models."""
    budget: Budget | None = None
    """Of everything that the server asks."""
    allowed: tuple[ModelSettings, ...] = ()
    """The models on servers among them."""

    @classmethod
    def of(
        cls, names: Sequence[str] = (), max_tokens: int | None = None, max_usd: float | None = None
    ) -> Self:
        """Return them by name. Raises UserError for a name that is no model, and for a budget that
        cannot be kept."""
        limited = max_tokens is not None or max_usd is not None
        teller = SharedAccounts(max_tokens, max_usd)
        budget = ServerBudget(max_tokens, max_usd, teller=teller) if limited else None
        allowed = list[ModelSettings]()
        for model in chain.from_iterable(single_game.models([], name).values() for name in names):
            if isinstance(model, SimSettings) or model == PROGRAM or is_simulated(model):
                continue
            if isinstance(model, ModelSettings) or not model.startswith(REPLAY):
                allowed.append(settings(model))
        if budget:
            for server in allowed:
                budget.check(server)
        return cls(tuple(dict.fromkeys(names)), budget, tuple(allowed))

    @property
    def choices(self) -> tuple[str, ...]:
        """The models that a person may choose from: programs first."""
        return tuple(dict.fromkeys((PROGRAM, *self.names)))

    def layer(self) -> ModelLayer:
        """Return the model layer of one event loop."""
        return NamedLayer(budget=self.budget, named=self.allowed)
