"""What finished games of run folders cost: the basis of estimates that need no assumptions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.costs import server_counts
from experiments.costs.server_counts import ServerCounts
from experiments.record.rows import Peeked
from experiments.study.offline_layer import OfflineLayer
from experiments.study.player_spec import PlayerSpec
from orchestrator.journal.events import Result, SeatInfo
from orchestrator.models.list_prices import price_of
from orchestrator.models.settings import PROGRAM, ModelSettings, Price
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.table.seat import describe


def seat_key(seat: SeatInfo) -> str:
    """Equal for seats with the same graph and models; the prompts may have been reworded since."""
    return json.dumps([None if seat.config else seat.graph, seat.config, seat.models], sort_keys=True)


def spec_key(spec: PlayerSpec) -> str:
    return seat_key(describe(spec.seat(OfflineLayer())))


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

    def whole(self, paid: float) -> float:
        """An amount for the paid calls, extrapolated to all calls: next time the cache may not answer."""
        return paid * self.result.calls / self.paid


def _deciding(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


@dataclass(frozen=True)
class Measured:
    """The finished games in which a model on a server was asked."""

    games: tuple[Finished, ...] = ()
    counts: tuple[tuple[dict[str, Any], ServerCounts], ...] = ()
    """What servers counted in single calls, also of games that are not finished, with the settings of the model."""

    @classmethod
    def select(cls, games: Mapping[Path, Peeked]) -> "Measured":
        """From the journals of run folders."""
        return cls(tuple(_measured(games.values())), tuple(server_counts.read(games)))

    def like(self, lineup: Iterable[str], players: int) -> list[Finished]:
        """The games with such a lineup, seats in any order."""
        return self._by_lineup.get((tuple(sorted(lineup)), players), [])

    @cached_property
    def _by_lineup(self) -> dict[tuple[tuple[str, ...], int], list[Finished]]:
        found: dict[tuple[tuple[str, ...], int], list[Finished]] = {}
        for game in self.games:
            found.setdefault((game.lineup, game.players), []).append(game)
        return found

    def answer(self, model: ModelSettings) -> tuple[float, str] | None:
        """Mean tokens of a model's responses, in any graph, and in what; None when it gave none.

        Only games with this model alone count: others do not say which model wrote how much.
        """
        alone = frozenset({_deciding(model.deciding)})
        games = [game for game in self.games if game.models == alone]
        if games:
            mean = sum(game.result.tokens_out for game in games) / sum(game.paid for game in games)
            return mean, "1 finished game" if len(games) == 1 else f"{len(games)} finished games"
        begun = sum((one for settings, one in self.counts if settings == model.deciding), ServerCounts())
        return (begun.tokens_out / begun.calls, _calls(begun)) if begun.calls else None

    def density(self, model: ModelSettings) -> tuple[float, str] | None:
        """A server's tokens per estimated token, and in what; None where it counted none for the model."""
        found = sum((one for settings, one in self.counts if settings["model"] == model.model), ServerCounts())
        return (found.density, _calls(found)) if found.calls else None


def _calls(counts: ServerCounts) -> str:
    return "1 call" if counts.calls == 1 else f"{counts.calls} calls"


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
        game = Finished(tuple(sorted(map(seat_key, seats))), peeked.started.players, frozenset(asked), peeked.result)
        if asked and game.paid > 0:
            yield game


def usd(games: Sequence[Finished], models: Sequence[ModelSettings]) -> float | None:
    """Mean dollars of a game: at today's price when one model was asked, else as paid then; None when not known."""
    price = price_of(models[0]) if len(models) == 1 else None
    found = [_usd(game, price) for game in games]
    known = [paid for paid in found if paid is not None]
    return fmean(known) if len(known) == len(found) else None


def _usd(game: Finished, price: Price | None) -> float | None:
    result = game.result
    if price:
        return game.whole(price.usd(result.tokens_in, result.tokens_out, result.cached_tokens))
    return None if result.usd is None else game.whole(result.usd)
