"""What finished games of run folders cost, and what servers counted in single calls: estimates without assumptions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.record.game import Game
from experiments.study.seat_spec import PlayerSpec
from orchestrator.errors import UserError
from orchestrator.journal.events import Result, SeatInfo
from orchestrator.models.list_prices import price_of
from orchestrator.models.request import estimated
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.table.seat import describe

JOURNALS = 5
"""Journals whose calls are read for each model with its sampling."""
CALLS = 40
"""Calls that are read of each."""
Settings = dict[str, Any]
"""The settings of a model that affect its responses."""


def seat_key(seat: SeatInfo) -> str:
    """Return a key that seats with the same graph and models share; the prompts may have been reworded since."""
    return json.dumps([None if seat.config else seat.graph, seat.config, seat.models], sort_keys=True)


def spec_key(spec: PlayerSpec) -> str:
    """Return the key of the seat that a player takes."""
    return seat_key(describe(spec.seat()))


@dataclass(frozen=True)
class Finished:
    lineup: tuple[str, ...]
    """Keys of the seats, sorted."""
    players: int
    models: frozenset[str]
    """The models on servers, with the settings that affect their responses."""
    result: Result

    @property
    def paid(self) -> int:
        """Calls that were not answered by the cache."""
        return self.result.calls - self.result.cache_hits

    def extrapolated(self, paid: float) -> float:
        """Return an amount for the paid calls as one for all calls: next time the cache may not answer."""
        return paid * self.result.calls / self.paid


@dataclass(frozen=True)
class ServerCounts:
    """Sums over calls to one model that a server answered and counted, also in games that are not finished."""

    calls: int = 0
    guessed: int = 0
    """Tokens of the prompts, as `request.estimated` counts them."""
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: "ServerCounts") -> "ServerCounts":
        return ServerCounts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def basis(self) -> str:
        return _count(self.calls, "call")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Measured:
    """The finished games in which a model on a server was asked."""

    games: tuple[Finished, ...] = ()
    counts: tuple[tuple[Settings, ServerCounts], ...] = ()
    """What servers counted, by journals of a single model: those of several do not say which of them counted what."""

    @classmethod
    def select(cls, games: Mapping[Path, Game]) -> "Measured":
        """Return the measurements in the journals of run folders."""
        counts: list[tuple[Settings, ServerCounts]] = []
        for game in games.values():
            models = list(_models(game))
            alone = models and all(model == models[0] for model in models)
            if alone and sum(models[0] == model for model, _ in counts) < JOURNALS:
                total = _calls(game)
                counts += [(models[0], total)] if total.guessed else []
        return cls(tuple(_finished(games.values())), tuple(counts))

    def like(self, lineup: Iterable[str], players: int) -> list[Finished]:
        """Return the games with such a lineup, seats in any order."""
        return self._by_lineup.get((tuple(sorted(lineup)), players), [])

    @cached_property
    def _by_lineup(self) -> dict[tuple[tuple[str, ...], int], list[Finished]]:
        games: dict[tuple[tuple[str, ...], int], list[Finished]] = {}
        for game in self.games:
            games.setdefault((game.lineup, game.players), []).append(game)
        return games

    def answer(self, model: ModelSettings) -> tuple[float, str] | None:
        """Return the mean tokens of a model's responses, in any graph, and in what; None when it gave none.

        Only games with this model alone count: others do not say which model wrote how much.
        """
        games = [game for game in self.games if game.models == {_key(model.deciding)}]
        if games:
            mean = sum(game.result.tokens_out for game in games) / sum(game.paid for game in games)
            return mean, _count(len(games), "finished game")
        total = sum((each for settings, each in self.counts if settings == model.deciding), ServerCounts())
        return (total.tokens_out / total.calls, total.basis) if total.calls else None

    def density(self, model: ModelSettings) -> tuple[float, str] | None:
        """Return a server's tokens per estimated token, and in what; None where it counted none for the model."""
        total = sum((each for settings, each in self.counts if settings["model"] == model.model), ServerCounts())
        return (total.tokens_in / total.guessed, total.basis) if total.calls else None


def _key(settings: Settings) -> str:
    return json.dumps(settings, sort_keys=True)


def _models(game: Game) -> Iterator[Settings]:
    """Return the settings of the models on servers that the seats of a game ask."""
    for seat in game.started.seats if game.started else ():
        yield from (model for name, model in seat.models.items() if name != PROGRAM and not is_simulated(name))


def _calls(game: Game) -> ServerCounts:
    """Return the counts of the first calls that a server answered and counted."""
    try:
        counts = game.lines.read(lambda calls: list(islice(_counts(calls), CALLS)), lambda tag, _: tag == "call")
    except UserError:
        return ServerCounts()  # whoever reads the journal for its game says what is wrong with it
    return sum(counts, ServerCounts())


def _counts(calls: Iterable[Mapping[str, Any]]) -> Iterator[ServerCounts]:
    for call in calls:
        if call.get("messages") and call.get("tokens_in") and not call.get("estimated"):
            guessed = sum(estimated(message["content"]) for message in call["messages"])
            yield ServerCounts(1, guessed, call["tokens_in"], call["tokens_out"])


def _finished(games: Iterable[Game]) -> Iterator[Finished]:
    for peeked in games:
        if peeked.started is not None and peeked.result is not None:
            lineup = tuple(sorted(map(seat_key, peeked.started.seats)))
            game = Finished(lineup, peeked.started.players, frozenset(map(_key, _models(peeked))), peeked.result)
            if game.models and game.paid > 0:
                yield game


def usd(games: Sequence[Finished], models: Sequence[ModelSettings]) -> float | None:
    """Return the mean dollars of a game: at today's price when one model was asked, else as paid; None if unknown."""
    price = price_of(models[0]) if len(models) == 1 else None
    prices = []
    for game in games:
        result = game.result
        paid = price.usd(result.tokens_in, result.tokens_out, result.cached_tokens) if price else result.usd
        if paid is None:
            return None
        prices.append(game.extrapolated(paid))
    return fmean(prices)
