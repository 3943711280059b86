"""What an experiment can show for a budget, and what an effect costs: a proposal of player counts and deals.

Arms are compared deal by deal, so what counts is the spread of paired differences, and how many pairs a budget buys.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, variance

from experiments.costs import estimate
from experiments.costs.estimate import Bill, Estimates
from experiments.design.experiment import Experiment, Range
from experiments.design.plan import Plan
from experiments.results import rows as results
from experiments.results.rows import Row
from experiments.statistics.power import ALPHA, POWER, mde, needed
from orchestrator.errors import UserError
from orchestrator.models.budget import Budget
from orchestrator.models.settings import ModelSettings

SD = 4.5
"""Of a model's scores from game to game, as it is taken to be: papers of ten deals show 4 to 5."""
CORRELATION = 0.3
"""Of two arms' scores on the same deal, as it is taken to be."""
PAIRS = 10
"""Measured pairs from which on their spread is believed; and the deals below which a budget goes to one player count,
since fewer show nothing anywhere."""
SHOWN = (5, 10, 20, 50, 100, 200)
"""Deals in the table."""


@dataclass(frozen=True)
class Goal:
    """Raises UserError for what cannot be wished."""

    effect: float | None = None
    """Points that an arm should differ by and be seen to."""
    power: float = POWER
    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("effect", "max_usd", "max_tokens"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UserError(f"--{name.replace('_', '-')} is {value:g}; it is more than 0")
        if not ALPHA < self.power < 1:
            raise UserError(f"--power is {self.power:g}; it is between {ALPHA:g} and 1, e.g. 0.8")

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
        """The budget as a command says it."""
        usd = [] if self.max_usd is None else ["--max-usd", f"{self.max_usd:g}"]
        return [*usd, *([] if self.max_tokens is None else ["--max-tokens", str(self.max_tokens)])]

    def share(self, bill: Bill) -> float:
        """What a bill is of the budget; 0 where nothing is limited."""
        tokens = bill.tokens / self.max_tokens if self.max_tokens else 0.0
        return max(tokens, (bill.usd or 0.0) / self.max_usd if self.max_usd else 0.0)


@dataclass(frozen=True)
class Spread:
    sd: float
    """Of paired differences, in points."""
    basis: str


@dataclass(frozen=True)
class Size:
    """A size that the experiment could have."""

    players: tuple[int, ...]
    deals: int
    """At each of these player counts."""
    games: int
    each: float | None
    """The smallest true difference that would be seen at each player count; None for a single deal."""
    pooled: float | None
    """The same over all player counts together."""
    bill: Bill


@dataclass(frozen=True)
class Options:
    """What can be had: what games cost, and how much their differences spread."""

    experiment: Experiment
    wish: Goal
    spread: Spread
    bills: dict[int, dict[str, Bill]]
    """Of one game, by player count and arm."""
    basis: str
    """What the bills rest on."""
    models: tuple[ModelSettings, ...]

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(self.bills)

    @property
    def arms(self) -> list[str]:
        return list(dict.fromkeys(arm for by_arm in self.bills.values() for arm in by_arm))

    @property
    def cheapest(self) -> tuple[int, ...]:
        """The player count whose deals cost least."""
        return (min(self.players, key=lambda p: (self.wish.share(self.deal((p,))), self.deal((p,)).tokens, p)),)

    def deal(self, players: Sequence[int]) -> Bill:
        """Of one deal at each player count, in all arms."""
        return estimate.total(bill for p in players for bill in self.bills[p].values())

    def pair(self, players: Sequence[int]) -> Bill:
        """The same in two arms alone: the baseline, and the dearest of the others."""
        return estimate.total(bill for p in players for bill in self._two(self.bills[p]))

    def _two(self, by_arm: dict[str, Bill]) -> list[Bill]:
        others = sorted((bill for arm, bill in by_arm.items() if arm != self._baseline), key=lambda bill: bill.tokens)
        return [by_arm.get(self._baseline, others[0]), others[-1]]

    @property
    def _baseline(self) -> str:
        return self.experiment.baseline or self.arms[0]

    def size(self, players: tuple[int, ...], deals: int) -> Size:
        sd, power = self.spread.sd, self.wish.power
        games = deals * sum(len(self.bills[p]) for p in players)
        each, pooled = mde(sd, deals, power), mde(sd, deals * len(players), power)
        return Size(players, deals, games, each, pooled, self.deal(players) * deals)

    def wanted(self, players: tuple[int, ...]) -> Size | None:
        """What the wished effect needs, over these player counts together."""
        if self.wish.effect is None:
            return None
        pairs = needed(self.spread.sd, self.wish.effect, self.wish.power)
        return self.size(players, max(2, math.ceil(pairs / len(players))))

    def affordable(self, players: tuple[int, ...]) -> Size | None:
        """The most that the budget buys; None where that is not even two deals, or has no end."""
        share = self.wish.share(self.deal(players))
        deals = int(1 / share) if share else 0
        return self.size(players, deals) if deals > 1 else None

    def fits(self, size: Size) -> bool:
        return self.wish.share(size.bill) <= 1


@dataclass(frozen=True)
class Proposal:
    market: Options
    size: Size | None
    """What is proposed; None when nothing was wished, or the budget buys nothing."""
    suffices: bool | None
    """Whether the budget shows the effect; None unless both are given."""

    @property
    def players(self) -> tuple[int, ...]:
        return self.size.players if self.size else self.market.players

    @cached_property
    def sizes(self) -> list[Size]:
        """Those of the table, the proposed one among them."""
        deals = {*SHOWN, *([self.size.deals] if self.size else [])}
        return [self.market.size(self.players, number) for number in sorted(deals)]


def of(
    experiment: Experiment, folder: Path, goal: Goal, past: Path | None = None, answer: int | None = None
) -> Proposal:
    """Raises UserError for an experiment that compares nothing, and for a budget of money without prices."""
    return _proposal(options(experiment, goal, [folder, *([past] if past else [])], answer))


def options(experiment: Experiment, goal: Goal, folders: Sequence[Path], answer: int | None = None) -> Options:
    """What can be had, as finished games in run folders say, or as it is assumed to be."""
    if experiment.adhoc:
        raise UserError("`plan` compares arms on the same deals, and this experiment has `adhoc`; see run --dry-run")
    one = {"seeds": (experiment.deals[0],), "repeats": 1}
    plan = Plan.of(experiment.model_copy(update=one), folders[0])
    games = {folder: results.peek_all(folder) for folder in {folder.resolve(): folder for folder in folders}.values()}
    estimates = Estimates.of(plan.sitters, [one for found in games.values() for one in found.values()], answer)
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
    return Options(experiment, goal, spread, compared, " | ".join(bases), models)


def assumed_spread() -> Spread:
    sd = SD * math.sqrt(2 * (1 - CORRELATION))
    return Spread(
        sd,
        f"assumed: scores of a model spread by {SD:g} points from game to game, and two arms on the same deal are "
        f"correlated by {CORRELATION:g}; strict scores spread wider where third lives are lost",
    )


def measured_spread(rows: Iterable[Row], baseline: str | None, *, paid: bool) -> Spread | None:
    """Of the differences of finished games within an arm and player count; None where there are too few.

    `paid`: only games of models count; what programs and simulated models play like says nothing of them.
    """
    means: dict[tuple[str, int], dict[int, list[int]]] = {}
    for row in rows:
        if not paid or (row.calls and not row.simulated):
            means.setdefault((row.arm, row.players), {}).setdefault(row.seed, []).append(row.score_strict)
    first = next(iter(means), ("", 0))[0]
    groups = []
    for (arm, players), scores in means.items():
        base = means.get((baseline or first, players), {})
        if arm != (baseline or first) and (both := sorted(scores.keys() & base.keys())):
            groups.append([fmean(scores[seed]) - fmean(base[seed]) for seed in both])
    pairs, df = sum(map(len, groups)), sum(len(group) - 1 for group in groups)
    squares = sum(variance(group) * (len(group) - 1) for group in groups if len(group) > 1)
    if pairs < PAIRS or not squares:
        return None
    return Spread(math.sqrt(squares / df), f"measured: {pairs} pairs of finished games")


def _proposal(options: Options) -> Proposal:
    choices = list(dict.fromkeys((options.players, options.cheapest)))
    wanted = [size for players in choices if (size := options.wanted(players))]
    if wanted:
        fitting = [size for size in wanted if options.fits(size)]
        if fitting or not options.wish.limited:
            return Proposal(options, (fitting or wanted)[0], bool(fitting) if options.wish.limited else None)
    bought = [size for players in choices if (size := options.affordable(players))]
    enough = [size for size in bought if size.deals >= PAIRS] or bought[-1:]
    return Proposal(options, enough[0] if enough else None, False if wanted else None)


def command(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None = None) -> list[str] | None:
    """What to type next; None when nothing is proposed."""
    experiment, size = proposal.market.experiment, proposal.size
    if size is None:
        return None
    changed = [f"players=[{', '.join(map(str, size.players))}]"] if size.players != _counts(experiment) else []
    first = experiment.deals[0]
    short = isinstance(experiment.seeds, Range) and experiment.seeds.first == first
    changed += [f"seeds.count={size.deals}" if short else f"seeds={{first: {first}, count: {size.deals}}}"]
    changed += ["repeats=1"] if experiment.repeats > 1 else []
    given = [word for setting in (*settings, *changed) for word in ("--set", setting)]
    where = ["--out", str(out)] if out else []
    return ["orchestrator", "experiment", "run", name, *given, *where, *proposal.market.wish.limits]


def _counts(experiment: Experiment) -> tuple[int, ...]:
    return tuple(sorted(set(experiment.players)))
