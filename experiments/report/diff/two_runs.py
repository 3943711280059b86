"""Two run folders: which games are the same, where the others part, and the paired differences of their arms."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.record import rows
from experiments.record.rows import Metric, Row
from experiments.record.story import first_difference
from experiments.record.turn_rows import moves
from experiments.report import compare
from experiments.report.compare import Compared

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
    """The first turn whose moves differ; None where all moves are the same."""

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
    first: Path, second: Path, arm: str | None = None, arm_b: str | None = None, *, metric: str | None = None
) -> RunDiff:
    """Raises UserError where nothing can be compared, as `compare` does."""
    compared = compare.compare(first, second, arm, arm_b, metric=metric)
    games, alone = list[GamePair](), [0, 0]
    every = rows.rows(first), rows.rows(second)
    for pair in compared.pairs:
        one = _of_arm(every[0], pair.first.removeprefix("A: "))
        other = _of_arm(every[1], pair.second.removeprefix("B: "))
        games += _pairs(first, second, one, other, compared.headline.score)
        alone = [alone[0] + len(one.keys() - other.keys()), alone[1] + len(other.keys() - one.keys())]
    return RunDiff(tuple(games), (alone[0], alone[1]), compared)


Deal = tuple[int, int, int]


def _of_arm(games: list[Row], arm: str) -> dict[Deal, Row]:
    return {(row.players, row.seed, row.repeat): row for row in games if row.arm == arm}


def _pairs(
    first: Path, second: Path, one: dict[Deal, Row], other: dict[Deal, Row], metric: Metric
) -> Iterator[GamePair]:
    for deal in sorted(one.keys() & other.keys()):
        a, b = one[deal], other[deal]
        arm = a.arm if a.arm == b.arm else f"{a.arm} / {b.arm}"
        same = a.moves_digest is not None and a.moves_digest == b.moves_digest
        turn = None if same else first_difference(moves(first / a.journal).moves, moves(second / b.journal).moves)
        yield GamePair(arm, *deal, a.score(metric), b.score(metric), turn)


def data(found: RunDiff) -> dict[str, Any]:
    return {
        "same": found.same,
        "games": [asdict(game) | {"difference": game.difference} for game in found.games],
        "only_a": found.alone[0],
        "only_b": found.alone[1],
        "compared": compare.data(found.compared),
    }


def show(found: RunDiff, console: Console) -> None:
    """The games that differ, then what `experiment compare` says."""
    console.print(Text(_in_words(found), style="bold"), soft_wrap=True)
    _table([game for game in found.games if game.first_turn is not None], found.compared.headline.score, console)
    console.print()
    compare.show(found.compared, console)


def _in_words(found: RunDiff) -> str:
    same = sum(game.first_turn is None for game in found.games)
    text = f"{len(found.games)} games of the same deals, {same} of them the same move by move"
    more = [f"{n} only in {name}" for name, n in zip("AB", found.alone, strict=True) if n]
    return f"{'; '.join((text, *more))}."


def _table(games: list[GamePair], metric: Metric, console: Console) -> None:
    """The games that differ, the largest differences first where there are too many."""
    if not games:
        return
    shown = games if len(games) <= SHOWN else sorted(games, key=lambda game: -abs(game.difference))[:SHOWN]
    table = plain_table("arm", "players", "seed", "repeat", "first turn", "A", "B", "B - A", words=("arm",))
    for game in shown:
        place = (game.arm, game.players, game.seed, game.repeat, game.first_turn, game.a, game.b)
        table.add_row(*map(str, place), f"{game.difference:+d}")
    console.print(table)
    console.print(Text(f"A and B are {metric} scores; first turn is the first whose moves differ.", style="dim"))
    if more := len(games) - len(shown):
        said = f"{more} more games differ, by less; --json has all."
        console.print(Text(said, style="dim"))
