"""A limit on what a run may spend, in tokens or in US dollars, over all its games.

A turn begins only while the budget has room for it and for all other turns in play; each is expected to cost a quarter
more than the most expensive turn so far. So games wait for one another, and stop between two turns. In addition, no
call is made that could exceed the limit: calls in flight are counted at the most that they may cost. A turn that turns
out to be more expensive than any before stops in its middle, and its answers are kept.

Nobody knows how long the answers of a model without `max_tokens` can be. Its first call is made alone, and each later
one is counted at twice its longest answer so far; an answer that is longer still exceeds the limit by the difference.

`Accounts` add up the costs of the whole run. A `Budget` asks them on behalf of the games of one process; the accounts
may be kept in another process.
"""

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from typing import Any, Protocol
from uuid import uuid4

from hanabi_orchestrator.orchestrator.errors import OverBudget, UserError
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models import list_prices
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.models.request import (
    Brain,
    Message,
    ModelRequest,
    ModelResponse,
    estimated_prompt,
    takes_schema,
)
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE, Usage

ANSWER = 4000
"""The least, in tokens, that an answer of a model without `max_tokens` is counted at, its first one included."""
FACTOR = 1.1
"""Tokens of a prompt for each one that is estimated, before a server has counted any."""


POLL_S = 0.05
"""Seconds after which a waiting game asks again; no event tells it what other processes have spent."""
MARGIN = 1.25
"""Turns become more expensive as the history of a game grows."""


@dataclass
class Turn:
    """A turn that has begun."""

    paid: Usage = NO_USAGE
    held: Usage = NO_USAGE


class Teller(Protocol):
    """A way to call the methods of a run's `Accounts`, in this process or in the one that keeps them."""

    async def ask(self, what: str, *arguments: Any) -> Any:
        """Call a method and wait for its result."""

    def tell(self, what: str, *arguments: Any) -> None:
        """Call a method without waiting for it."""


@dataclass
class Accounts:
    """What a run has spent and has set aside, over all its games; turns are identified by name."""

    max_tokens: int | None = None
    """Tokens in and out, reasoning included; answers from the cache cost none."""
    max_usd: float | None = None
    spent: Usage = NO_USAGE
    held: Usage = NO_USAGE
    """Set aside for calls in flight, at the most that they may cost."""
    dearest: Usage = NO_USAGE
    """The highest cost that a turn has reached, with what was set aside for its calls in flight."""
    turns: dict[str, Turn] = field(default_factory=dict)
    """Those that have begun, of all games."""
    longest: dict[str, int] = field(default_factory=dict)
    """By model without `max_tokens`: the tokens of its longest answer in this run."""
    longest_before: int = 0
    """The longest answer that is known of earlier runs, whatever model gave it."""
    firsts: dict[str, str] = field(default_factory=dict)
    """By model without `max_tokens`: the name of its first call, while that is in flight."""

    async def ask(self, what: str, *arguments: Any) -> Any:
        return getattr(self, what)(*arguments)

    def tell(self, what: str, *arguments: Any) -> None:
        getattr(self, what)(*arguments)

    def begin(self, name: str) -> tuple[str | None, bool]:
        """Begin a turn; or return why it cannot begin, and whether that may change once other turns end."""
        turn_at_most = Usage(
            int(self.dearest.tokens * MARGIN), usd=(self.dearest.usd or 0) * MARGIN
        )
        coming = turn_at_most
        for turn in self.turns.values():
            coming += turn_at_most.largest(turn.paid) - turn.paid
        if why := self._over(self.spent, coming, "the turns in play"):
            return why, bool(self.turns)
        self.turns[name] = Turn()
        return None, False

    def end(self, name: str) -> None:
        """End a turn and release what is still set aside for it: a call that was given up may never be settled."""
        if (turn := self.turns.pop(name, None)) is not None:
            self.held -= turn.held

    def process_ended(self, process: str) -> None:
        """A process ended unexpectedly: count its calls in flight as paid, and end its turns."""
        for name in [name for name in self.turns if name.startswith(f"{process}-")]:
            self.spent += self.turns[name].held
            self.end(name)
        self.firsts = {
            model: name for model, name in self.firsts.items() if not name.startswith(f"{process}-")
        }

    def expect(self, model: str, name: str) -> tuple[str | None, int]:
        """Return the tokens of a model's longest answer so far, 0 for its first call; or that its first call must end
        before this one may be made."""
        if model not in self.longest and self.firsts.setdefault(model, name) != name:
            return f"the first answer of {model} has not come yet", 0
        return None, max(self.longest_before, self.longest.get(model, 0))

    def learn(self, model: str, name: str, tokens: int | None) -> None:
        """Note how long an answer was; None where none came, so that another call is the first one."""
        if tokens is not None:
            self.longest[model] = max(tokens, self.longest.get(model, 0))
        if self.firsts.get(model) == name:
            del self.firsts[model]

    def hold(self, name: str | None, worst: Usage) -> tuple[str | None, bool]:
        """Set aside what a call may cost; or return why it cannot be made, and whether that may change."""
        if why := self._over(self.spent + self.held, worst, "the next call"):
            return why, self.held.tokens > 0
        turn = self.turns.get(name or "")
        if turn is not None:
            turn.held += worst
            self.dearest = self.dearest.largest(turn.paid + turn.held)
        if turn is not None or name is None:
            self.held += worst
        return None, False

    def settle(self, name: str | None, worst: Usage, paid: Usage) -> None:
        """Replace what was set aside for a call by what it cost, 0 for one that failed."""
        self.spent += paid
        turn = self.turns.get(name or "")
        if turn is not None:
            turn.held -= worst
            turn.paid += paid
        if turn is not None or name is None:
            self.held -= worst

    def remember(self, spent: Usage, dearest: Usage, longest: int) -> None:
        """Add what a game has spent in an earlier run, what its most expensive turn needed, and its longest answer."""
        self.spent += spent
        self.dearest = self.dearest.largest(dearest)
        self.longest_before = max(longest, self.longest_before)

    def _over(self, used: Usage, more: Usage, what: str) -> str | None:
        """Return why there is no room for this much more; None where there is."""
        total = used + more
        if self.max_tokens is not None and total.tokens > self.max_tokens:
            spent = f"{self.spent.tokens} of {self.max_tokens} tokens"
        elif self.max_usd is not None and (total.usd or 0) > self.max_usd:
            spent = f"${self.spent.usd or 0:.4f} of ${self.max_usd:g}"
        else:
            return None
        need = f"{more.tokens}" if self.max_tokens is not None else f"${more.usd or 0:.4f}"
        return f"the budget is reached: {spent} are spent, and {what} may need {need} more"


