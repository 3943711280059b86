"""What a run may spend, over all its games.

A turn begins only while there is room for it beside all turns that have begun, each taken to need a quarter more than
the dearest so far did: games wait for each other, and stop at a turn's end. And no call is made that could break the
limit: what is in flight is held back at its worst, so that a turn still dearer stops in its middle, with every answer
kept.

`Accounts` add up for the whole run. A `Budget` asks them for the games of one process; they may be kept in another.
"""

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol, Self
from uuid import uuid4

from orchestrator.errors import OverBudget, UserError
from orchestrator.models.request import Brain, Message, ModelRequest, ModelResponse
from orchestrator.models.settings import ModelSettings, Price

ANSWER = 4000
"""Tokens that an answer is taken to have at most, before any was heard of a model without `max_tokens`."""


@dataclass(frozen=True)
class Cost:
    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Self) -> "Cost":
        return Cost(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Self) -> "Cost":
        return Cost(self.tokens - other.tokens, self.usd - other.usd)

    def __mul__(self, times: float) -> "Cost":
        return Cost(int(self.tokens * times), self.usd * times)

    def at_least(self, other: Self) -> "Cost":
        return Cost(max(self.tokens, other.tokens), max(self.usd, other.usd))


NOTHING = Cost()


@dataclass(frozen=True)
class Usage:
    """What a call, or a game, has used before."""

    tokens_in: int
    tokens_out: int
    usd: float | None = None
    """None where no price was known."""


POLL_S = 0.05
"""How often a game that waits for room asks again; other processes give no event."""
MARGIN = 1.25
"""Turns grow dearer as a game's history grows."""


@dataclass
class Turn:
    """A turn that has begun."""

    paid: Cost = NOTHING
    held: Cost = NOTHING


class Teller(Protocol):
    """The accounts of a run, here or in the process that keeps them."""

    async def ask(self, what: str, *given: Any) -> Any:
        """The result of a method of `Accounts`."""

    def tell(self, what: str, *given: Any) -> None:
        """Call a method whose result nobody waits for."""


@dataclass
class Accounts:
    """What a run has spent and holds back, over all its games; turns are known by name."""

    max_tokens: int | None = None
    """Tokens in and out, reasoning included; answers of a cache cost none."""
    max_usd: float | None = None
    spent: Cost = NOTHING
    held: Cost = NOTHING
    """Of calls in flight, at their worst."""
    dearest: Cost = NOTHING
    """The most that a turn has needed: what it had paid and what it held, at its worst moment."""
    turns: dict[str, Turn] = field(default_factory=dict)
    """Those that have begun, of all games."""

    async def ask(self, what: str, *given: Any) -> Any:
        return getattr(self, what)(*given)

    def tell(self, what: str, *given: Any) -> None:
        getattr(self, what)(*given)

    def begin(self, name: str) -> tuple[str | None, bool]:
        """Begin a turn, or say why it must not begin, and whether that may change when other turns end."""
        one = self.dearest * MARGIN
        coming = one
        for turn in self.turns.values():
            coming += one.at_least(turn.paid) - turn.paid
        if why := self._over(self.spent + coming):
            return f"{why}, and the turns in play may need {self._said(coming)}", bool(self.turns)
        self.turns[name] = Turn()
        return None, False

    def end(self, name: str) -> None:
        """What it still holds is held no longer: a call that was given up may never be settled."""
        if (turn := self.turns.pop(name, None)) is not None:
            self.held -= turn.held

    def gone(self, who: str) -> None:
        """A process died with turns in play; its calls in flight may have to be paid for."""
        for name in [name for name in self.turns if name.startswith(f"{who}-")]:
            self.spent += self.turns[name].held
            self.end(name)

    def hold(self, name: str | None, worst: Cost) -> tuple[str | None, bool]:
        """Hold back what a call may cost, or say why it must not be made, and whether that may change."""
        if why := self._over(self.spent + self.held + worst):
            return f"{why}, and the next call may need {self._said(worst)}", self.held.tokens > 0
        turn = self.turns.get(name or "")
        if turn is not None:
            turn.held += worst
            self.dearest = self.dearest.at_least(turn.paid + turn.held)
        if turn is not None or name is None:
            self.held += worst
        return None, False

    def settle(self, name: str | None, worst: Cost, paid: Cost) -> None:
        """The call has come back, or has failed."""
        self.spent += paid
        turn = self.turns.get(name or "")
        if turn is not None:
            turn.held -= worst
            turn.paid += paid
        if turn is not None or name is None:
            self.held -= worst

    def remember(self, spent: Cost, dearest: Cost) -> None:
        """What games that go on have spent before, and what their dearest turn needed."""
        self.spent += spent
        self.dearest = self.dearest.at_least(dearest)

    def _said(self, cost: Cost) -> str:
        return f"{cost.tokens} more" if self.max_tokens is not None else f"${cost.usd:.4f} more"

    def _over(self, whole: Cost) -> str | None:
        if self.max_tokens is not None and whole.tokens > self.max_tokens:
            return f"the budget is reached: {self.spent.tokens} of {self.max_tokens} tokens are spent"
        if self.max_usd is not None and whole.usd > self.max_usd:
            return f"the budget is reached: ${self.spent.usd:.4f} of ${self.max_usd:g} are spent"
        return None


