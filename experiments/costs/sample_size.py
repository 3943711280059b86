"""`experiment plan`: the player counts and deals that an effect needs or a budget buys.

Arms are compared deal by deal, and a seed is one deal at all player counts. So the standard deviation of the seeds'
paired differences decides, how many seeds a budget buys, and how many arms are compared.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, variance

from experiments.costs import cost_estimate
from experiments.costs.cost_estimate import Bill, Estimates
from experiments.record import rows as results
from experiments.record.rows import Row
from experiments.statistics.estimates import ALPHA
from experiments.statistics.permutation import fewest_pairs
from experiments.statistics.power import POWER, detectable, pairs_needed
from experiments.study.experiment import Experiment, Range
from experiments.study.offline_layer import OfflineLayer
from experiments.study.plan import Plan
from orchestrator.errors import UserError
from orchestrator.models.budget import Budget
from orchestrator.models.settings import ModelSettings

SD = 4.5
"""Assumed standard deviation of a model's scores from game to game: papers with ten deals show 4 to 5."""
CORRELATION = 0.3
"""Assumed correlation of two arms' scores on the same deal."""
PAIRS = 10
"""Measured pairs needed to use their standard deviation; also the deals below which a budget is spent on a single
player count, since fewer would show nothing at any."""
SHOWN = (5, 10, 20, 50, 100, 200)
"""Numbers of deals in the table."""


