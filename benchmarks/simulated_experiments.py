"""Whole experiments, simulated and analysed: how often the analysis claims a difference where there is none, whether
its sentences contradict their own intervals, how often its intervals hold the truth, and whether it sees an effect as
often as a plan says.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.console import Console

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.differences import differences
from hanabi_orchestrator.experiments.analysis.statistics.power import POWER, detectable
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record.rows import PERFECT, Row

NULLS = 300
POWERED = 400
"""Experiments for each design without an effect, and with one."""
SD = 3.0
CORRELATION = 0.3
MEAN = 12.5
"""Scores of games, and how much of their variance the deal explains."""


@dataclass(frozen=True)
class Design:
    arms: int
    """Compared with the baseline."""
    counts: int
    """Player counts."""
    deals: int
    repeats: int = 1
    lost: float = 0.0
    """The probability that a game is lost."""
    replayed: bool = False
    """Whether the first arm plays the same games as the baseline."""


NULL_DESIGNS = (
    *(Design(arms, counts, deals) for arms in (1, 5) for counts in (1, 4) for deals in (6, 10, 20)),
    Design(9, 2, 12),
    Design(5, 1, 5),
    Design(2, 2, 10, repeats=3),
    Design(1, 1, 1, repeats=10),
    *(Design(arms, 1, 20, lost=lost) for arms in (1, 5) for lost in (0.05, 0.4)),
    Design(2, 1, 20, replayed=True),
)
POWER_DESIGNS = tuple(Design(arms, counts, 12) for arms in (1, 2, 5, 9) for counts in (1, 2, 3, 4))


@dataclass(frozen=True)
class Nulls:
    """Experiments of one design without an effect."""

    design: Design
    claims: float
    """The share of experiments in which a sentence claims a difference."""
    misleading: int
    """Sentences that contradict the interval or the numbers beside them; see `misleading`."""
    covered: float | None
    """The share of 95 % intervals of differences that hold the true one; None where there are none."""
    covered_holm: float | None
    """The same of the intervals of the sentences, at the level that they name."""
    level: float
    """The mean of those levels."""


@dataclass(frozen=True)
class Powered:
    """Experiments of one design in which one arm has the effect that a plan calls detectable."""

    design: Design
    effect: float
    planned: float
    """The power that the plan states."""
    found: float
    """The share of experiments that claim the effect, with the right sign."""


@dataclass(frozen=True)
class Tried:
    nulls: tuple[Nulls, ...]
    powered: tuple[Powered, ...]


def measure() -> Tried:
    return Tried(tuple(nulls()), tuple(powered()))


def nulls(experiments: int = NULLS, designs: Sequence[Design] = NULL_DESIGNS) -> Iterator[Nulls]:
    for design in designs:
        chance = np.random.default_rng([design.arms, design.counts, design.deals, design.repeats])
        yield _nulls(design, [_analysed(chance, design, 0.0) for _ in range(experiments)])


def _nulls(design: Design, found: Sequence[Analysis]) -> Nulls:
    every = [one for analysis in found for one in analysis.differences]
    shown = [one for analysis in found for one in conclusions.widest(analysis.differences)]
    plain = [
        one.low <= 0 <= one.high for one in every if one.low is not None and one.high is not None
    ]
    holm = [one for one in shown if one.low_holm is not None and one.high_holm is not None]
    held = [(one.low_holm or 0.0) <= 0 <= (one.high_holm or 0.0) for one in holm]
    return Nulls(
        design,
        claims=float(
            np.mean([bool(conclusions.claims(analysis.differences)) for analysis in found])
        ),
        misleading=sum(map(misleading, found)),
        covered=float(np.mean(plain)) if plain else None,
        covered_holm=float(np.mean(held)) if held else None,
        level=float(np.mean([one.level or 0.0 for one in holm])) if holm else 0.0,
    )


def powered(
    experiments: int = POWERED, designs: Sequence[Design] = POWER_DESIGNS
) -> Iterator[Powered]:
    for design in designs:
        chance = np.random.default_rng([design.arms, design.counts, design.deals])
        sd = SD * math.sqrt(2 * (1 - CORRELATION) / design.counts)
        effect = detectable(sd, design.deals, POWER, design.arms, 1 / design.counts)
        if effect is None:
            raise ValueError(f"{design} can show nothing")
        found = [_analysed(chance, design, effect) for _ in range(experiments)]
        seen = [conclusions.claims(analysis.differences) for analysis in found]
        share = np.mean(
            [any(one.arm == "a1" and one.mean > 0 for one in claims) for claims in seen]
        )
        yield Powered(design, effect, POWER, float(share))


def _analysed(chance: np.random.Generator, design: Design, effect: float) -> Analysis:
    """Of the games of an experiment in which the first arm has this effect."""
    arms = _games(chance, design, effect)
    found = differences([(games, arms[0]) for games in arms[1:]])
    return Analysis("a0", (), found)


def _games(chance: np.random.Generator, design: Design, effect: float) -> list[list[Row]]:
    """By arm, the baseline first: scores of a deal have a part in common, and are whole numbers from 0 to 25."""
    shape = design.arms + 1, design.counts, design.deals, design.repeats
    deal = chance.normal(size=(1, *shape[1:3], 1)) * math.sqrt(CORRELATION)
    scores = MEAN + SD * (deal + chance.normal(size=shape) * math.sqrt(1 - CORRELATION))
    scores += np.where(np.arange(design.arms + 1) == 1, effect / 2, -effect / 2)[
        :, None, None, None
    ]
    lost = chance.random(shape) < design.lost
    if design.replayed:
        scores[1], lost[1] = scores[0], lost[0]
    kept = np.clip(np.rint(scores), 0, PERFECT).astype(int)
    return [
        [
            _row(design, arm, at, int(points), bool(lost[at]))
            for at, points in np.ndenumerate(kept)
            if at[0] == arm
        ]
        for arm in range(design.arms + 1)
    ]


def _row(design: Design, arm: int, at: tuple[int, ...], kept: int, lost: bool) -> Row:
    player = "a0" if design.replayed and arm == 1 else f"a{arm}"
    row = game(f"a{arm}", at[2], kept, players=at[1] + 2, repeat=at[3], lost=lost)
    return replace(row, moves_digest=f"{player} {at[1:]}")


def game(
    arm: str, seed: int, kept: int, *, players: int = 2, repeat: int = 1, lost: bool = False
) -> Row:
    """Return a made-up game, whose moves no other game has; `lost`: struck out."""
    return Row(
        arm=arm,
        graph="",
        players=players,
        seed=seed,
        repeat=repeat,
        score_strict=0 if lost else kept,
        score_kept=kept,
        lives=0 if lost else 3,
        turns=60,
        end="lives_lost" if lost else "deck_exhausted",
        calls=0,
        fallbacks=0,
        forced=0,
        tokens_in=0,
        tokens_out=0,
        usd=None,
        journal=f"games/{arm}/{players}p-s{seed}-r{repeat}.jsonl",
        moves_digest=f"{arm} {players} {seed} {repeat}",
    )


INTERVAL = re.compile(r"interval ([+-][\d.]+) to ([+-][\d.]+)")


def misleading(analysis: Analysis) -> int:
    """How many sentences contradict themselves, as a reader would find them.

    Those that claim a difference beside an interval over 0, that claim none beside an interval without 0, that say more
    for less, that claim a difference between the same games, or that argue from an effect that would have been seen.
    """
    found = 0
    for one in conclusions.widest(analysis.differences):
        said = next(
            said
            for said in conclusions.sentences(analysis)
            if re.match(rf"{one.arm}\b|With .* {one.arm} [+-]", said)
        )
        claims = (
            "neither shown" not in said
            and "not significant" not in said
            and "inconclusive" not in said
        )
        claims = claims and " points " in said and "in each of" not in said
        bounds = INTERVAL.search(said)
        over = bounds is not None and float(bounds[1]) <= 0 <= float(bounds[2])
        strictly = bounds is not None and float(bounds[1]) < 0 < float(bounds[2])
        found += claims and (bounds is None or strictly or one.alike == one.n or one.p is None)
        found += not claims and bounds is not None and over == ("excludes 0" in said)
        found += (" more than " in said and one.mean < 0) or (
            " less than " in said and one.mean > 0
        )
        found += "would have" in said or "detectable" in said or "detects" in said
    return found


def show(found: Tried, console: Console) -> None:
    console.print("without an effect")
    show_nulls(found.nulls, console)
    console.print("\nwith an effect in one arm")
    show_powered(found.powered, console)


def show_nulls(found: Sequence[Nulls], console: Console) -> None:
    columns = "claims", "misleading", "95 % held", "of sentences", "at level"
    table = plain_table("arms", "counts", "deals", "repeats", "struck out", "replayed", *columns)
    for one in found:
        shares = (
            _percent(one.covered),
            _percent(one.covered_holm),
            f"{1 - one.level:.1%}" if one.level else "-",
        )
        table.add_row(*_cells(one.design), f"{one.claims:.1%}", str(one.misleading), *shares)
    console.print(table)


def show_powered(found: Sequence[Powered], console: Console) -> None:
    table = plain_table("arms", "counts", "deals", "effect", "planned", "found")
    for one in found:
        cells = f"{one.effect:.2f}", f"{one.planned:.0%}", f"{one.found:.1%}"
        table.add_row(*_cells(one.design)[:3], *cells)
    console.print(table)


def _cells(design: Design) -> tuple[str, ...]:
    numbers = design.arms, design.counts, design.deals, design.repeats
    return *map(str, numbers), f"{design.lost:.0%}", "one arm" if design.replayed else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
