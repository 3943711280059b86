"""What is judged: the lists of all cards that seats wrote down in recorded games, one statement for each reply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.record import saved
from experiments.record.game import Game
from experiments.values.state_tracking import Tracked, TrackedGame
from graphs.recorded import RecordedReply, replies
from orchestrator.errors import UserError
from orchestrator.hanabi.view import View
from roles.hanabi.list_changes import aspects
from roles.hanabi.state_judge import ASPECTS
from roles.reply_types import Deduction, TrackedChoice

ALL = "all"


@dataclass(frozen=True)
class Statement:
    """The lists in one reply of a seat, and those of its last turn."""

    name: str
    """Game, turn and node, and the sample where there are several: what no other statement is called."""
    game: str
    """The journal's path below what was judged, without `.jsonl`."""
    turn: int
    seat: int
    model: str
    """Who wrote the lists; `program` for the tracker's program."""
    view: View
    now: tuple[Deduction, ...]
    before: tuple[Deduction, ...] | None
    exact: dict[str, float]
    """The exact aspects."""


@dataclass(frozen=True)
class Choice:
    """Which turns are judged."""

    turns: str = ALL
    """`all`, or numbers and ranges: `5,10,20-30`."""
    every: int = 1
    """Of those, the first, and every so many-th after it."""

    def __post_init__(self) -> None:
        """Raises UserError for turns that are no numbers."""
        if self.turns != ALL and not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", self.turns):
            raise UserError(f"--turns is {self.turns!r}; say {ALL}, or numbers and ranges such as 5,10,20-30")

    def of(self, numbers: range) -> list[int]:
        ends = [part.split("-") for part in self.turns.split(",")] if self.turns != ALL else []
        wanted = {turn for one in ends for turn in range(int(one[0]), int(one[-1]) + 1)}
        kept = [number for number in numbers if not ends or number in wanted]
        return kept[:: self.every]


def find(path: Path, choice: Choice) -> tuple[Statement, ...]:
    """The statements of a journal, or of all journals below a folder. Raises UserError when there is none."""
    if not path.exists():
        raise UserError(f"there is nothing at {str(path)!r}; give a run, a folder of games, or a journal")
    files = [path] if path.is_file() else [file for file, _ in saved.journals(path)]
    found = tuple(one for file in files for one in _of_game(file, path, choice))
    if not files:
        raise UserError(f"there is no game in {str(path)!r}")
    if not found and choice.turns != ALL and any(True for file in files for _ in _of_game(file, path, Choice())):
        raise UserError(f"--turns is {choice.turns!r}, and in {str(path)!r} no seat lists cards on these turns")
    if not found:
        raise UserError(
            f"no reply in {str(path)!r} lists what every card may be; such lists come from the role `tracker`, as in "
            "the graph mycroft"
        )
    return found


def _of_game(file: Path, path: Path, choice: Choice) -> Iterator[Statement]:
    story = Game.open(file)
    name = file.stem if file == path else file.relative_to(path).with_suffix("").as_posix()
    game, wanted = TrackedGame(story), set(choice.of(range(1, len(story.turns) + 1)))
    for number, turn in enumerate(story.turns, 1):
        if (config := story.config(turn.seat, number)) is None:
            continue
        there = tuple(replies(config, (turn.started, *turn.events), story.memory(number)))
        for one, tracked in game.lists(number, there):
            if number in wanted and isinstance(one.reply, TrackedChoice):
                yield _statement(name, one, one.reply, tracked, turn.view)


def _statement(game: str, one: RecordedReply, reply: TrackedChoice, tracked: Tracked, view: View) -> Statement:
    exact = aspects(tracked.said, tracked.known, tracked.changed(tracked.said))
    sample = f" sample {one.sample + 1}" if one.node.samples > 1 else ""
    return Statement(
        name=f"{game} turn {tracked.turn} {one.node.name}{sample}",
        game=game,
        turn=tracked.turn,
        seat=tracked.seat,
        model=one.node.model,
        view=view,
        now=reply.deductions,
        before=tracked.earlier.deductions if isinstance(tracked.earlier, TrackedChoice) else None,
        exact={aspect: getattr(exact, aspect) for aspect in ASPECTS},
    )