_turn: ContextVar[str | None] = ContextVar("turn", default=None)
"""The name of the turn that this task plays; inherited by the tasks of its nodes."""


class Budget:
    """The budget of the games of one process; the game loop asks it before each turn.

    `teller`: accounts that other processes spend from as well; accounts of its own if not given. `process`: the name of
    this process in those accounts.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        *,
        teller: Teller | None = None,
        process: str | None = None,
    ) -> None:
        """Raises UserError for an impossible budget."""
        if max_tokens is not None and max_tokens < 1:
            raise UserError(f"the budget is {max_tokens} tokens; it must be at least 1")
        if max_usd is not None and not 0 < max_usd < inf:
            raise UserError(
                f"the budget is ${max_usd:g}; it must be a number of dollars, more than 0"
            )
        self.max_usd = max_usd
        self.accounts = Accounts(max_tokens, max_usd)
        self.models: list[ModelSettings] = []
        """The models that were checked: those that spend from it."""
        self._teller = teller or self.accounts
        self._names = map(f"{process or uuid4().hex}-{{}}".format, count())

    def check(self, settings: ModelSettings) -> None:
        """Raise UserError when the run is limited in money and the model has no price; warn of a list price."""
        warned = any(model.model == settings.model for model in self.models)
        self.models.append(settings)
        if self.max_usd is None:
            return
        if (caution := list_prices.caution([settings])) and not warned:
            log.warning(f"the budget in dollars: {caution}")
        if list_prices.price_of(settings) is None:
            raise UserError(
                f"a budget in dollars needs the price of {settings.model} in dollars per million tokens: "
                "`price: {input: X, output: Y}` in a models file, or HANABI_PRICE='{input: X, output: Y}'"
            )

    def remember(self, turns: Iterable[Iterable[Usage]]) -> None:
        """Count what an unfinished game has spent in earlier runs: the calls of each of its turns."""
        played = [tuple(calls) for calls in turns]
        longest = max((call.tokens_out for calls in played for call in calls), default=0)
        answer = NO_USAGE
        for model in self.models:  # a turn also needs room for an answer at its worst
            answer = answer.largest(_cost(model, 0, _most(model) or max(ANSWER, 2 * longest)))
        for calls in played:
            cost = sum(map(self._paid, calls), NO_USAGE)
            self._teller.tell("remember", cost, cost + answer, longest)

    def recall(self, game: Usage) -> None:
        """Count what a finished game has cost; its longest answer had at least as many tokens as the mean one."""
        self._teller.tell(
            "remember", self._paid(game), NO_USAGE, game.tokens_out // max(1, game.calls)
        )

    def _paid(self, usage: Usage) -> Usage:
        """Price what was used at the highest price of now where none was set then."""
        if usage.usd is not None:
            return usage
        prices = filter(None, map(list_prices.price_of, self.models))
        return replace(
            usage,
            usd=max(
                (price.usd(usage.tokens_in, usage.tokens_out) for price in prices), default=0.0
            ),
        )

    async def enter(self) -> str | None:
        """Wait for room for the next turn, then begin it; called in the task that plays the game.

        Returns None, or why the turn cannot begin: there is no room, and no other turn in play that could free some.
        """
        self.leave()
        name = next(self._names)
        why = await self._patiently("begin", name)
        if why is None:
            _turn.set(name)
        return why

    def leave(self) -> None:
        """End the turn of this task, if it is in one."""
        if (name := _turn.get()) is not None:
            self._teller.tell("end", name)
            _turn.set(None)

    async def expect(self, model: str) -> tuple[str, int]:
        """Wait until a model's answers have a known length, or this call is its first one, made alone.

        Returns a name for the call, to be passed to `learn`, and the tokens of the longest answer so far.
        """
        name = next(self._names)
        while True:
            why, longest = await self._teller.ask("expect", model, name)
            if why is None:
                return name, longest
            await asyncio.sleep(POLL_S)

    def learn(self, model: str, name: str, tokens: int | None) -> None:
        """Note how long an answer was; None where none came."""
        self._teller.tell("learn", model, name, tokens)

    async def hold(self, worst: Usage) -> None:
        """Wait for room for a call that may cost this much. Raises OverBudget when there will be none."""
        if why := await self._patiently("hold", _turn.get(), worst):
            raise OverBudget(why)

    async def _patiently(self, what: str, *arguments: Any) -> str | None:
        """Ask until there is room, or until none can become free; returns None, or why there is no room."""
        while True:
            answer: tuple[str | None, bool] = await self._teller.ask(what, *arguments)
            if not answer[0] or not answer[1]:
                return answer[0]
            await asyncio.sleep(POLL_S)

    def settle(self, worst: Usage, paid: Usage) -> None:
        """Replace what was set aside for a call by what it cost, 0 for one that failed."""
        self._teller.tell("settle", _turn.get(), worst, paid)


def _cost(settings: ModelSettings, tokens_in: int, tokens_out: int, cached: int = 0) -> Usage:
    price = list_prices.price_of(settings) or Price(input=0, output=0)
    return Usage(tokens_in, tokens_out, price.usd(tokens_in, tokens_out, cached))


def _most(settings: ModelSettings) -> int | None:
    """Return the most tokens that an answer may have, where that is set; `extra_body` may set it by another name."""
    names = ("max_tokens", "max_completion_tokens")
    limit = settings.max_tokens or next(filter(None, map(settings.extra_body.get, names)), None)
    return limit if isinstance(limit, int) else None


@dataclass
class Metered:
    """A brain whose calls are paid from a budget."""

    brain: Brain
    budget: Budget
    settings: ModelSettings
    factor: float = FACTOR
    """Tokens of a prompt for each one that is estimated: more than usual at first, then what the server has counted."""

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        if (most := _most(self.settings)) is not None:
            return await self._within(most, request, messages)
        model = self.settings.model
        tokens = None
        name, longest = await self.budget.expect(model)
        try:
            response = await self._within(max(ANSWER, 2 * longest), request, messages)
            tokens = response.tokens_out
        finally:
            self.budget.learn(model, name, tokens)
        return response

    async def _within(
        self, most: int, request: ModelRequest, messages: tuple[Message, ...]
    ) -> ModelResponse:
        """Ask once there is room for an answer of so many tokens."""
        length = estimated_prompt(messages)
        worst = _cost(self.settings, int(length * self.factor), most)
        await self.budget.hold(worst)
        paid = NO_USAGE
        try:
            spoken = await self.brain(request, messages)
            self.factor = max(self.factor, spoken.tokens_in / max(length, 1))
            paid = _cost(self.settings, spoken.tokens_in, spoken.tokens_out, spoken.cached_tokens)
        finally:
            self.budget.settle(worst, paid)
        return spoken

    def takes_schema(self, request: ModelRequest, /) -> bool:
        return takes_schema(self.brain, request)

    async def aclose(self) -> None:
        await self.brain.aclose()
