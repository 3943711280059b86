"""What finished games of a run folder took: the ground of an estimate that is better than any assumption."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from experiments.design.offline_layer import OfflineLayer
from experiments.design.player_spec import PlayerSpec
from experiments.results.rows import Peeked
from orchestrator.journal.events import Result, SeatInfo
from orchestrator.models.settings import PROGRAM, ModelSettings, Price
from orchestrator.models.simulated import is_simulated
from orchestrator.table.seat import describe


def who(seat: SeatInfo) -> str:
    """The same for seats of one graph on the same models, asked alike; prompts may have been reworded since."""
    return json.dumps([None if seat.config else seat.graph, seat.config, seat.models], sort_keys=True)


def whose(spec: PlayerSpec) -> str:
    return who(describe(spec.seat(OfflineLayer())))


@dataclass(frozen=True)
class Finished:
    cast: tuple[str, ...]
    """Who sat there, in any order."""
    players: int
    models: frozenset[str]
    """Those of servers, with what decides their answers."""
    result: Result

    @property
    def paid(self) -> int:
        """Calls that no cache answered."""
        return self.result.calls - self.result.cache_hits

    def whole(self, paid: float) -> float:
        """What all calls come to when those that were paid for came to this: no cache may answer the next time."""
        return paid * self.result.calls / self.paid


def _deciding(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


@dataclass(frozen=True)
class Measured:
    """The finished games in which a model of a server was asked."""

    games: tuple[Finished, ...] = ()

    @classmethod
    def of(cls, games: Iterable[Peeked]) -> "Measured":
        """Of the journals of run folders."""
        return cls(tuple(_measured(games)))

    def like(self, cast: Iterable[str], players: int) -> list[Finished]:
        """The games of such a table."""
        return self._by_table.get((tuple(sorted(cast)), players), [])

    @cached_property
    def _by_table(self) -> dict[tuple[tuple[str, ...], int], list[Finished]]:
        found: dict[tuple[tuple[str, ...], int], list[Finished]] = {}
        for game in self.games:
            found.setdefault((game.cast, game.players), []).append(game)
        return found

    def answer(self, model: ModelSettings) -> tuple[float, int] | None:
        """Tokens of an answer of a model, in whatever graph, and from how many games; None where it played none.

        Games of several models do not say which of them wrote how much.
        """
        alone = frozenset({_deciding(model.deciding)})
        games = [game for game in self.games if game.models == alone]
        if not games:
            return None
        return sum(game.result.tokens_out for game in games) / sum(game.paid for game in games), len(games)


def _measured(games: Iterable[Peeked]) -> Iterator[Finished]:
    for peeked in games:
        if peeked.started is None or peeked.result is None:
            continue
        seats = peeked.started.seats
        asked = {
            _deciding(deciding)
            for seat in seats
            for name, deciding in seat.models.items()
            if name != PROGRAM and not is_simulated(name)
        }
        game = Finished(tuple(sorted(map(who, seats))), peeked.started.players, frozenset(asked), peeked.result)
        if asked and game.paid > 0:
            yield game


def usd(games: Sequence[Finished], models: Sequence[ModelSettings]) -> float | None:
    """Mean money of a game: at today's price where one model was asked, else as it was paid; None when not known."""
    price = models[0].price if len(models) == 1 else None
    found = [_usd(game, price) for game in games]
    known = [paid for paid in found if paid is not None]
    return fmean(known) if len(known) == len(found) else None


def _usd(game: Finished, price: Price | None) -> float | None:
    result = game.result
    if price:
        return game.whole(price.of(result.tokens_in, result.tokens_out, result.cached_tokens))
    return None if result.usd is None else game.whole(result.usd)
