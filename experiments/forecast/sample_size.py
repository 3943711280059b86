"""`experiment plan`: the player counts and deals that an effect needs or a budget buys.

Arms are compared deal by deal, and a seed is one deal at all player counts. So the standard
deviation of the seeds' paired differences decides, how many seeds a budget buys, and how many arms
are compared.
"""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import headroom
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.analysis.statistics.power import (
    POWER,
    detectable,
    pairs_needed,
)
from hanabi_orchestrator.experiments.document.blocks import Block, Column, Note, notes, table
from hanabi_orchestrator.experiments.document.formats import COUNT, INT, number
from hanabi_orchestrator.experiments.forecast import coalition_sizes, cost_estimate, spread
from hanabi_orchestrator.experiments.forecast.coalition_sizes import TermSpread
from hanabi_orchestrator.experiments.forecast.cost_estimate import Bill, Estimates
from hanabi_orchestrator.experiments.forecast.dry_run import MONEY, WHOLE, bill_data
from hanabi_orchestrator.experiments.forecast.spread import (
    PAIRS,
    Spread,
    assumed_spread,
    measured_spread,
)
from hanabi_orchestrator.experiments.record.rows import finished, peek_all
from hanabi_orchestrator.experiments.record.seed_range import Range
from hanabi_orchestrator.experiments.study.coalitions import Term
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings

DEALS = (5, 10, 20, 50, 100, 200)
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
            raise UserError(
                f"--power is {self.power:g}; it must be between {ALPHA:g} and 1, e.g. 0.8"
            )

    @property
    def limited(self) -> bool:
        return self.max_usd is not None or self.max_tokens is not None

    @property
    def budget(self) -> str:
        """The budget in words."""
        usd = [] if self.max_usd is None else [f"${self.max_usd:g}"]
        return " and ".join(
            [*usd, *([] if self.max_tokens is None else [f"{self.max_tokens:,} tokens"])]
        )

    def share(self, bill: Bill) -> float:
        """Return a bill as a share of the budget; 0 without a budget."""
        if self.max_tokens:
            tokens = bill.tokens / self.max_tokens
        else:
            tokens = 0.0
        return max(tokens, (bill.usd or 0.0) / self.max_usd if self.max_usd else 0.0)


@dataclass(frozen=True)
class Size:
    """A possible size of the experiment."""

    players: tuple[int, ...]
    deals: int
    """At each of these player counts."""
    games: int
    each: float | None
    """The smallest effect detectable at each player count, in points; None where no p could be
    small enough."""
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
    room: str | None = None
    """That the baseline leaves no room for the effect, in words."""
    terms: Mapping[Term, TermSpread] = field(default_factory=dict)
    """The terms of a design of coalitions, by kind; the goal is about those of its primary kind."""

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(self.bills)

    @property
    def arms(self) -> list[str]:
        return list(dict.fromkeys(chain.from_iterable(self.bills.values())))

    @property
    def cheapest(self) -> tuple[int, ...]:
        """The player count with the cheapest deals."""
        return (
            min(
                self.players,
                key=lambda p: (self.goal.share(self.deal((p,))), self.deal((p,)).tokens, p),
            ),
        )

    def deal(self, players: Sequence[int]) -> Bill:
        """Return the bill of one deal at each player count, in all arms that play it."""
        bills = []
        for p in players:
            for bill in self.bills[p].values():
                bills.append(bill)
        every = cost_estimate.total(bills)
        return every * (self.games(players) / sum(len(self.bills[p]) for p in players))

    def pair(self, players: Sequence[int]) -> Bill:
        """Return the same in two arms only: the baseline and the most expensive other arm."""
        baseline = self.experiment.baseline or self.arms[0]
        bills = list[Bill]()
        for by_arm in (self.bills[p] for p in players):
            others = sorted(
                (bill for arm, bill in by_arm.items() if arm != baseline),
                key=lambda bill: bill.tokens,
            )
            bills += [by_arm.get(baseline, others[0]), others[-1]]
        return cost_estimate.total(bills)

    def tests(self, players: Sequence[int]) -> int:
        """Return how many arms are compared with the baseline, or terms with 0, for which Holm's
        correction is made."""
        if self.primary:
            return self.primary.tests
        return max(max(len(self.bills[p].keys() - self.aside) for p in players) - 1, 1)

    @property
    def primary(self) -> TermSpread | None:
        """The kind of term that a design of coalitions is about; None for other experiments."""
        design = self.experiment.coalitions
        if design:
            return self.terms.get(design.primary)
        return None

    def games(self, players: Sequence[int]) -> int:
        """Return the games of one deal at each of these player counts."""
        design = self.experiment.coalitions
        if design and not design.complete:
            return design.games_of_deal * len(players)
        return sum(len(self.bills[p]) for p in players)

    @property
    def share(self) -> float:
        """The share of deals that count for a comparison."""
        if self.primary:
            return self.primary.share
        return 1.0

    @property
    def step(self) -> float:
        """What differences of a deal at one player count are multiples of."""
        if self.primary:
            return self.primary.step
        return 1.0

    def size(self, players: tuple[int, ...], deals: int) -> Size:
        """Return a size with what it detects and costs."""
        power = self.goal.power
        tests = self.tests(players)
        counted = math.floor(deals * self.share)
        games = deals * self.games(players)
        each = detectable(self.spread.sd, counted, power, tests, self.step)
        pooled = detectable(
            self.spread.pooled(len(players)), counted, power, tests, self.step / len(players)
        )
        return Size(players, deals, games, each, pooled, self.deal(players) * deals)

    def sufficient(self, players: tuple[int, ...]) -> Size | None:
        """Return the size that the effect of the goal needs, pooled over these player counts."""
        if self.goal.effect is None:
            return None
        sd = self.spread.pooled(len(players))
        step = self.step / len(players)
        counted = pairs_needed(sd, self.goal.effect, self.goal.power, self.tests(players), step)
        return self.size(players, math.ceil(counted / self.share))

    def affordable(self, players: tuple[int, ...]) -> Size | None:
        """Return the largest size that the budget buys; None where nothing could show, and when it
        is unlimited."""
        share = self.goal.share(self.deal(players))
        deals = int(1 / share) if share else 0
        enough = math.floor(deals * self.share) >= fewest_pairs(self.tests(players))
        if enough:
            return self.size(players, deals)
        return None


