"""What the arms of a run did: how often decisions differ from the baseline's, and what that costs,
by kind of position.

Positions of one deal are not independent: they are averaged first, and intervals and tests are over
deals.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from statistics import fmean

from hanabi_orchestrator.experiments.analysis.compare import (
    Comparison,
    compare,
    corrected,
    significant,
)
from hanabi_orchestrator.experiments.analysis.statistics.clusters import mean_share
from hanabi_orchestrator.experiments.report.allocation import Played
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.tasks.positions import cheat, decisions, prices
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.decisions import Sample
from hanabi_orchestrator.experiments.tasks.positions.gains import (
    NOTHING,
    Designed,
    designed,
    gains,
)
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.rollout_store import FOLDER, RolloutStore
from hanabi_orchestrator.experiments.values.rollouts import SeatRollouts, points
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE, Usage

EQUAL = 1e-9
"""Points below which two moves are worth the same."""


@dataclass(frozen=True)
class Effect:
    """What an arm did."""

    arm: Arm
    positions: int
    deals: int
    flips: float
    """The share of decisions that differ from the baseline's, positions of a deal averaged
    first."""
    flips_between: tuple[float, float]
    """95 %, by Clopper and Pearson over deals."""
    floor: float | None
    """The same share of its noise floor, on the same positions; None without one."""
    beyond: Comparison | None
    """Flips beyond the floor, deal by deal."""
    better: float
    """Shares of the flips, by one-step values; the rest is worth the same."""
    worse: float
    regret: float
    loss: Comparison
    rolled: Comparison | None
    rerated: float | None
    forced: float
    cost: Usage
    lost_on: int
    """Deals on which the loss is not 0."""
    keeps: float | None = None
    """The share of decisions that keep the convention asked about; None without probes."""
    kept: float | None = None
    """The same of the baseline, on the same positions."""
    keeps_less: Comparison | None = None
    """How much less often than the baseline, deal by deal."""
    p_holm: float | None = None
    """The p of `judged`, corrected for the losses and the flips of all arms of the run; noise
    floors and coalitions are none of them: terms of a design have tests of their own."""
    beyond_p: float | None = None
    """The p of `beyond`, of the same family as `p_holm`."""
    by_kind: tuple[tuple[str, str, int, float, float, float | None], ...] = ()
    """Dimension, value, positions, flips, loss, conventions kept: means over positions."""

    @property
    def judged(self) -> Comparison:
        """The loss that sentences judge by: by rollouts where there are some, for they look to the
        end of the game."""
        return self.rolled or self.loss

    @property
    def claimed(self) -> bool:
        """True if the test shows a loss or a gain, corrected."""
        return significant(self.p_holm)


@dataclass(frozen=True)
class Effects:
    """The outcomes of a run, by arm, and what they show."""

    outcomes: Mapping[str, Sequence[Outcome]]
    effects: tuple[Effect, ...]
    designed: Designed = NOTHING
    """What a design of coalitions and contrasts show."""
    played: Mapping[str, Played] = field(default_factory=dict)
    """What a decision of each arm gains and costs, of a design with another model."""

    @cached_property
    def pair_ps(self) -> Mapping[tuple[str, str], float | None]:
        """By the arm with another note and that without it: p of their difference, corrected for
        all such pairs.

        None where the arm without it is not shown to lose or gain: the comparison asks what causes
        an effect that is shown, so where there is none it cannot claim one.
        """
        removed = {}
        for effect in self.effects:
            if _is_shown_removal(effect):
                removed[effect.arm.nodes] = effect.arm.name
        controls = [effect.arm for effect in self.effects if effect.arm.kind in NOTES]
        pairs = [(arm.name, removed[arm.nodes]) for arm in controls if arm.nodes in removed]
        tests = [self.difference(arm, without) for arm, without in pairs]
        return dict(
            zip(pairs, corrected([test.p if test else None for test in tests]), strict=True)
        )

    def differs(self, control: Effect, removed: Effect) -> bool:
        """Return whether an arm with another note is shown to lose more or less than that without
        it."""
        return significant(self.pair_ps.get((control.arm.name, removed.arm.name)))

    def difference(self, arm: str, other: str) -> Comparison | None:
        """Return what an arm loses more than another, on the positions of both; None where there
        are none."""
        return _compared(
            self.outcomes.get(arm, ()), self.outcomes.get(other, ()), lambda row: row.judged
        )


def _is_shown_removal(effect: Effect) -> bool:
    return effect.arm.kind == "removed" and effect.claimed


def read(folder: Path, study: PositionStudy, rollouts: int = 0) -> Effects:
    """Return the effects of a run's arms, the baseline left out, on the positions that both it and
    the arm decided.

    `rollouts`: deals on which each pair of moves that differ is played to the end; 0 for none.
    Raises UserError for a folder without a decision.
    """
    if next((folder / decisions.FOLDER).glob("*/*.jsonl"), None) is None:
        raise UserError(
            f"nothing is decided yet in {str(folder)!r}; `evaluate positions` goes on with it"
        )
    reader = _Reader(folder, study, rollouts)
    arms = study.arms[1:]
    outcomes = {arm.name: list(reader.outcomes(arm)) for arm in arms}
    effects = []
    for arm in arms:
        if outcomes.get(arm.name):
            effects.append(effect_of(arm, outcomes, cost(folder, study, arm)))
    effects = holm_corrected(effects)
    if not study.experiment.coalitions and not study.experiment.contrasts:
        return Effects(outcomes, tuple(effects))
    every = {study.baseline.name: list(reader.outcomes(study.baseline)), **outcomes}
    costs = prices.played(folder, study, gains(study, every))
    return Effects(outcomes, tuple(effects), designed(study, every), costs)


def holm_corrected(effects: Sequence[Effect]) -> list[Effect]:
    """Return the effects with their p corrected as one family: the losses and the flips of all arms
    of the run, so that no more than one report in twenty claims either where there is neither."""
    losses = []
    for effect in effects:
        losses.append(None if effect.arm.is_noise_floor else _alone(effect, effect.judged))
    flips = [_alone(effect, effect.beyond) for effect in effects]
    ps = corrected([*losses, *flips])
    half = len(effects)
    corrections = zip(effects, ps[:half], ps[half:], strict=True)
    return [replace(effect, p_holm=loss, beyond_p=flip) for effect, loss, flip in corrections]


def _alone(effect: Effect, test: Comparison | None) -> float | None:
    """Return the p of an arm that is compared by itself, which coalitions are not."""
    if test and effect.arm.kind != "coalition":
        return test.p
    return None


class _Reader:
    """Decisions with the values of their moves."""

    def __init__(self, folder: Path, study: PositionStudy, rollouts: int) -> None:
        self.folder = folder
        self.study = study
        self.rollouts = rollouts
        self.truth = cheat.truth_for(study.arms, study.bank_file)
        self.positions = {position.name: position for position in study.positions}
        self.values = cache(self._values)
        self.samples = cache(
            lambda arm, name: [s for s in decisions.read(folder, arm, name) if s.decided]
        )

    def place(self, name: str) -> Position:
        return Position(self.positions[name].view, self.positions[name].memory)

    def _values(self, name: str, cheats: bool) -> Mapping[Move, float]:
        """Return the one-step values of the legal moves, for who sees the own hand by it."""
        scene = self.place(name).scene
        if cheats:
            return cheat.values(self.positions[name], scene, self.truth)
        return one_step_values(scene)

    def outcomes(self, arm: Arm) -> Iterator[Outcome]:
        for position in self.positions.values():
            old = self.samples(self.study.baseline.name, position.name)
            new = self.samples(arm.name, position.name)
            if old and new:
                yield self._outcome(arm, position, old, new)

    def _outcome(
        self, arm: Arm, position: BankPosition, old: list[Sample], new: list[Sample]
    ) -> Outcome:
        name = position.name
        values = self.values(name, arm.cheats)
        moves = []
        for a, b in product(old, new):
            if a.decided and b.decided:
                moves.append((a.decided.move, b.decided.move))
        gains = [values[after] - values[before] for before, after in moves]
        before, after = (
            (sample.decided and sample.decided.ratings) or {} for sample in (old[0], new[0])
        )
        shared = before.keys() & after.keys()  # moves that both rate
        return Outcome(
            position=position,
            flipped=fmean(before != after for before, after in moves),
            better=fmean(gain > EQUAL for gain in gains),
            worse=fmean(gain < -EQUAL for gain in gains),
            regret=max(values.values()) - fmean(values[after] for _, after in moves),
            loss=-fmean(gains),
            rolled=self._rolled(name, moves) if self.rollouts else None,
            rerated=fmean(abs(after[move] - before[move]) for move in shared) if shared else None,
            forced=fmean(bool(sample.decided and sample.decided.forced) for sample in new),
            keeps=_keeps(position, new),
            kept=_keeps(position, old),
        )

    def _rolled(self, name: str, moves: list[tuple[Move, Move]]) -> float:
        """Return the loss by rollouts on the same deals for both moves."""
        if all(before == after for before, after in moves):
            return 0.0
        trials = SeatRollouts(self.place(name), RolloutStore(self.folder / FOLDER))
        worth = {}
        for pair in moves:
            for move in pair:
                worth[move] = fmean(points(trials.ends(move, 0, self.rollouts), "strict"))
        trials.keep()
        return fmean(worth[before] - worth[after] for before, after in moves)


def cost(folder: Path, study: PositionStudy, arm: Arm) -> Usage:
    """Return what an arm asked, samples without a decision and answers of a cache included; these
    cost nothing."""
    journals = (decisions.read(folder, arm.name, position.name) for position in study.positions)
    calls = (call for samples in journals for sample in samples for call in sample.calls)
    prices = ((call, 0.0 if call.cached or call.simulated else call.usd) for call in calls)
    return sum(
        (Usage(call.tokens_in, call.tokens_out, price, 1) for call, price in prices), NO_USAGE
    )


def _keeps(position: BankPosition, samples: Sequence[Sample]) -> float | None:
    if position.asked is None:
        return None
    answers = position.asked.answers
    return fmean(
        sample.decided is not None and sample.decided.move in answers for sample in samples
    )


def effect_of(arm: Arm, outcomes: Mapping[str, Sequence[Outcome]], cost: Usage) -> Effect:
    """Return the effect of an arm, before p is corrected for the others."""
    rows = outcomes[arm.name]
    floors = outcomes.get(arm.floor or "", ())
    flips = mean_share((row.position.deal, row.flipped) for row in rows)
    flipped = fmean(row.flipped for row in rows)
    beyond = _compared(rows, floors, lambda row: row.flipped)
    loss = _compared(rows, None, lambda row: row.loss, len(outcomes))
    rated = [row.rerated for row in rows if row.rerated is not None]
    assert loss is not None  # an arm without outcomes has no effect
    return Effect(
        arm=arm,
        positions=len(rows),
        deals=flips.clusters,
        flips=flips.value,
        flips_between=flips.interval,
        floor=fmean(beyond.values[1]) if beyond else None,
        beyond=beyond,
        better=fmean(row.better for row in rows) / flipped if flipped else 0.0,
        worse=fmean(row.worse for row in rows) / flipped if flipped else 0.0,
        regret=_mean(rows, lambda row: row.regret) or 0.0,
        loss=loss,
        rolled=_compared(rows, None, lambda row: row.rolled),
        rerated=fmean(rated) if rated else None,
        forced=fmean(row.forced for row in rows),
        cost=cost,
        lost_on=loss.n - loss.tally[1],
        keeps=_mean(rows, lambda row: row.keeps),
        kept=_mean(rows, lambda row: row.kept),
        keeps_less=_compared(rows, None, lambda row: row.keeps_less),
        by_kind=tuple(_by_kind(rows)),
    )


def _compared(
    ours: Sequence[Outcome],
    theirs: Sequence[Outcome] | None,
    figure: Callable[[Outcome], float | None],
    tests: int = 1,
) -> Comparison | None:
    """Compare two arms on the positions of both, or test an arm's own figures, deal by deal."""
    return compare(
        ours, theirs, figure, cluster="position.deal", pair=("position.name",), tests=tests
    )


def mean(comparison: Comparison) -> float:
    """Return the mean over deals; 0 where no deal differs."""
    if comparison.testable:
        return comparison.mean
    return 0.0


def _mean(rows: Sequence[Outcome], figure: Callable[[Outcome], float | None]) -> float | None:
    """Return the mean over deals; None where no outcome has the figure."""
    comparison = _compared(rows, None, figure)
    if comparison:
        return comparison.mean
    return None


def _by_kind(
    outcomes: Sequence[Outcome],
) -> Iterator[tuple[str, str, int, float, float, float | None]]:
    kinds = defaultdict[tuple[str, str], list[Outcome]](list)
    for outcome in outcomes:
        for key in outcome.position.kind.values():
            kinds[key].append(outcome)
    for (name, value), rows in sorted(kinds.items()):
        keeps = [row.keeps for row in rows if row.keeps is not None]
        flips = fmean(row.flipped for row in rows)
        loss = fmean(row.loss for row in rows)
        yield name, value, len(rows), flips, loss, fmean(keeps) if keeps else None
