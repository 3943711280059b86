"""`bench --partner all`: mean self-play scores of rule players, strict and kept.

The rules play on the referee directly, without seats and journals, which would take most of the time of a fast game.
"""

import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from rich.console import Console

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.players.base import Partner, Rule


@dataclass(frozen=True)
class SelfPlay:
    """Self-play games of a partner at a player count."""

    partner: str
    players: int
    games: int
    strict: float
    """Mean strict score: 0 when the third life is lost."""
    strict_se: float
    kept: float
    """Mean kept score: the points on the table."""
    kept_se: float
    struck_out: float
    """The share of games in which the third life was lost."""
    perfect: float
    """The share of games with 25 points."""
    ms_a_turn: float
    """Including the referee."""


def measure(names: Iterable[str], games: int) -> Iterator[SelfPlay]:
    """Every partner at every player count that it supports, on the deals of seeds 1 to `games`."""
    for partner in map(partners.get, names):
        for players in (count for count in HAND_SIZES if count in partner.players):
            yield _measured(partner, players, games)


def _measured(partner: Partner, players: int, games: int) -> SelfPlay:
    began = time.perf_counter()
    ends = [_played(partner.rule, players, seed) for seed in range(1, games + 1)]
    seconds = time.perf_counter() - began
    strict = [end.score_strict for end in ends]
    kept = [end.score_kept for end in ends]
    return SelfPlay(
        partner.name,
        players,
        games,
        statistics.mean(strict),
        _error(strict),
        statistics.mean(kept),
        _error(kept),
        struck_out=statistics.mean(end.end == "lives_lost" for end in ends),
        perfect=statistics.mean(end.end == "perfect" for end in ends),
        ms_a_turn=1000 * seconds / sum(end.turn - 1 for end in ends),
    )


def _played(rule: Rule, players: int, seed: int) -> Referee:
    referee = Referee(players, deal(seed))
    while not referee.over:
        view = referee.view()
        referee.apply(rule(view, Random(f"{seed} {view.seat} {view.turn}"))[0])
    return referee


def _error(scores: Sequence[int]) -> float:
    """Standard error of the mean."""
    return statistics.stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else 0.0


def show(found: Iterable[SelfPlay], console: Console) -> None:
    names = (
        "partner",
        "players",
        "games",
        "strict",
        "kept",
        "struck out",
        "perfect",
        "ms per turn",
    )
    table = plain_table(*names, words=("partner",))
    for one in found:
        scores = f"{one.strict:.2f} ± {one.strict_se:.2f}", f"{one.kept:.2f} ± {one.kept_se:.2f}"
        shares = f"{one.struck_out:.1%}", f"{one.perfect:.1%}", f"{one.ms_a_turn:.1f}"
        table.add_row(one.partner, str(one.players), str(one.games), *scores, *shares)
    console.print(table)
