"""What is judged: the lists of all cards that seats wrote down in recorded games, one statement for
each reply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hanabi_orchestrator.experiments.record import saved, seed_range
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.seed_range import SPANS
from hanabi_orchestrator.experiments.values.state_tracking import TrackedGame
from hanabi_orchestrator.graphs.recorded import replies
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.hanabi.list_changes import aspects
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS
from hanabi_orchestrator.roles.reply_types import Deduction, TrackedChoice

ALL = "all"


class Judged(Frozen):
    """A statement as the folder of a run keeps it: enough to report."""

    name: str
    """Game, turn and node, and the sample where there are several: what no other statement is
    called."""
    game: str
    """The journal's path below what was judged, without `.jsonl`."""
    turn: int
    seat: int
    model: str
    """Who wrote the lists; `program` for the tracker's program."""
    exact: dict[str, float]
    """The exact aspects."""


class Statement(Judged):
    """The lists in one reply of a seat, and those of its last turn."""

    view: View
    now: tuple[Deduction, ...]
    before: tuple[Deduction, ...] | None


@dataclass(frozen=True)
class Choice:
    """Which turns are judged."""

    turns: str = ALL
    """`all`, or numbers and ranges: `5,10,20-30`."""
    every: int = 1
    """Of those, the first, and every so many-th after it."""

    def __post_init__(self) -> None:
        """Raise UserError for turns that are no numbers."""
        if self.turns != ALL and not re.fullmatch(SPANS, self.turns):
            raise UserError(
                f"--turns is {self.turns!r}; say {ALL}, or numbers and ranges such as 5,10,20-30"
            )

    def among(self, numbers: range) -> list[int]:
        """Return the turns that are judged, of these."""
        chosen = set(numbers)
        if self.turns != ALL:
            chosen = set(seed_range.numbers(self.turns))
        return [number for number in numbers if number in chosen][:: self.every]


def find(path: Path, choice: Choice) -> tuple[Statement, ...]:
    """Return the statements of a journal, or of all journals below a folder. Raises UserError when
    there is none."""
    if not path.exists():
        raise UserError(
            f"there is nothing at {str(path)!r}; give a run, a folder of games, or a journal"
        )
    if path.is_file():
        files = [path]
    else:
        files = [file for file, _ in saved.journals(path)]
    if not files:
        raise UserError(f"there is no game in {str(path)!r}")
    if statements := tuple(chain.from_iterable(_of_game(file, path, choice) for file in files)):
        return statements
    if choice.turns != ALL and any(True for file in files for _ in _of_game(file, path, Choice())):
        raise UserError(
            f"--turns is {choice.turns!r}, and in {str(path)!r} no seat lists cards on these turns"
        )
    raise UserError(
        f"no reply in {str(path)!r} lists what every card may be; such lists come from the role "
        "`tracker`, as in the graph mycroft"
    )


def _of_game(file: Path, path: Path, choice: Choice) -> Iterator[Statement]:
    story = Game.open(file)
    if file == path:
        name = file.stem
    else:
        name = file.relative_to(path).with_suffix("").as_posix()
    game = TrackedGame(story)
    chosen = set(choice.among(range(1, len(story.turns) + 1)))
    for number, turn in enumerate(story.turns, 1):
        if (config := story.config(turn.seat, number)) is None:
            continue
        turn_replies = tuple(replies(config, (turn.started, *turn.events), story.memory(number)))
        for row, tracked in game.lists(number, turn_replies):
            if number not in chosen or not isinstance(row.reply, TrackedChoice):
                continue
            exact = aspects(tracked.said, tracked.known, tracked.changed(tracked.said))
            if row.node.samples > 1:
                sample = f" sample {row.sample + 1}"
            else:
                sample = ""
            yield Statement(
                name=f"{name} turn {tracked.turn} {row.node.name}{sample}",
                game=name,
                turn=tracked.turn,
                seat=tracked.seat,
                model=row.node.model,
                exact={aspect: getattr(exact, aspect) for aspect in ASPECTS},
                view=turn.view,
                now=row.reply.deductions,
                before=tracked.earlier.deductions
                if isinstance(tracked.earlier, TrackedChoice)
                else None,
            )