_turn: ContextVar[str | None] = ContextVar("turn", default=None)
"""The name of the turn of the game that this task plays: its nodes, tasks of their own, see it too."""


class Budget:
    """What the games of one process may spend; a gate of their turns.

    `teller`: the accounts of a run that others spend from too; its own if not given. `who`: the name by which they
    know the process.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        *,
        teller: Teller | None = None,
        who: str | None = None,
    ) -> None:
        self.max_usd = max_usd
        self.accounts = Accounts(max_tokens, max_usd)
        self.models: list[ModelSettings] = []
        """Those that were checked."""
        self._teller = teller or self.accounts
        self._names = map(f"{who or uuid4().hex}-{{}}".format, count())

    def check(self, settings: ModelSettings) -> None:
        """Raise UserError when the run is limited in money and the model has no price."""
        self.models.append(settings)
        if self.max_usd is not None and settings.price is None:
            raise UserError(
                f"--max-usd needs the price of {settings.model} in dollars per million tokens: "
                "`price: {input: X, output: Y}` in a models file, or HANABI_PRICE='{input: X, output: Y}'"
            )

    def remember(self, turns: Iterable[Iterable[Usage]]) -> None:
        """Count what a game that goes on has spent before: the calls of each of its turns."""
        answer = NOTHING
        for one in self.models:  # a turn also needs room for an answer at its worst
            answer = answer.at_least(_cost(one, 0, one.max_tokens or ANSWER))
        for calls in turns:
            cost = sum(map(self._paid, calls), NOTHING)
            self._teller.tell("remember", cost, cost + answer)

    def recall(self, game: Usage) -> None:
        """Count what a finished game has cost."""
        self._teller.tell("remember", self._paid(game), NOTHING)

    def _paid(self, usage: Usage) -> Cost:
        """What was paid; where no price was known then, at the highest of now."""
        usd = usage.usd
        if usd is None:
            prices = (model.price for model in self.models if model.price)
            usd = max((price.of(usage.tokens_in, usage.tokens_out) for price in prices), default=0.0)
        return Cost(usage.tokens_in + usage.tokens_out, usd)

    async def enter(self) -> str | None:
        """Asked before each turn of a game, in the game's task: why it must not begin, or None.

        While other turns may turn out to need less than was held back for them, it waits.
        """
        self.leave()
        name = next(self._names)
        why = await self._patiently("begin", name)
        if why is None:
            _turn.set(name)
        return why

    def leave(self) -> None:
        """The game is in no turn any more."""
        if (name := _turn.get()) is not None:
            self._teller.tell("end", name)
            _turn.set(None)

    async def hold(self, worst: Cost) -> None:
        """Wait for room for a call that costs this. Raises OverBudget when it could break the limit."""
        if why := await self._patiently("hold", _turn.get(), worst):
            raise OverBudget(why)

    async def _patiently(self, what: str, *given: Any) -> str | None:
        """Ask as long as what others hold back may come free; then why not, or None."""
        while True:
            answer: tuple[str | None, bool] = await self._teller.ask(what, *given)
            if not answer[0] or not answer[1]:
                return answer[0]
            await asyncio.sleep(POLL_S)

    def settle(self, worst: Cost, paid: Cost) -> None:
        """The call has come back, or has failed."""
        self._teller.tell("settle", _turn.get(), worst, paid)


def _cost(settings: ModelSettings, tokens_in: int, tokens_out: int, cached: int = 0) -> Cost:
    price = settings.price or Price(input=0, output=0)
    return Cost(tokens_in + tokens_out, price.of(tokens_in, tokens_out, cached))


@dataclass
class Metered:
    """A brain that spends from a budget."""

    brain: Brain
    budget: Budget
    settings: ModelSettings
    longest: int = 0
    """Tokens of the longest answer so far."""

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        worst = self._cost(sum(len(message.content) for message in messages) // 3, self._longest())
        await self.budget.hold(worst)
        paid = NOTHING
        try:
            spoken = await self.brain(request, messages)
            self.longest = max(self.longest, spoken.tokens_out)
            paid = self._cost(spoken.tokens_in, spoken.tokens_out, spoken.cached_tokens)
        finally:
            self.budget.settle(worst, paid)
        return spoken

    def _longest(self) -> int:
        """Tokens that an answer may have; extra_body may say it by another name."""
        names = ("max_tokens", "max_completion_tokens")
        said = self.settings.max_tokens or next(filter(None, map(self.settings.extra_body.get, names)), None)
        return said if isinstance(said, int) else max(ANSWER, 2 * self.longest)

    def _cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> Cost:
        return _cost(self.settings, tokens_in, tokens_out, cached)

    async def aclose(self) -> None:
        await self.brain.aclose()
