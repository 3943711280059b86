"""How a value is written, once for every table in every form."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hanabi_orchestrator.roles.words import percent

MISSING = "–"
"""Written where there is no value."""


@dataclass(frozen=True)
class Format:
    """How the values of a column are written. A value that is a text already stays as it is."""

    write: Callable[[Any], str]
    words: bool = False
    """Whether its columns are words, which are left-aligned and broken where a line is too long."""
    parts: tuple[str, ...] = ()
    """The names of a value's parts in data, where it has several: `low`, `high`; the main one has
    an empty name."""

    def text(self, value: Any) -> str:
        """Return the value as text; a dash for None."""
        if isinstance(value, str):
            return value
        if empty(value):
            return MISSING
        return self.write(value)


def empty(value: Any) -> bool:
    """Tell whether a cell has no value."""
    return (
        value is None
        or value == ""
        or (isinstance(value, tuple) and (not value or value[0] is None))
    )


def bounds(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Return the cell of an interval; None where a bound is not known."""
    if low is None or high is None:
        return None
    return (low, high)


def duration(seconds: float) -> str:
    """Return `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def measured(value: float) -> str:
    """Return a signed number of any measure: with four digits where it is small."""
    if abs(value) >= 1000:
        digits = 0
    elif abs(value) >= 0.095 or abs(value) < 0.00005:
        digits = 2
    else:
        digits = 4
    return f"{value if abs(value) >= 0.00005 else 0.0:+,.{digits}f}".replace("-", "−")


def _bounds(write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda pair: f"{write(pair[0])} to {write(pair[1])}"


def _share(value: Any) -> str:
    share, low, high = value
    if low is None:
        return percent(share)
    return f"{percent(share)} ({100 * low:.0f}–{100 * high:.0f})"


@cache
def number(digits: int = 2, *, signed: bool = False, grouped: bool = False) -> Format:
    """Return the format of a number: `1.25`, `+1.25`, `12,345`."""
    return Format(
        lambda value: f"{value:{'+' * signed}{',' * grouped}.{digits}f}".replace("-", "−")
    )


@cache
def interval(digits: int = 2, *, signed: bool = False) -> Format:
    """Return the format of a pair of bounds: `1.25 to 2.50`."""
    return Format(_bounds(number(digits, signed=signed).write), parts=("low", "high"))


@cache
def estimate(digits: int = 2, *, signed: bool = False) -> Format:
    """Return the format of a value and its bounds: `1.25 (0.50 to 2.00)`; without bounds where they
    are None."""
    write = number(digits, signed=signed).write

    def written(value: Any) -> str:
        mean, low, high = value
        if low is None:
            return write(mean)
        return f"{write(mean)} ({write(low)} to {write(high)})"

    return Format(written, parts=("", "low", "high"))


TEXT = Format(str, words=True)
RIGHT = Format(str)
"""A text that stands in a column of numbers."""
INT = Format(str)
COUNT = Format(lambda value: f"{value:,}")
"""A large whole number: `12,345`."""
NUMBER = number()
SIGNED = number(signed=True)
INTERVAL = interval()
SIGNED_INTERVAL = interval(signed=True)
PERCENT = Format(percent)
PERCENT_INTERVAL = Format(_bounds(percent), parts=("low", "high"))
PERCENT_ESTIMATE = Format(_share, parts=("", "low", "high"))
"""A share and its bounds, which may be missing: `12% (3–20)`."""
MEASURED = Format(measured)
MEASURED_INTERVAL = Format(_bounds(measured), parts=("low", "high"))
TALLY = Format(lambda value: "/".join(map(str, value)), parts=("wins", "ties", "losses"))
"""Deals won, tied and lost: `3/5/2`."""
