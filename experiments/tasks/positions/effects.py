"""What the arms of a run did: how often decisions differ from the baseline's, and what that costs, by kind of position.

Positions of one deal are not independent: they are averaged first, and intervals and tests are over deals.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean

from experiments.statistics.estimates import ROUNDING, Bounds, binomial
from experiments.statistics.permutation import Permuted, by_signs, draws_for, holm
from experiments.statistics.power import ALPHA
from experiments.tasks.positions import cheat, decisions
from experiments.tasks.positions.arms import BASELINE, Arm
from experiments.tasks.positions.bank import Bank, BankPosition
from experiments.tasks.positions.decisions import Sample
from experiments.values.one_step_value import one_step_values
from experiments.values.position import Position
from experiments.values.rollout_store import FOLDER, RolloutStore
from experiments.values.rollouts import SeatRollouts, points
from orchestrator.hanabi.moves import Move


@dataclass(frozen=True)
class Outcome:
    """An arm on a position, beside the baseline; over all pairs of their samples."""

    position: BankPosition
    flipped: float
    """The share of pairs whose moves differ."""
    better: float
    """The share of pairs in which the arm's move is worth more, by one-step values."""
    worse: float
    regret: float
    """Points that the best move is worth more than the arm's, by one-step values."""
    loss: float
    """Points that the baseline's move is worth more, by one-step values; negative where the arm's is."""
    rolled: float | None = None
    """The same in points of the final score, by rollouts; None without them."""
    rerated: float | None = None
    """The mean change of a move's rating; None where either rates no move."""
    forced: float = 0.0
    """The share of samples in which no choice was accepted."""
    keeps: float | None = None
    """The share of samples whose move keeps the convention that a probe asks about; None for a turn of a game."""
    kept: float | None = None
    """The same of the baseline."""


@dataclass(frozen=True)
class Tested:
    """A mean over deals with its sign-flip test."""

    mean: float
    low: float | None
    """Of the 95 % interval: what the test does not reject. None with too few deals, or where no deal differs."""
    high: float | None
    p: float | None
    """None where no deal differs."""


@dataclass(frozen=True)
class Cost:
    calls: int = 0
    """Requests to models that were answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = 0.0
    """None where the price of an answer is not known."""


@dataclass(frozen=True)
class Effect:
    """What an arm did."""

    arm: Arm
    positions: int
    deals: int
    flips: float
    """The share of decisions that differ from the baseline's, positions of a deal averaged first."""
    flips_between: Bounds
    """95 %, by Clopper and Pearson over deals."""
    floor: float | None
    """The same share of its null arm, on the same positions; None without one."""
    beyond: Tested | None
    """Flips beyond the floor, deal by deal."""
    better: float
    """Shares of the flips, by one-step values; the rest is worth the same."""
    worse: float
    regret: float
    loss: Tested
    rolled: Tested | None
    rerated: float | None
    forced: float
    cost: Cost
    lost_on: int
    """Deals on which the loss is not 0."""
    keeps: float | None = None
    """The share of decisions that keep the convention asked about; None without probes."""
    kept: float | None = None
    """The same of the baseline, on the same positions."""
    keeps_less: Tested | None = None
    """How much less often than the baseline, deal by deal."""
    p_holm: float | None = None
    """That of `judged`, corrected for all arms of the run that have one; null arms are none of them."""
    by_kind: tuple[tuple[str, str, int, float, float, float | None], ...] = ()
    """Dimension, value, positions, flips, loss, conventions kept: means over positions."""

    @property
    def judged(self) -> Tested:
        """The loss that sentences judge by: by rollouts where there are some, for they look to the end of the game."""
        return self.rolled or self.loss

    @property
    def claimed(self) -> bool:
        """Whether the test shows a loss or a gain, corrected for the number of arms."""
        return self.p_holm is not None and self.p_holm < ALPHA


@dataclass(frozen=True)
class Found:
    """The outcomes of a run, by arm."""

    outcomes: Mapping[str, Sequence[Outcome]]
    effects: tuple[Effect, ...]

    def effect(self, name: str) -> Effect | None:
        return next((one for one in self.effects if one.arm.name == name), None)


