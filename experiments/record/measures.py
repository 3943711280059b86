"""What arms can be compared by: a number of each finished game, with its words, its better side and its range."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from experiments.record.rows import PERFECT, Row
from orchestrator import spelling
from orchestrator.errors import UserError
from orchestrator.hanabi.cards import MAX_LIVES

Better = Literal["more", "fewer"]

MARK = "mark:"
"""Begins the name of a mark's mean: `mark:analyst.brier`."""


@dataclass(frozen=True)
class Measure:
    """A number of a game."""

    name: str
    """As `--metric` names it."""
    value: Callable[[Row], float | None]
    """None for a game whose number is not known; such a game is in no pair."""
    unit: str
    """`points`, `turns per game`: what there is more or fewer of."""
    about: str
    """What the number is, in a clause."""
    better: Better | None = None
    """Which side is better; None where neither is."""
    least: float | None = 0.0
    """The smallest value that is possible; None where there is no such value."""
    most: float | None = None
    by_moves: bool = False
    """Whether it follows from the moves, so that games with the same moves cannot differ in it."""

    @property
    def range(self) -> tuple[float, float] | None:
        """The bounds of a difference of means; None where it may be of any size."""
        if self.least is None or self.most is None:
            return None
        return self.least - self.most, self.most - self.least

    @property
    def side(self) -> str:
        """`more is better`, `neither side is better`."""
        return f"{self.better} is better" if self.better else "neither side is better as such"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and other.name == self.name


def _share_of_own(row: Row) -> float | None:
    moves, own = row.moves
    return own / moves if moves else None


def _tokens(row: Row) -> float:
    return row.tokens_in + row.tokens_out


STRICT = Measure(
    "strict",
    lambda row: row.score("strict"),
    "points",
    "the score, 0 in a game in which the third life was lost",
    "more",
    most=PERFECT,
    by_moves=True,
)
KEPT = Measure(
    "kept",
    lambda row: row.score("kept"),
    "kept points",
    "the points on the table, even when the third life was lost",
    "more",
    most=PERFECT,
    by_moves=True,
)

MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        STRICT,
        KEPT,
        Measure("turns", lambda row: row.turns, "turns per game", "the turns of a game", by_moves=True),
        Measure(
            "lives",
            lambda row: row.lives,
            "lives at the end",
            "lives left at the end",
            "more",
            most=MAX_LIVES,
            by_moves=True,
        ),
        Measure(
            "misplays",
            lambda row: row.misplays,
            "misplays per game",
            "plays that cost a life",
            "fewer",
            most=MAX_LIVES,
            by_moves=True,
        ),
        Measure(
            "hints_wasted",
            lambda row: row.hints_wasted,
            "wasted hints per game",
            "hints that told nothing new",
            "fewer",
            by_moves=True,
        ),
        Measure(
            "own",
            _share_of_own,
            "own moves (share)",
            "the share of a model's moves that are its own",
            "more",
            most=1.0,
        ),
        Measure(
            "forced", lambda row: row.forced, "forced moves per game", "moves that a program chose safely", "fewer"
        ),
        Measure(
            "refused",
            lambda row: row.refused,
            "refused choices per game",
            "choices that a judge or rule refused",
            "fewer",
        ),
        Measure(
            "fallbacks", lambda row: row.fallbacks, "fallbacks per game", "questions without a usable answer", "fewer"
        ),
        Measure("reasked", lambda row: row.reasked, "second asks per game", "answers that were asked again", "fewer"),
        Measure("calls", lambda row: row.calls, "calls per game", "calls of models", "fewer"),
        Measure("tokens", _tokens, "tokens per game", "tokens of prompts and answers", "fewer"),
        Measure("tokens_in", lambda row: row.tokens_in, "prompt tokens per game", "tokens of prompts", "fewer"),
        Measure("tokens_out", lambda row: row.tokens_out, "answer tokens per game", "tokens of answers", "fewer"),
        Measure("usd", lambda row: row.usd, "dollars per game", "the price of a game in dollars", "fewer"),
    )
}
"""By name. Strict and kept are scores; the others are counted while a game is played."""


def check(name: str) -> str:
    """A name that arms can be compared by. Raises UserError; whether a mark exists shows when games are read."""
    if name in MEASURES:
        return name
    if name.startswith(MARK):
        role, _, mark = name.removeprefix(MARK).partition(".")
        if role and mark:
            return name
        raise UserError(f"the metric {name!r} names no mark; one is named by role and mark: mark:tom_interpreter.NAME")
    known = spelling.known(name, MEASURES)
    raise UserError(f"there is no metric {name!r}; {known}, or mark:ROLE.NAME for a mark of a role")


def of(name: str) -> Measure:
    """A measure of the results' columns. Raises UserError."""
    if name.startswith(MARK):
        raise UserError(f"{check(name)} is read from journals, which are not here")
    return MEASURES[check(name)]