@dataclass(frozen=True)
class Proposal:
    options: Options
    size: Size | None
    """The proposed size; None without a goal, or when the budget buys no experiment that could show
    anything."""
    suffices: bool | None
    """Whether the budget is enough for the effect; None unless both are given."""

    @property
    def players(self) -> tuple[int, ...]:
        if self.size:
            return self.size.players
        return self.options.players

    @cached_property
    def sizes(self) -> list[Size]:
        """The rows of the table, including the proposed size."""
        deals = {*DEALS, *([self.size.deals] if self.size else [])}
        return [self.options.size(self.players, number) for number in sorted(deals)]


def propose(
    experiment: Experiment,
    folder: Path,
    goal: Goal,
    past: Path | None = None,
    answer: int | None = None,
) -> Proposal:
    """Return the proposed size for a goal.

    `past`: the folder of another run with measurements; `answer`: tokens of a response. Raises
    UserError for an experiment that compares nothing, and for a budget in dollars without prices.
    """
    choices = options(experiment, goal, [folder, *([past] if past else [])], answer)
    counts = list(dict.fromkeys((choices.players, choices.cheapest)))
    sufficient = []
    for players in counts:
        if size := choices.sufficient(players):
            sufficient.append(size)
    fitting = [size for size in sufficient if goal.share(size.bill) <= 1]
    if sufficient and (fitting or not goal.limited):
        return Proposal(
            choices, (fitting or sufficient)[0], bool(fitting) if goal.limited else None
        )
    affordable = []
    for players in counts:
        if size := choices.affordable(players):
            affordable.append(size)
    enough = [size for size in affordable if size.deals >= PAIRS] or affordable[-1:]
    return Proposal(choices, enough[0] if enough else None, False if sufficient else None)