def of_run(folder: Path, bank: Bank, arms: Sequence[Arm], rollouts: int = 0) -> Found:
    """The effects of a run's arms, the baseline left out, on the positions that both it and the arm decided.

    `rollouts`: deals on which each pair of moves that differ is played to the end; 0 for none. Raises UserError for a
    folder without a decision.
    """
    decisions.check(folder)
    if any(arm.cheats for arm in arms):
        cheat.open_truth(bank.path)
    read = _Reader(folder, bank, rollouts)
    outcomes = {arm.name: read.outcomes(arm) for arm in arms if arm.kind != BASELINE}
    found = [_effect(arm, outcomes, cost(folder, bank, arm)) for arm in arms if outcomes.get(arm.name)]
    shown = [n for n, one in enumerate(found) if one.judged.p is not None and one.arm.kind != "null"]
    ps = holm([found[n].judged.p or 0.0 for n in shown])
    corrected = dict(zip(shown, ps, strict=True))
    return Found(outcomes, tuple(replace(one, p_holm=corrected.get(n)) for n, one in enumerate(found)))


class _Reader:
    """Decisions with the values of their moves."""

    def __init__(self, folder: Path, bank: Bank, rollouts: int) -> None:
        self.folder, self.bank, self.rollouts = folder, bank, rollouts
        self.places = {one.name: one for one in bank.positions}
        self.values = cache(self._values)
        self.true_values = cache(self._true_values)
        self.samples = cache(self._samples)

    def outcomes(self, arm: Arm) -> list[Outcome]:
        found = (self._outcome(arm, position) for position in self.bank.positions)
        return [one for one in found if one is not None]

    def _samples(self, arm: str, position: str) -> list[Sample]:
        return [one for one in decisions.read(self.folder, arm, position) if one.decided]

    def _values(self, name: str) -> dict[Move, float]:
        return one_step_values(self._position(name).scene)

    def _true_values(self, name: str) -> dict[Move, float]:
        place = self.places[name]
        return cheat.values(place, self._position(place.name).scene)

    def _position(self, name: str) -> Position:
        place = self.places[name]
        return Position(place.view, place.memory)

    def _outcome(self, arm: Arm, position: BankPosition) -> Outcome | None:
        old, new = self.samples(BASELINE, position.name), self.samples(arm.name, position.name)
        if not old or not new:
            return None
        values = self.true_values(position.name) if arm.cheats else self.values(position.name)
        moves = [(a.decided.move, b.decided.move) for a, b in product(old, new) if a.decided and b.decided]
        gains = [values[after] - values[before] for before, after in moves]
        return Outcome(
            position=position,
            flipped=fmean(before != after for before, after in moves),
            better=fmean(gain > ROUNDING for gain in gains),
            worse=fmean(gain < -ROUNDING for gain in gains),
            regret=max(values.values()) - fmean(values[after] for _, after in moves),
            loss=-fmean(gains),
            rolled=self._rolled(position.name, moves) if self.rollouts else None,
            rerated=_rerated(old, new),
            forced=fmean(bool(one.decided and one.decided.forced) for one in new),
            keeps=_keeps(position, new),
            kept=_keeps(position, old),
        )

    def _rolled(self, name: str, moves: Iterable[tuple[Move, Move]]) -> float:
        """On the same deals for both moves."""
        pairs = list(moves)
        if all(before == after for before, after in pairs):
            return 0.0
        trials = SeatRollouts(self._position(name), RolloutStore(self.folder / FOLDER))
        worth = {move: fmean(points(trials.ends(move, 0, self.rollouts), "strict")) for pair in pairs for move in pair}
        trials.keep()
        return fmean(worth[before] - worth[after] for before, after in pairs)


def cost(folder: Path, bank: Bank, arm: Arm) -> Cost:
    """What an arm asked, samples without a decision included."""
    journals = (decisions.read(folder, arm.name, position.name) for position in bank.positions)
    calls = [call for found in journals for sample in found for call in sample.calls]
    prices = [0.0 if call.cached or call.simulated else call.usd for call in calls]
    return Cost(
        calls=len(calls),
        tokens_in=sum(call.tokens_in for call in calls),
        tokens_out=sum(call.tokens_out for call in calls),
        usd=None if None in prices else sum(price or 0.0 for price in prices),
    )


def _rerated(old: Sequence[Sample], new: Sequence[Sample]) -> float | None:
    """The mean change of the ratings of moves, of the first samples."""
    before, after = (one[0].decided.ratings if one[0].decided else None for one in (old, new))
    shared = (before or {}).keys() & (after or {}).keys()
    return fmean(abs(after[move] - before[move]) for move in shared) if before and after and shared else None


