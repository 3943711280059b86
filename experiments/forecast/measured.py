"""What finished games of run folders cost, and what servers counted in single calls: estimates
without assumptions."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Result, SeatInfo
from hanabi_orchestrator.orchestrator.models.list_prices import price_of
from hanabi_orchestrator.orchestrator.models.request import estimated_prompt
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.table.seat import describe
from hanabi_orchestrator.roles.words import many

JOURNALS = 5
"""Journals whose calls are read for each model with its sampling."""
CALLS = 40
"""Calls that are read of each."""
Settings = dict[str, Any]
"""The settings of a model that affect its responses."""
Lineup = tuple[tuple[str, ...], int]
"""The keys of the seats, sorted, and the player count."""


def seat_key(seat: SeatInfo) -> str:
    """Return a key that seats with the same graph and models share; the prompts may have been
    reworded since."""
    return json.dumps(
        [None if seat.config else seat.graph, seat.config, seat.models], sort_keys=True
    )


@dataclass(frozen=True)
class Finished:
    models: frozenset[str]
    """The models on servers, with the settings that affect their responses."""
    result: Result

    @property
    def paid(self) -> int:
        """Calls that were not answered by the cache."""
        return self.result.calls - self.result.cache_hits

    def extrapolated(self, paid: float) -> float:
        """Return an amount for the paid calls as one for all calls: next time the cache may not
        answer."""
        return paid * self.result.calls / self.paid


Counts = Counter[str]
"""Sums over calls to one model that a server answered and counted, also in games that are not
finished: `calls`, the tokens of their prompts as `request.estimated` counts them (`guessed`),
`tokens_in` and `tokens_out`."""


@dataclass(frozen=True)
class Measured:
    """The finished games in which a model on a server was asked."""

    games: Mapping[Lineup, Sequence[Finished]] = field(default_factory=dict)
    counts: tuple[tuple[Settings, Counts], ...] = ()
    """What servers counted, by journals of a single model: those of several do not say which of
    them counted what."""

    @classmethod
    def select(cls, games: Mapping[Path, Game]) -> "Measured":
        """Return the measurements in the journals of run folders."""
        counts = list[tuple[Settings, Counts]]()
        finished = defaultdict[Lineup, list[Finished]](list)
        for game in (game for game in games.values() if game.started is not None):
            models = []
            for seat in game.started.seats:
                for name, model in seat.models.items():
                    if name != PROGRAM and not is_simulated(name):
                        models.append(model)
            alone = models and all(model == models[0] for model in models)
            if alone and sum(models[0] == model for model, _ in counts) < JOURNALS:
                total = _counted(game)
                counts += [(models[0], total)] if total["guessed"] else []
            if models and game.result is not None and game.result.calls > game.result.cache_hits:
                lineup = tuple(sorted(map(seat_key, game.started.seats)))
                keys = frozenset(json.dumps(model, sort_keys=True) for model in models)
                finished[lineup, game.started.players].append(Finished(keys, game.result))
        return cls(dict(finished), tuple(counts))

    def like(self, lineup: Iterable[PlayerSpec], players: int) -> Sequence[Finished]:
        """Return the games with such a lineup, seats in any order."""
        if not self.games:
            return ()
        keys = tuple(sorted(seat_key(describe(spec.seat())) for spec in lineup))
        return self.games.get((keys, players), ())

    def answer(self, model: ModelSettings) -> tuple[float, str] | None:
        """Return the mean tokens of a model's responses, in any graph, and in what; None when it
        gave none. Only games with this model alone count: others do not say which model wrote how
        much."""
        alone = {json.dumps(model.deciding, sort_keys=True)}
        games = [game for game in chain.from_iterable(self.games.values()) if game.models == alone]
        if games:
            mean = sum(game.result.tokens_out for game in games) / sum(game.paid for game in games)
            return mean, many(len(games), "finished game")
        total = sum(
            (each for settings, each in self.counts if settings == model.deciding), Counts()
        )
        if total:
            return (total["tokens_out"] / total["calls"], many(total["calls"], "call"))
        return None

    def density(self, model: ModelSettings) -> tuple[float, str] | None:
        """Return a server's tokens per estimated token, and in what; None where it counted none for
        the model."""
        total = sum(
            (each for settings, each in self.counts if settings["model"] == model.model), Counts()
        )
        if total:
            return (total["tokens_in"] / total["guessed"], many(total["calls"], "call"))
        return None


def _counted(game: Game) -> Counts:
    """Return the counts of the first calls that a server answered and counted."""
    total = Counts()
    calls = (call for call in game.calls if call.messages and call.tokens_in and not call.estimated)
    try:
        for call in islice(calls, CALLS):
            guessed = estimated_prompt(call.messages)
            total.update(
                calls=1, guessed=guessed, tokens_in=call.tokens_in, tokens_out=call.tokens_out
            )
    except UserError:
        return Counts()  # whoever reads the journal for its game says what is wrong with it
    return total


def usd(games: Sequence[Finished], models: Sequence[ModelSettings]) -> float | None:
    """Return the mean dollars of a game: at today's price when one model was asked, else as paid;
    None if unknown."""
    price = price_of(models[0]) if len(models) == 1 else None
    prices = []
    for game in games:
        result = game.result
        paid = result.usd
        if price:
            paid = price.usd(result.tokens_in, result.tokens_out, result.cached_tokens)
        if paid is None:
            return None
        prices.append(game.extrapolated(paid))
    return fmean(prices)