def options(
    experiment: Experiment, goal: Goal, folders: Sequence[Path], answer: int | None = None
) -> Options:
    """Return costs and spread, measured by finished games in run folders where there are enough,
    otherwise assumed."""
    if experiment.adhoc:
        raise UserError(
            "`plan` compares arms on the same deals, and this experiment has `adhoc`; see run "
            "--dry-run"
        )
    seeds = tuple(experiment.numbers[:2])  # since notes may come from another deal
    plan = Plan.resolve(
        experiment.model_copy(update={"seeds": seeds, "repeats": 1, "stop": None}), folders[0]
    )
    for spec in plan.specs.values():
        spec.seat()  # what a run would refuse, a plan refuses too
    games = {}
    for folder in {folder.resolve(): folder for folder in folders}.values():
        games[folder] = peek_all(folder)
    journals = dict(chain.from_iterable(of_folder.items() for of_folder in games.values()))
    estimates = Estimates.prepare(plan.specs, journals, answer)
    models = tuple(estimates.models(plan.jobs))
    for model in models if goal.max_usd is not None else ():
        Budget(max_usd=goal.max_usd).check(model)
    bills: dict[int, dict[str, Bill]] = {}
    bases = dict[str, None]()
    for job in plan.jobs:
        estimate = estimates.game(job)
        bills.setdefault(job.deal.players, {})[job.arm] = estimate.bill
        bases[estimate.basis] = None
    compared = {players: by_arm for players, by_arm in sorted(bills.items()) if len(by_arm) > 1}
    if not compared:
        raise UserError(
            "there is nothing to compare: `plan` needs an experiment with two arms or more"
        )
    rows = []
    for folder, each in games.items():
        rows.extend(finished(folder, each))
    paid = bool(models)
    metric = plan.metric
    if design := experiment.coalitions:
        terms = coalition_sizes.of_experiment(design, rows, folders[-1], paid=paid, metric=metric)
        if design.primary not in terms:
            raise UserError(
                f"coalitions.primary is {design.primary}, and this design has no such term"
            )
        own = terms[design.primary].spread
        return Options(
            experiment, goal, own, compared, " | ".join(bases), models, plan.untested, terms=terms
        )
    spread = measured_spread(rows, experiment.baseline, paid=paid, metric=metric) or assumed_spread(
        metric, paid=paid
    )
    room = headroom.sentence(rows, experiment.baseline, goal.effect, metric)
    return Options(
        experiment, goal, spread, compared, " | ".join(bases), models, plan.untested, room
    )


def command(
    proposal: Proposal, name: str, settings: Sequence[str], out: Path | None = None
) -> list[str] | None:
    """Return the command that runs the proposed size; None when nothing is proposed."""
    experiment = proposal.options.experiment
    size = proposal.size
    goal = proposal.options.goal
    if size is None:
        return None
    counts = tuple(sorted(set(experiment.players)))
    changed = [f"players=[{', '.join(map(str, size.players))}]"] if size.players != counts else []
    first = experiment.numbers[0]
    short = isinstance(experiment.seeds, Range) and experiment.seeds.first == first
    changed += [
        f"seeds.count={size.deals}" if short else f"seeds={{first: {first}, count: {size.deals}}}"
    ]
    changed += ["repeats=1"] if experiment.repeats > 1 else []
    changed += (
        ["coalitions.games=null"] if experiment.coalitions and experiment.coalitions.games else []
    )
    words = list[str]()
    for setting in (*settings, *changed):
        words.extend(("--set", setting))
    words += ["--out", str(out)] if out else []
    words += ["--budget", f"{goal.max_usd:g}usd"] if goal.max_usd is not None else []
    words += ["--budget", f"{goal.max_tokens}tokens"] if goal.max_tokens is not None else []
    return ["orchestrator", "experiment", "run", name, *words]


ONE_DIGIT = number(1)


def sentences(proposal: Proposal) -> list[str]:
    """Say what the proposal is based on, and what follows from it."""
    options = proposal.options
    size = proposal.size
    basis = [
        f"SD of {_compared(options)[1]}: {options.spread.sd:.1f} points; {options.spread.basis}",
        f"costs are based on: {options.basis}",
        *(cost_estimate.assumptions() if cost_estimate.PROBED in options.basis else []),
        *cost_estimate.about_prices(options.models),
        *([options.room] if options.room else []),
        *([] if options.models else ["no model on a server is asked: games cost only time"]),
    ]
    if size:
        return [*basis, *_about(proposal, size)]
    if not options.goal.limited or not options.models:
        return [
            *basis,
            "nothing is proposed: give --effect POINTS, or a budget, e.g. --budget 5usd",
        ]
    deals = fewest_pairs(options.tests(options.cheapest))
    return [
        *basis,
        f"{options.goal.budget} do not buy an experiment that can show anything: with "
        f"{len(options.arms)} arms no p can be below .05 on fewer than {deals} deals, and at "
        f"{options.cheapest[0]} players these take "
        f"{_price(options.deal(options.cheapest) * deals)}. Use fewer arms or a cheaper model",
    ]


def _compared(options: Options) -> tuple[str, str]:
    """Return what p-values are corrected for, and what varies from deal to deal, in words."""
    if options.primary is None:
        return "arms", "paired differences"
    return "terms", coalition_sizes.WORDS[options.primary.term]


def _price(bill: cost_estimate.Bill) -> str:
    return f"{bill.tokens:,.0f} tokens" + (f", ${bill.usd:,.2f}" if bill.usd is not None else "")