def _keeps(position: BankPosition, samples: Sequence[Sample]) -> float | None:
    if position.asked is None:
        return None
    answers = position.asked.answers
    return fmean(one.decided is not None and one.decided.move in answers for one in samples)


def _effect(arm: Arm, outcomes: Mapping[str, Sequence[Outcome]], cost: Cost) -> Effect:
    ours = outcomes[arm.name]
    flips, deals = by_deal(ours, lambda one: one.flipped), len({one.position.deal for one in ours})
    share = fmean(flips.values())
    null = {one.position.name: one for one in outcomes.get(arm.null or "", ())}
    both = [one for one in ours if one.position.name in null]
    rolled = [one for one in ours if one.rolled is not None]
    rated = [one.rerated for one in ours if one.rerated is not None]
    asked = [one for one in ours if one.keeps is not None]
    flipped = fmean(one.flipped for one in ours)
    return Effect(
        arm=arm,
        positions=len(ours),
        deals=deals,
        flips=share,
        flips_between=binomial(share * deals, deals),
        floor=fmean(by_deal([null[one.position.name] for one in both], _flipped).values()) if both else None,
        beyond=sign_test(by_deal(both, lambda one: one.flipped - null[one.position.name].flipped)) if both else None,
        better=fmean(one.better for one in ours) / flipped if flipped else 0.0,
        worse=fmean(one.worse for one in ours) / flipped if flipped else 0.0,
        regret=fmean(by_deal(ours, lambda one: one.regret).values()),
        loss=sign_test(by_deal(ours, lambda one: one.loss), len(outcomes)),
        rolled=sign_test(by_deal(rolled, lambda one: one.rolled or 0.0)) if rolled else None,
        rerated=fmean(rated) if rated else None,
        forced=fmean(one.forced for one in ours),
        cost=cost,
        lost_on=sum(abs(one) > ROUNDING for one in by_deal(ours, lambda one: one.loss).values()),
        keeps=_mean(asked, lambda one: one.keeps or 0.0),
        kept=_mean(asked, lambda one: one.kept or 0.0),
        keeps_less=sign_test(by_deal(asked, lambda one: (one.kept or 0.0) - (one.keeps or 0.0))) if asked else None,
        by_kind=tuple(_by_kind(ours)),
    )


def _mean(outcomes: Sequence[Outcome], figure: Callable[[Outcome], float]) -> float | None:
    return fmean(by_deal(outcomes, figure).values()) if outcomes else None


def _flipped(one: Outcome) -> float:
    return one.flipped


def by_deal(outcomes: Iterable[Outcome], figure: Callable[[Outcome], float]) -> dict[str, float]:
    """A figure by deal, averaged over its positions."""
    found: dict[str, list[float]] = {}
    for one in outcomes:
        found.setdefault(one.position.deal, []).append(figure(one))
    return {deal: fmean(values) for deal, values in found.items()}


def sign_test(values: Mapping[str, float], tests: int = 1) -> Tested:
    """The mean over deals, with the interval and p of the sign-flip test; `tests`: how many p is corrected for."""
    figures = list(values.values())
    if not any(abs(one) > ROUNDING for one in figures):
        return Tested(0.0, None, None, None)
    test: Permuted = by_signs(figures, draws_for(tests))
    low, high = test.interval() or (None, None)
    return Tested(fmean(figures), low, high, test.p)


def _by_kind(outcomes: Sequence[Outcome]) -> Iterable[tuple[str, str, int, float, float, float | None]]:
    found: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        for key in one.position.kind.values():
            found.setdefault(key, []).append(one)
    for (name, value), inside in sorted(found.items()):
        flips, loss = fmean(one.flipped for one in inside), fmean(one.loss for one in inside)
        keeps = [one.keeps for one in inside if one.keeps is not None]
        yield name, value, len(inside), flips, loss, fmean(keeps) if keeps else None


def difference(found: Found, arm: str, other: str) -> Tested | None:
    """What an arm loses more than another, by what `judged` is, on the positions of both; None where there are none."""
    theirs = {one.position.name: one for one in found.outcomes.get(other, ())}
    both = [one for one in found.outcomes.get(arm, ()) if one.position.name in theirs]
    return sign_test(by_deal(both, lambda one: _judged(one) - _judged(theirs[one.position.name]))) if both else None


def _judged(one: Outcome) -> float:
    return one.loss if one.rolled is None else one.rolled
