"""Two run folders: which games are the same, where the others part, and the paired differences of their arms."""

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from experiments.document.blocks import Block, Column, Heading, Note, table
from experiments.document.formats import INT, Format
from experiments.record import rows
from experiments.record.game import Game, first_difference
from experiments.record.rows import Metric, Row
from experiments.report import compare
from experiments.report.compare import Compared
from experiments.statistics.estimates import Interval

SHOWN = 40
"""Games that are shown; `--json` has all."""


@dataclass(frozen=True)
class GamePair:
    """A deal that an arm of each run played."""

    arm: str
    """Of the first run; where the other is named otherwise, both: `full / full-2`."""
    players: int
    seed: int
    repeat: int
    a: float
    """The scores that the runs are compared by."""
    b: float
    first_turn: int | None
    """The first turn whose moves differ; None where all moves are the same, 0 where the journals are not there."""

    @property
    def difference(self) -> float:
        return self.b - self.a


@dataclass(frozen=True)
class RunDiff:
    games: tuple[GamePair, ...]
    alone: tuple[int, int]
    """Finished games of these arms that only the first run has, and only the second."""
    compared: Compared

    @property
    def same(self) -> bool:
        return not any(self.alone) and not self.compared.only and all(game.first_turn is None for game in self.games)


def diff(
    first: Path,
    second: Path,
    arm: str | None = None,
    arm_b: str | None = None,
    *,
    metric: str | None = None,
    interval: Interval = "t",
) -> RunDiff:
    """Raises UserError where nothing can be compared, as `compare` does."""
    compared = compare.compare(first, second, arm, arm_b, metric=metric, interval=interval)
    games, alone = list[GamePair](), [0, 0]
    every = rows.rows(first), rows.rows(second)
    for pair in compared.pairs:
        ours = _of_arm(every[0], pair.first.removeprefix("A: "))
        other = _of_arm(every[1], pair.second.removeprefix("B: "))
        games += _pairs(first, second, ours, other, compared.headline.score)
        alone = [alone[0] + len(ours.keys() - other.keys()), alone[1] + len(other.keys() - ours.keys())]
    return RunDiff(tuple(games), (alone[0], alone[1]), compared)


Deal = tuple[int, int, int]


def _of_arm(games: list[Row], arm: str) -> dict[Deal, Row]:
    return {row.pairing: row for row in games if row.arm == arm}


def _pairs(
    first: Path, second: Path, ours: dict[Deal, Row], other: dict[Deal, Row], metric: Metric
) -> Iterator[GamePair]:
    for deal in sorted(ours.keys() & other.keys()):
        a, b = ours[deal], other[deal]
        arm = a.arm if a.arm == b.arm else f"{a.arm} / {b.arm}"
        same = a.moves_digest is not None and a.moves_digest == b.moves_digest
        turn = None if same else _first_difference(first / a.journal, second / b.journal)
        yield GamePair(arm, *deal, a.score(metric), b.score(metric), turn)


def _first_difference(first: Path, second: Path) -> int | None:
    """Return the first turn whose moves differ; 0 where a run was kept without its journals."""
    if not (first.exists() and second.exists()):
        return 0
    return first_difference(Game.open(first).moves, Game.open(second).moves)


def json_value(difference: RunDiff) -> dict[str, Any]:
    """Return the differences as plain data."""
    return {
        "same": difference.same,
        "games": [asdict(game) | {"difference": game.difference} for game in difference.games],
        "only_a": difference.alone[0],
        "only_b": difference.alone[1],
        "compared": compare.json_value(difference.compared),
    }


def blocks(difference: RunDiff) -> Iterator[Block]:
    """Return the games that differ, the largest differences first where there are many; then the runs compared."""
    games = difference.games
    same = sum(game.first_turn is None for game in games)
    text = f"{len(games)} games of the same deals, {same} of them the same move by move"
    more = [f"{n} only in {name}" for name, n in zip("AB", difference.alone, strict=True) if n]
    yield Heading(f"{'; '.join((text, *more))}.")
    differing = [game for game in games if game.first_turn is not None]
    rows = differing if len(differing) <= SHOWN else sorted(differing, key=lambda game: -abs(game.difference))[:SHOWN]
    columns = (
        *(Column("arm", "arm"), Column("players", "players", INT), Column("seed", "seed", INT)),
        *(Column("repeat", "repeat", INT), Column("first_turn", "first turn", INT), Column("a", "A", INT)),
        *(Column("b", "B", INT), Column("difference", "B - A", Format(lambda value: f"{value:+d}"))),
    )
    yield table("games", columns, [(*astuple(game), game.difference) for game in rows])
    if rows:
        score = difference.compared.headline.score
        yield Note(f"A and B are {score} scores; first turn is the first whose moves differ.", "aside")
    if len(differing) > len(rows):
        yield Note(f"{len(differing) - len(rows)} more games differ, by less; --json has all.", "aside")
    yield from compare.blocks(difference.compared)