def _about(proposal: Proposal, size: Size) -> Iterator[str]:
    options = proposal.options
    if proposal.suffices is False:
        yield _shortfall(proposal, size)
    if len(size.players) < len(options.players):
        yield (
            f"only {size.players[0]} players: the results will hold for {size.players[0]} "
            "players only"
        )
    if len(size.players) > 1 and not options.spread.correlation:
        yield "a seed's differences at several player counts are taken as independent of each other"
    if design := options.experiment.coalitions:
        yield from coalition_sizes.sentences(
            options.terms, design, size.deals, len(size.players), basis=False
        )
    if options.experiment.stop and size.deals > 1:
        arms = options.tests(size.players)
        counts = len(size.players)
        yield from spread.stop_of_size(
            options.experiment.stop, size.deals, arms, options.spread, counts
        )
    if options.experiment.repeats > 1:
        yield (
            "repeats: 1, because another deal is more informative than another game of the same "
            "deal"
        )


def _shortfall(proposal: Proposal, size: Size) -> str:
    """Say how far the budget is from the effect, and what would help."""
    options = proposal.options
    goal = proposal.options.goal
    needed = options.sufficient(options.cheapest)
    assert needed is not None and goal.effect is not None  # otherwise there is no shortfall
    alone = pairs_needed(options.spread.sd, goal.effect, goal.power, step=1.0)
    pair = goal.share(options.pair(needed.players) * alone)
    if pair <= 1:
        fits = "would fit"
    else:
        fits = f"would still cost {pair:.1f} times the budget"
    seen = "-" if size.pooled is None else f"{size.pooled:.1f}"
    if options.primary:
        two_arms = ""
    else:
        two_arms = f" The baseline and one arm ({alone} deals) {fits};"
    return (
        f"{goal.budget} do not suffice for an effect of {goal.effect:g} points: it needs "
        f"{needed.deals} deals at {needed.players[0]} players, {_price(needed.bill)}.{two_arms} a "
        f"model at 1/{goal.share(needed.bill):.1f} of the cost would fit; the proposed size "
        f"detects {seen} points"
    )


def data(
    proposal: Proposal, name: str, settings: Sequence[str], out: Path | None
) -> dict[str, Any]:
    """Return the proposal as plain data, with the command that runs it."""
    options = proposal.options
    words = command(proposal, name, settings, out)
    return {
        "arms": options.arms,
        "sd": round(options.spread.sd, 3),
        "sd_basis": options.spread.basis,
        "cost_basis": options.basis,
        "power": options.goal.power,
        "sizes": [_size_data(proposal, size) for size in proposal.sizes],
        "proposed": None if proposal.size is None else _size_data(proposal, proposal.size),
        "suffices": proposal.suffices,
        "said": sentences(proposal),
        "command": None if words is None else shlex.join(words),
    }


def _size_data(proposal: Proposal, size: Size) -> dict[str, Any]:
    each, pooled = (
        None if effect is None else round(effect, 3) for effect in (size.each, size.pooled)
    )
    games = {"players": list(size.players), "deals": size.deals, "repeats": 1, "games": size.games}
    effects = {"effect_each": each, "effect": pooled}
    return {**games, **effects, **bill_data(size.bill), "proposed": size == proposal.size}


def blocks(
    proposal: Proposal, name: str, settings: Sequence[str], out: Path | None
) -> Iterator[Block]:
    """Return the table of sizes, what it is based on, and the command that runs the proposed
    one."""
    options = proposal.options
    tests = proposal.options.tests(proposal.players)
    family, varying = _compared(options)
    if tests > 1:
        corrected = f", with Holm's correction for {tests} {family}"
    else:
        corrected = ""
    if options.primary:
        effect = f"effect ({varying})"
    else:
        effect = "effect"
    several = len(proposal.players) > 1
    effects = (
        Column("effect_each", "at each count", ONE_DIGIT),
        Column("effect", "pooled", ONE_DIGIT),
    )
    columns = (
        Column("deals", "deals", INT),
        Column("games", "games", COUNT),
        *(effects if several else (Column("effect", "points", ONE_DIGIT),)),
        Column("tokens", "tokens", WHOLE),
        Column("usd", "usd", MONEY),
        Column("proposed", ""),
    )
    rows = []
    looks = []
    for size in proposal.sizes:
        seen = (size.each, size.pooled) if several else (size.pooled,)
        mine = size == proposal.size
        rows.append(
            (
                size.deals,
                size.games,
                *seen,
                size.bill.tokens,
                size.bill.usd,
                "proposed" if mine else "",
            )
        )
        looks.append("strong" if mine else "plain")
    title = (
        f"{len(options.arms)} arms, {', '.join(map(str, proposal.players))} players: smallest "
        f"{effect} detectable with {100 * options.goal.power:.0f} % power at alpha .05{corrected}"
    )
    yield table("sizes", columns, rows, title=title, looks=tuple(looks))
    yield from notes(sentences(proposal), "aside")
    if words := command(proposal, name, settings, out):
        yield Note(f"next  {shlex.join(words)}")
