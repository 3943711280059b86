"""What the games of an experiment come to, and what they leave open: summaries, comparisons with the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from experiments.results import Row


@dataclass(frozen=True)
class Summary:
    """The games of an arm at a player count, or over all of its player counts."""

    arm: str
    players: int | None
    """None: pooled over the arm's player counts."""
    n: int
    """Games."""
    deals: int
    """(players, seed) pairs."""
    strict: float
    """Mean score; 0 where the third life was lost. Every deal counts alike: repeats are averaged first."""
    low: float | None
    """The ends of the 95 % interval of that mean, over deals (over repeats, when there is one deal)."""
    high: float | None
    strict_se: float | None
    """Standard error of that mean; None for a single deal and repeat."""
    sd: float | None
    """Standard deviation of the strict scores of games."""
    kept: float
    """Mean of the points on the table, also when the third life was lost."""
    iqm: float
    """Interquartile mean of the strict scores, with its bootstrap interval."""
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]
    """Games with a strict score of 0, 1 ... 25."""
    turns: float
    """Mean per game, like all below that say nothing else."""
    perfect: float
    """Share of games with 25 points."""
    struck_out: float
    """Share of games in which the third life was lost."""
    ends: dict[str, int]
    """Games by how they ended."""
    misplays: float
    hints_wasted: float | None
    """Hints after which their receiver knew no more of any card; None when a journal is too old to say."""
    fallbacks: float
    forced_share: float
    """Of all moves, those that were forced."""
    calls: float
    tokens_in: float
    tokens_out: float
    usd: float | None
    simulated: bool
    """Whether a simulated model sat in any of them."""
    program: bool
    """Whether no model was asked in any of them."""


@dataclass(frozen=True)
class Difference:
    """An arm less the baseline at a player count, or over all that both played."""

    arm: str
    baseline: str
    players: int | None
    unit: Literal["deals", "repeats"]
    """What was drawn at random: deals, paired, their repeats averaged first; the repeats of a single deal otherwise."""
    n: int
    """How many of them, in pairs that are complete."""
    mean: float
    """Of strict scores."""
    low: float | None
    """The ends of the 95 % interval of the mean; None for a single one."""
    high: float | None
    p: float | None
    """Two-sided, by sign flips (deals) or by permutation (repeats)."""
    p_holm: float | None
    """The same, corrected for all arms that are compared at this player count."""
    wins: int
    ties: int
    losses: int
    mde: float | None
    """The smallest true difference that so many would show at 5 % in four runs of five."""
    for_one_point: int | None
    """How many would show a true difference of one point as surely."""


@dataclass(frozen=True)
class Analysis:
    baseline: str | None
    summaries: tuple[Summary, ...]
    """In the order of the arms; of each arm its player counts, then, when there are several, all of them pooled."""
    differences: tuple[Difference, ...] = ()
    flagged: tuple[str, ...] = ()
    """Arms with so many forced moves that their score says more of the safe fallback than of them."""
    unforced: "Analysis | None" = None
    """The same without the deals in which a move was forced in any arm; None when no move was."""
    said: tuple[str, ...] = field(default=())
    """What can and cannot be concluded, in sentences."""


def analyse(rows: Sequence[Row], baseline: str | None = None, order: Sequence[str] = ()) -> Analysis:
    """Of the finished games; `order` is that of the arms."""
    raise NotImplementedError
