"""The table of measures: every number that is known of a finished game, with its words, its better side and its range.

A number with a column of results.csv is declared there, in `Row`; those that are computed from several are below.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from hanabi_orchestrator.experiments.record.rows import Number, Row
from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean

MARK = "mark:"
"""Begins the name of a mark's mean: `mark:analyst.brier`."""


@dataclass(frozen=True, kw_only=True)
class Measure(Number):
    """A number of a game: its meaning, its name, and how it is computed."""

    key: str
    """As `--metric` and the columns of results.csv name it."""
    of: Callable[[Any], float | None]
    """Of a game's row, or of a decision; None where the number is not known, and then in no pair."""

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
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and other.key == self.key


def metadata(hint: object) -> tuple[object, ...]:
    """Return what annotations say of a type, those inside `| None` included."""
    args = get_args(hint)
    if get_origin(hint) is Annotated:
        return (*metadata(args[0]), *args[1:])
    return tuple(note for arg in args for note in metadata(arg))


_COLUMNS = {
    name: Measure(key=name, of=attrgetter(name), **vars(number))
    for name, hint in get_type_hints(Row, include_extras=True).items()
    for number in metadata(hint)
    if isinstance(number, Number)
}
"""The numbers that are columns of results.csv."""

STRICT = replace(_COLUMNS["score_strict"], key="strict", of=lambda row: row.score("strict"))
KEPT = replace(_COLUMNS["score_kept"], key="kept", of=lambda row: row.score("kept"))
OWN = Measure(
    key="own",
    of=lambda row: row.moves[1] / row.moves[0] if row.moves[0] else None,
    says="the share of a model's moves that are its own",
    unit="own moves (share)",
    better="more",
    most=1.0,
)
TOKENS = Measure(
    key="tokens",
    of=lambda row: row.tokens_in + row.tokens_out,
    says="tokens of prompts and answers",
    unit="tokens per game",
    better="fewer",
)

MEASURES: Mapping[str, Measure] = _COLUMNS | {
    measure.key: measure for measure in (STRICT, KEPT, OWN, TOKENS)
}
"""By key. Strict and kept are scores; the others are counted while a game is played."""

METRICS: dict[str, Measure] = {
    key: MEASURES[key]
    for key in (
        "strict",
        "kept",
        "turns",
        "lives",
        "misplays",
        "hints_wasted",
        "own",
        "forced",
        "refused",
        "fallbacks",
        "reasked",
        "calls",
        "tokens",
        "tokens_in",
        "tokens_out",
        "usd",
    )
}
"""The measures that arms can be compared by, in the order of tables; `add` puts others after them."""

_PLUGINS = plugins.Group("hanabi_orchestrator.measures")


def add(measure: Measure) -> Measure:
    """Let arms be compared by a measure, which is returned: `--metric KEY`, `metric: KEY`, and the tables of reports.

    Raises UserError for a name that is no word or is taken.
    """
    check_name(measure.key)
    if measure.key in MEASURES or measure.key in METRICS or measure.key.startswith(MARK):
        raise UserError(f"there is a measure {measure.key!r} already; choose another name")
    METRICS[measure.key] = measure
    return measure


def known() -> Mapping[str, Measure]:
    """Return the measures that arms can be compared by, those of installed packages included. Raises UserError."""
    _PLUGINS.load()
    return METRICS


def check(name: str) -> str:
    """Return a name that arms can be compared by. Raises UserError; whether a mark exists shows when games are read."""
    if name in known():
        return name
    if name.startswith(MARK):
        role, _, mark = name.removeprefix(MARK).partition(".")
        if role and mark:
            return name
        raise UserError(
            f"the metric {name!r} names no mark; one is named by role and mark: mark:tom_interpreter.NAME"
        )
    names = did_you_mean(name, METRICS)
    raise UserError(f"there is no metric {name!r}; {names}, or mark:ROLE.NAME for a mark of a role")


def metric(name: str) -> Measure:
    """Return the measure that a metric of the results' columns names. Raises UserError."""
    if name.startswith(MARK):
        raise UserError(f"{check(name)} is read from journals, which are not here")
    return METRICS[check(name)]
