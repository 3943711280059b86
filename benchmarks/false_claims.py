"""How often a report of a run without an effect claims one, for each kind of sentence; and whether controls decide
rightly in worlds whose causes are known.

Games and decisions are made up, and go through the analysis, the verdict and the sentences as those of a run do. The
deal explains 30 % of the variance of the points that a game keeps; it scores 0 where it is struck out.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks import null_positions
from benchmarks.simulated_experiments import game
from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis import stopping
from hanabi_orchestrator.experiments.analysis.role_marks import MarkedGame
from hanabi_orchestrator.experiments.analysis.statistics.correlation import correlate
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record.rows import PERFECT, Row
from hanabi_orchestrator.experiments.report import role_sentences, verdict
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun
from hanabi_orchestrator.experiments.report.run_data import RunData, run_data
from hanabi_orchestrator.experiments.study.stop_rule import STOP
from hanabi_orchestrator.experiments.values.mark_tally import BaselineTally, Key, MarkTally
from hanabi_orchestrator.experiments.values.move_values import TITLES

REPORTS = 300
"""Reports of each design."""
CORRELATION = 0.3


@dataclass(frozen=True)
class Points:
    """The kept score of a game: normal, rounded, from 0 to 25."""

    mean: float
    sd: float


WIDE = Points(12.5, 4.5)
NARROW = Points(20.0, 1.6)
"""Of models that differ much from game to game, and of programs, which do not: there a strike-out costs most."""
Chance = np.random.Generator
Trial = Callable[[Chance], bool]
"""Makes up a run, and returns whether its report holds a false claim."""

CLAIMS = re.compile(
    r"^(?:By the \w+ score: )?(?P<arm>\S+) scores [\d.]+ [\w ]*?(?P<side>more|less) than|"
    r"a difference is shown|changes of faults|Faults per game that change|its difference is shown"
)
"""Sentences that claim a difference."""
MARK_CLAIM = re.compile(r"\b(?:better|worse) on \d")


@dataclass(frozen=True)
class Measured:
    """Reports of one design."""

    kind: str
    design: str
    reports: int
    false: int
    """Those with a false claim."""

    @property
    def error(self) -> float:
        """The binomial standard error of the share."""
        return math.sqrt(self.false * (self.reports - self.false) / self.reports**3)


def games(
    chance: Chance,
    arms: Mapping[str, tuple[float, float]],
    deals: int,
    baseline_lost: float = 0.0,
    points: Points = WIDE,
) -> list[Row]:
    """Return games on the same deals; `arms`: by name, what an arm adds to the kept score, and how likely it is struck
    out; the baseline is `full`."""
    common = chance.normal(size=deals) * math.sqrt(CORRELATION)
    rows = []
    for arm, (effect, lost) in {"full": (0.0, baseline_lost), **arms}.items():
        own = chance.normal(size=deals) * math.sqrt(1 - CORRELATION)
        kept = np.clip(
            np.rint(points.mean + effect + points.sd * (common + own)), 0, PERFECT
        ).astype(int)
        struck = chance.random(deals) < lost
        rows += [game(arm, seed, int(kept[seed]), lost=bool(struck[seed])) for seed in range(deals)]
    return rows


def run_of(arms: Iterable[str], deals: int, **more: Any) -> dict[str, Any]:
    """Return what run.yaml says of a run of these arms."""
    plans = {arm: {"players": [2]} for arm in ("full", *arms)}
    size = {"seeds": list(range(deals)), "players": [2], "repeats": 1}
    return {"name": "null", "baseline": "full", "metric": "strict", "arms": plans, **size, **more}


def claims(data: RunData, roles: MarkedRun | None = None) -> list[re.Match[str]]:
    """Return what the verdict claims."""
    found = (CLAIMS.search(sentence) for sentence in verdict.sentences(data, roles))
    return [match for match in found if match]


def data_of(rows: Sequence[Row], run: Mapping[str, Any]) -> RunData:
    return run_data(Path(), rows, run)


def headline(chance: Chance, arms: int, deals: int, lost: float) -> bool:
    """Arms of one distribution: any claim by either score is false."""
    plan = {f"arm{number}": (0.0, lost) for number in range(1, arms + 1)}
    return bool(claims(data_of(games(chance, plan, deals, lost), run_of(plan, deals))))


def fair_effect(lost: float) -> float:
    """Return what an arm must add to the kept score so that its mean strict score is that of the baseline."""
    return NARROW.mean / (1 - lost) - NARROW.mean


def strike_outs(chance: Chance, deals: int, lost: float, *, none_seen: bool = False) -> bool:
    """The arm keeps more points and is struck out now and then; the means of the strict score are equal.

    `none_seen`: count the claims which say that neither struck out in these deals, and no others.
    """
    plan = {"arm1": (fair_effect(lost), lost)}
    data = data_of(games(chance, plan, deals, points=NARROW), run_of(plan, deals))
    said = [match.string for match in claims(data) if match["arm"]]
    return any((say.NEVER(units="deals") in sentence) is none_seen for sentence in said)


LOOKS = (4, 8, 12, 16)


def stopped(chance: Chance, lost: float, *, none_seen: bool = False) -> bool:
    """The same under a stop rule, which looks at the deals of LOOKS."""
    deals = LOOKS[-1]
    plan = {"arm1": (fair_effect(lost), lost)}
    rule = {
        "when": "shown",
        "effect": None,
        "alpha": 0.05,
        "looks": list(LOOKS),
        "metric": "strict",
    }
    run = run_of(plan, deals, **{STOP: {**rule, "baseline": "full", "arms": ["arm1"]}})
    rows = games(chance, plan, deals, points=NARROW)
    outcome = stopping.of_run(run, rows)
    assert outcome is not None
    until = max(stop.deals for stop in outcome.arms.values())
    data = data_of([row for row in rows if row.seed < until], run)
    said = [match.string for match in claims(data) if match["arm"]]
    return any((say.NEVER(units="deals") in sentence) is none_seen for sentence in said)


def extended(chance: Chance, sizes: Sequence[int], added: int = 0) -> bool:
    """A run that goes on to the next size as long as its report claims nothing; `added`: arms at every extension."""
    names = [f"arm{number}" for number in range(1, 2 + added * len(sizes))]
    rows = games(chance, dict.fromkeys(names, (0.0, 0.0)), sizes[-1])
    planned = list[dict[str, Any]]()
    for number, size in enumerate(sizes):
        arms = ["full", *names[: 1 + added * number]]
        plan: dict[str, Any] = {"deals": size, "players": [2], "repeats": 1, "arms": arms}
        planned.append({**plan, "finished": sizes[number - 1]} if number else plan)
        part = [row for row in rows if row.seed < size and row.arm in arms]
        if claims(data_of(part, run_of(arms[1:], size, planned=planned))):
            return True
    return False


FAULT_MEANS = tuple(np.linspace(0.5, 5, len(TITLES)))


def faults(chance: Chance, arms: int, deals: int, *, dispersed: bool = False) -> bool:
    """Faults of one distribution in all arms: Poisson, or with variance m + m²/2."""
    plan = {f"arm{number}": (0.0, 0.0) for number in range(1, arms + 1)}
    data = data_of(games(chance, plan, deals), run_of(plan, deals))
    marked = [
        MarkedGame(row, {}, (), _faults(chance, dispersed=dispersed), {}, None) for row in data.rows
    ]
    return any("ault" in match[0] for match in claims(data, MarkedRun(data, tuple(marked))))


def _faults(chance: Chance, *, dispersed: bool) -> Any:
    means = FAULT_MEANS * chance.gamma(2, 0.5, len(TITLES)) if dispersed else FAULT_MEANS
    return dict(zip(TITLES, chance.poisson(means).tolist(), strict=True))


ROLES = ("history_analyst", "tom_interpreter", "discard_strategist", "proposer")


def marks(chance: Chance, deals: int) -> bool:
    """Roles whose every mark is, on average, what its program and a uniform guess would have had."""
    data = data_of(games(chance, {}, deals), run_of((), deals))
    keys = [Key(role, f"mark{number}") for role in ROLES for number in range(9)]
    marked = []
    for row in data.rows:
        ahead = chance.normal(size=(len(keys), 2)) * 0.1
        tallies = {
            key: MarkTally(
                0.5, 20, 20, ("m",), {"program": _standard(first), "uniform": _standard(second)}
            )
            for key, (first, second) in zip(keys, ahead.tolist(), strict=True)
        }
        nodes = tuple(_Node(role) for role in ROLES)
        marked.append(MarkedGame(row, tallies, nodes, _faults(chance, dispersed=False), {}, None))  # type: ignore[arg-type]
    said = role_sentences.sentences(MarkedRun(data, tuple(marked)))
    return any(MARK_CLAIM.search(sentence) for sentence in said)


@dataclass(frozen=True)
class _Node:
    role: str


def _standard(ahead: float) -> BaselineTally:
    return BaselineTally(0.5 - ahead, ahead, 20)


def correlations(chance: Chance, arms: int, spread: float) -> bool:
    """Effects of arms on 50 positions' deals and in games of 20 deals, without a relation; `spread`: SD of the arms'
    true effects, in SDs of a deal."""
    sides = []
    for deals in (50, 20):
        true = chance.normal(size=arms) * spread
        values = true + chance.normal(size=(deals, arms))
        sides.append(values.mean(axis=0).tolist())
    found = correlate("loss", *sides)
    return found.spearman_p is not None and found.spearman_p < ALPHA


Trials = Iterator[tuple[str, Trial]]
"""A design in words, and a trial of it."""


def headlines() -> Trials:
    for arms, deals in ((1, 4), (1, 6), (1, 10), (4, 10), (1, 20), (4, 20), (1, 50)):
        for lost in (0.0, 0.05, 0.3):
            design = f"{arms} arms, {deals} deals, {lost:.0%} struck out"
            yield design, partial(headline, arms=arms, deals=deals, lost=lost)


def rare_strike_outs() -> Trials:
    for deals, lost in product((6, 10, 20, 50), (0.03, 0.06, 0.12)):
        yield (
            f"{deals} deals, {lost:.0%} of the arm alone",
            partial(strike_outs, deals=deals, lost=lost),
        )


def stop_rules() -> Trials:
    looks = ", ".join(map(str, LOOKS))
    for lost in (0.0, 0.06, 0.12):
        yield f"looks after {looks} deals, {lost:.0%} of the arm alone", partial(stopped, lost=lost)


def none_seen() -> Trials:
    for deals, lost in product((6, 10, 20, 50), (0.03, 0.06, 0.12)):
        yield (
            f"{deals} deals, {lost:.0%} of the arm alone",
            partial(strike_outs, deals=deals, lost=lost, none_seen=True),
        )
    yield "looks as above, 6% of the arm alone", partial(stopped, lost=0.06, none_seen=True)


def extensions() -> Trials:
    for sizes in ((10, 20), (10, 20, 30, 40), tuple(range(10, 61, 7))):
        yield f"{', '.join(map(str, sizes))} deals", partial(extended, sizes=sizes)
    yield "10 deals, an arm more four times", partial(extended, sizes=(10,) * 5, added=1)


def fault_counts() -> Trials:
    for arms, deals, dispersed in product((1, 4), (6, 10, 20), (False, True)):
        design = f"{arms} arms, {deals} deals{', dispersed' if dispersed else ''}"
        yield design, partial(faults, arms=arms, deals=deals, dispersed=dispersed)


def role_marks() -> Trials:
    for deals in (6, 10, 20):
        yield f"4 roles, 36 marks, {deals} deals", partial(marks, deals=deals)


def over_arms() -> Trials:
    for arms, spread in product((4, 6, 9, 12), (0.5, 1.5)):
        yield (
            f"{arms} arms, true effects spread {spread:g} SD",
            partial(correlations, arms=arms, spread=spread),
        )


def decisions() -> Trials:
    for arms, deals, positions in product((1, 3), (6, 10, 30), (1, 5)):
        design = f"{arms} roles with two controls each, {deals} deals of {positions} positions"
        yield design, partial(null_positions.claims, roles=arms, deals=deals, positions=positions)


NONE_SEEN = "not false: says that neither struck out"
KINDS: Mapping[str, Callable[[], Trials]] = {
    "headline, both scores": headlines,
    "rare strike-outs": rare_strike_outs,
    "stop rule": stop_rules,
    NONE_SEEN: none_seen,
    "extended run": extensions,
    "faults": fault_counts,
    "marks": role_marks,
    "correlation over arms": over_arms,
    "positions": decisions,
}
"""Kinds of sentences, each with its designs."""


def measure(reports: int = REPORTS, kinds: Iterable[str] = KINDS) -> Iterator[Measured]:
    """Measure all designs of some kinds of sentences."""
    for kind in kinds:
        for number, (design, trial) in enumerate(KINDS[kind]()):
            chance = np.random.default_rng([number, *kind.encode()])
            yield Measured(kind, design, reports, sum(trial(chance) for _ in range(reports)))


# Worlds whose causes are known

EFFECT = -4.0
DEALS = 20
NODES = ("a", "b", "c")
CONTROLS = ("removed", "placebo", "shuffled", "padded")


@dataclass(frozen=True)
class World:
    """What the arms of each role cost."""

    name: str
    removed: float
    placebo: float
    shuffled: float
    padded: float
    survives: bool
    """Whether the role is worth points by what its note says."""


WORLDS = (
    World("the content alone", EFFECT, EFFECT, EFFECT, EFFECT, survives=True),
    World("the length, or that a note stands there", EFFECT, 0, 0, 0, survives=False),
    World("any note but the placebo will do", EFFECT, EFFECT, 0, EFFECT, survives=False),
    World("worthless; another game's note harms", 0, 0, EFFECT, 0, survives=False),
    World(
        "worthless; length costs, placebo and another game's note mislead",
        EFFECT,
        EFFECT,
        EFFECT,
        0,
        survives=False,
    ),
    World("nothing", 0, 0, 0, 0, survives=False),
)


@dataclass(frozen=True)
class Decided:
    """What the sentences of roles say in a world."""

    world: World
    padded: bool
    """Whether the padded control was played."""
    reports: int
    verdicts: Mapping[str, int]
    """Roles by `not shown`, `survives`, `explained`, `open`."""
    false: int
    """Reports with a false `survives` of any role, or a false `explained` where the content is the cause."""


def worlds(reports: int = REPORTS, deals: int = DEALS) -> Iterator[Decided]:
    for world in WORLDS:
        for padded in (False, True):
            yield decide(world, reports, deals, padded=padded)


def decide(world: World, reports: int = REPORTS, deals: int = DEALS, *, padded: bool) -> Decided:
    """Return what the sentences of roles say in a world; `padded`: whether the padded control is played, too."""
    chance = np.random.default_rng([*world.name.encode(), padded])
    kinds = CONTROLS if padded else CONTROLS[:-1]
    arms = {f"{kind}-{node}": (kind, node) for node in NODES for kind in kinds}
    plan = {arm: (float(getattr(world, kind)), 0.0) for arm, (kind, _) in arms.items()}
    plan["noise-floor"] = 0.0, 0.0
    run = run_of(plan, deals)
    for arm, (kind, node) in arms.items():
        run["arms"][arm]["purpose"] = {"kind": kind, "nodes": [node]}
    run["arms"]["noise-floor"]["purpose"] = {"kind": "noise_floor"}
    verdicts = Counter[str]()
    false = 0
    for _ in range(reports):
        data = data_of(_again(games(chance, plan, deals)), run)
        said = [_role_verdict(role) for role in data.controls]
        verdicts.update(said)
        false += ("survives" in said and not world.survives) or (
            "explained" in said and world.survives
        )
    return Decided(world, padded, reports, verdicts, false)


def _again(rows: Iterable[Row]) -> list[Row]:
    """Return the games with those of the noise floor marked as such."""
    return [
        replace(row, control="noise_floor") if row.arm == "noise-floor" else row for row in rows
    ]


def _role_verdict(role: Any) -> str:
    if role.removed is None or not role.removed.claimed:
        return "not shown"
    return {True: "survives", False: "explained", None: "open"}[role.survives]


def show(measured: Iterable[Measured], console: Console) -> None:
    table = plain_table(
        "kind", "design", "reports", "false claims", "share", words=("kind", "design")
    )
    for row in measured:
        share = f"{row.false / row.reports:.1%} ± {row.error:.1%}"
        table.add_row(row.kind, row.design, str(row.reports), str(row.false), share)
    console.print(table)


def show_worlds(decided: Iterable[Decided], console: Console) -> None:
    names = ("not shown", "survives", "explained", "open")
    first = "what the role is worth"
    table = plain_table(first, "padded", "reports", *names, "false", words=(first,))
    for row in decided:
        roles = row.reports * len(NODES)
        shares = [f"{row.verdicts.get(name, 0) / roles:.0%}" for name in names]
        cells = row.world.name, "yes" if row.padded else "no", str(row.reports), *shares
        table.add_row(*cells, f"{row.false / row.reports:.1%}")
    console.print(table)
