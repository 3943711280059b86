"""Any number of a game in the place of its score, so that all statistics of scores hold for it, too."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from experiments.record.rows import Metric, Row


@dataclass(frozen=True, order=True)
class Valued(Row):
    """A game with a number of its own for a score."""

    value: float = 0.0

    def score(self, metric: Metric) -> float:
        """The number, by whichever metric."""
        return self.value

    @property
    def game(self) -> tuple[object, ...]:
        """Games with the same moves may differ in the number all the same."""
        return *super().game, self.value


def valued(rows: Iterable[Row], of: Callable[[Row], float | None]) -> list[Valued]:
    """The games that have the number, with it."""
    pairs = ((row, of(row)) for row in rows)
    return [Valued(**_plain(row), value=value) for row, value in pairs if value is not None]


def _plain(row: Row) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(Row)}