@dataclass(frozen=True)
class Goal:
    """What the plan is for. Raises UserError for impossible values."""

    effect: float | None = None
    """The difference in points that is to be detected."""
    power: float = POWER
    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("effect", "max_usd", "max_tokens"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UserError(f"--{name.replace('_', '-')} is {value:g}; it must be more than 0")
        if not ALPHA < self.power < 1:
            raise UserError(f"--power is {self.power:g}; it must be between {ALPHA:g} and 1, e.g. 0.8")

    @property
    def limited(self) -> bool:
        return self.max_usd is not None or self.max_tokens is not None

    @property
    def budget(self) -> str:
        """In words."""
        usd = [] if self.max_usd is None else [f"${self.max_usd:g}"]
        return " and ".join([*usd, *([] if self.max_tokens is None else [f"{self.max_tokens:,} tokens"])])

    @property
    def limits(self) -> list[str]:
        """The budget as options of a command."""
        usd = [] if self.max_usd is None else ["--max-usd", f"{self.max_usd:g}"]
        return [*usd, *([] if self.max_tokens is None else ["--max-tokens", str(self.max_tokens)])]

    def share(self, bill: Bill) -> float:
        """A bill as a share of the budget; 0 without a budget."""
        tokens = bill.tokens / self.max_tokens if self.max_tokens else 0.0
        return max(tokens, (bill.usd or 0.0) / self.max_usd if self.max_usd else 0.0)


@dataclass(frozen=True)
class Spread:
    sd: float
    """Standard deviation of paired differences at one player count, in points."""
    basis: str
    correlation: float = 0.0
    """Of the differences of a seed at two player counts, 0 to 1; 0 where it is not measured."""

    def pooled(self, counts: int) -> float:
        """The same of seeds, whose differences are averaged over this number of player counts."""
        return self.sd * math.sqrt((1 + (counts - 1) * self.correlation) / counts)


@dataclass(frozen=True)
class Size:
    """A possible size of the experiment."""

    players: tuple[int, ...]
    deals: int
    """At each of these player counts."""
    games: int
    each: float | None
    """The smallest effect detectable at each player count, in points; None where no p could be small enough."""
    pooled: float | None
    """The same over all player counts together."""
    bill: Bill


@dataclass(frozen=True)
class Options:
    """What the choice depends on: the cost of games, and the spread of their differences."""

    experiment: Experiment
    goal: Goal
    spread: Spread
    bills: dict[int, dict[str, Bill]]
    """Of one game, by player count and arm."""
    basis: str
    """What the bills are based on."""
    models: tuple[ModelSettings, ...]
    aside: frozenset[str] = frozenset()
    """Arms that are no hypothesis, and so are not corrected for."""

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(self.bills)

    @property
    def arms(self) -> list[str]:
        return list(dict.fromkeys(arm for by_arm in self.bills.values() for arm in by_arm))

    @property
    def cheapest(self) -> tuple[int, ...]:
        """The player count with the cheapest deals."""
        return (min(self.players, key=lambda p: (self.goal.share(self.deal((p,))), self.deal((p,)).tokens, p)),)

    def deal(self, players: Sequence[int]) -> Bill:
        """Of one deal at each player count, in all arms."""
        return cost_estimate.total(bill for p in players for bill in self.bills[p].values())

    def pair(self, players: Sequence[int]) -> Bill:
        """The same in two arms only: the baseline and the most expensive other arm."""
        return cost_estimate.total(bill for p in players for bill in self._two(self.bills[p]))

    def _two(self, by_arm: dict[str, Bill]) -> list[Bill]:
        others = sorted((bill for arm, bill in by_arm.items() if arm != self._baseline), key=lambda bill: bill.tokens)
        return [by_arm.get(self._baseline, others[0]), others[-1]]

    @property
    def _baseline(self) -> str:
        return self.experiment.baseline or self.arms[0]

    def tests(self, players: Sequence[int]) -> int:
        """How many arms are compared with the baseline, for which Holm's correction is made."""
        return max(max(len(self.bills[p].keys() - self.aside) for p in players) - 1, 1)

    def fewest(self, players: Sequence[int]) -> int:
        """The fewest deals with which any p can be below .05."""
        return fewest_pairs(self.tests(players))

    def size(self, players: tuple[int, ...], deals: int) -> Size:
        power, tests = self.goal.power, self.tests(players)
        games = deals * sum(len(self.bills[p]) for p in players)
        each = detectable(self.spread.sd, deals, power, tests, 1.0)
        pooled = detectable(self.spread.pooled(len(players)), deals, power, tests, 1 / len(players))
        return Size(players, deals, games, each, pooled, self.deal(players) * deals)

    def wanted(self, players: tuple[int, ...]) -> Size | None:
        """The size that the effect of the goal needs, pooled over these player counts."""
        if self.goal.effect is None:
            return None
        sd = self.spread.pooled(len(players))
        return self.size(
            players, pairs_needed(sd, self.goal.effect, self.goal.power, self.tests(players), 1 / len(players))
        )

    def affordable(self, players: tuple[int, ...]) -> Size | None:
        """The largest size that the budget buys; None for so few deals that nothing could show, and when it is
        unlimited."""
        share = self.goal.share(self.deal(players))
        deals = int(1 / share) if share else 0
        return self.size(players, deals) if deals >= self.fewest(players) else None

    def fits(self, size: Size) -> bool:
        return self.goal.share(size.bill) <= 1


@dataclass(frozen=True)
class Proposal:
    options: Options
    size: Size | None
    """The proposed size; None without a goal, or when the budget buys no experiment that could show anything."""
    suffices: bool | None
    """Whether the budget is enough for the effect; None unless both are given."""

    @property
    def players(self) -> tuple[int, ...]:
        return self.size.players if self.size else self.options.players

    @cached_property
    def sizes(self) -> list[Size]:
        """The rows of the table, including the proposed size."""
        deals = {*SHOWN, *([self.size.deals] if self.size else [])}
        return [self.options.size(self.players, number) for number in sorted(deals)]


def propose(
    experiment: Experiment, folder: Path, goal: Goal, past: Path | None = None, answer: int | None = None
) -> Proposal:
    """The proposed size for a goal.

    `past`: the folder of another run with measurements; `answer`: tokens of a response. Raises UserError for an
    experiment that compares nothing, and for a budget in dollars without prices.
    """
    return _proposal(options(experiment, goal, [folder, *([past] if past else [])], answer))


def options(experiment: Experiment, goal: Goal, folders: Sequence[Path], answer: int | None = None) -> Options:
    """Costs and spread, measured by finished games in run folders where there are enough, otherwise assumed."""
    if experiment.adhoc:
        raise UserError("`plan` compares arms on the same deals, and this experiment has `adhoc`; see run --dry-run")
    two = tuple(experiment.deals[:2])  # since notes may come from another deal
    one = {"seeds": two, "repeats": 1, "stop": None}
    plan = Plan.resolve(experiment.model_copy(update=one), folders[0])
    for spec in plan.specs.values():
        spec.seat(OfflineLayer())  # what a run would refuse, a plan refuses too
    games = {folder: results.peek_all(folder) for folder in {folder.resolve(): folder for folder in folders}.values()}
    estimates = Estimates.prepare(
        plan.specs, {path: one for found in games.values() for path, one in found.items()}, answer
    )
    models = tuple(estimates.models(plan.jobs))
    for model in models if goal.max_usd is not None else ():
        Budget(max_usd=goal.max_usd).check(model)
    bills: dict[int, dict[str, Bill]] = {}
    bases = dict[str, None]()
    for job in plan.jobs:
        found = estimates.game(job)
        bills.setdefault(job.deal.players, {})[job.arm] = found.bill
        bases[found.basis] = None
    compared = {players: by_arm for players, by_arm in sorted(bills.items()) if len(by_arm) > 1}
    if not compared:
        raise UserError("there is nothing to compare: `plan` needs an experiment with two arms or more")
    rows = [row for folder, found in games.items() for row in results.finished(folder, found)]
    spread = measured_spread(rows, experiment.baseline, paid=bool(models)) or assumed_spread()
    return Options(experiment, goal, spread, compared, " | ".join(bases), models, plan.aside)


def assumed_spread() -> Spread:
    sd = SD * math.sqrt(2 * (1 - CORRELATION))
    return Spread(
        sd,
        f"assumed: the scores of a model have an SD of {SD:g} points from game to game, and two arms correlate by "
        f"{CORRELATION:g} on the same deal; the SD of strict scores is larger where games are lost",
    )


def measured_spread(rows: Iterable[Row], baseline: str | None, *, paid: bool, repeats: int = 1) -> Spread | None:
    """From the differences of finished games, pooled within arm and player count; None where there are too few.

    `paid`: use only games of models; games of programs and simulated models say nothing about them. `repeats`: how many
    games of a deal are averaged, at most.
    """
    scores: dict[tuple[str, int], dict[int, list[int]]] = {}
    for row in sorted(rows, key=lambda row: row.repeat):
        if not paid or (row.calls and not row.simulated):
            found = scores.setdefault((row.arm, row.players), {}).setdefault(row.seed, [])
            found += [row.score_strict] if len(found) < repeats else []
    standard = baseline or next(iter(scores), ("", 0))[0]
    deltas = {key: _deltas(of, scores.get((standard, key[1]), {})) for key, of in scores.items() if key[0] != standard}
    groups = [list(of.values()) for of in deltas.values() if of]
    pairs, df = sum(map(len, groups)), sum(len(group) - 1 for group in groups)
    squares = sum(variance(group) * (len(group) - 1) for group in groups if len(group) > 1)
    if pairs < PAIRS or not squares:
        return None
    sd = math.sqrt(squares / df)
    return Spread(sd, f"measured: {pairs} pairs of finished games", _correlation(deltas, sd))


def _deltas(ours: dict[int, list[int]], theirs: dict[int, list[int]]) -> dict[int, float]:
    """By seed."""
    return {seed: fmean(ours[seed]) - fmean(theirs[seed]) for seed in sorted(ours.keys() & theirs.keys())}


def _correlation(deltas: dict[tuple[str, int], dict[int, float]], sd: float) -> float:
    """Of an arm's differences on the same seed at two player counts; 0 where there are too few such pairs."""
    products = []
    for (arm, players), ours in deltas.items():
        for (same, others), theirs in deltas.items():
            if same == arm and others > players and len(both := ours.keys() & theirs.keys()) > 1:
                means = fmean(ours[seed] for seed in both), fmean(theirs[seed] for seed in both)
                products += [(ours[seed] - means[0]) * (theirs[seed] - means[1]) for seed in both]
    return min(1.0, max(0.0, fmean(products) / sd**2)) if len(products) >= PAIRS else 0.0


def _proposal(options: Options) -> Proposal:
    choices = list(dict.fromkeys((options.players, options.cheapest)))
    wanted = [size for players in choices if (size := options.wanted(players))]
    if wanted:
        fitting = [size for size in wanted if options.fits(size)]
        if fitting or not options.goal.limited:
            return Proposal(options, (fitting or wanted)[0], bool(fitting) if options.goal.limited else None)
    bought = [size for players in choices if (size := options.affordable(players))]
    enough = [size for size in bought if size.deals >= PAIRS] or bought[-1:]
    return Proposal(options, enough[0] if enough else None, False if wanted else None)


def command(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None = None) -> list[str] | None:
    """The command that runs the proposed size; None when nothing is proposed."""
    experiment, size = proposal.options.experiment, proposal.size
    if size is None:
        return None
    changed = [f"players=[{', '.join(map(str, size.players))}]"] if size.players != _counts(experiment) else []
    first = experiment.deals[0]
    short = isinstance(experiment.seeds, Range) and experiment.seeds.first == first
    changed += [f"seeds.count={size.deals}" if short else f"seeds={{first: {first}, count: {size.deals}}}"]
    changed += ["repeats=1"] if experiment.repeats > 1 else []
    given = [word for setting in (*settings, *changed) for word in ("--set", setting)]
    where = ["--out", str(out)] if out else []
    return ["orchestrator", "experiment", "run", name, *given, *where, *proposal.options.goal.limits]


def _counts(experiment: Experiment) -> tuple[int, ...]:
    return tuple(sorted(set(experiment.players)))
