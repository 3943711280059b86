"""Two journals: whether they are games of one deal by the same seats, where they part, and how they
end."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import ne
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.document import terminal
from hanabi_orchestrator.experiments.document.blocks import Column, Look, table
from hanabi_orchestrator.experiments.document.formats import INT
from hanabi_orchestrator.experiments.record.game import (
    Game,
    Turn,
    comparable_replies,
    first_difference,
)
from hanabi_orchestrator.experiments.show.live_table import picture
from hanabi_orchestrator.experiments.show.terminal import choice, on, slips
from hanabi_orchestrator.experiments.show.turn_story import reply_lines
from hanabi_orchestrator.experiments.values.position import pack_of
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError, nearby
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, SeatInfo
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.journal.game_so_far import FORKED, begins, differences
from hanabi_orchestrator.roles.words import many

WIDEST = 160
"""Characters of a line where nothing else limits it."""
MOST = 12
"""Lines of a note that are shown on each side."""
ALONE = 5
"""The same, of a note that the other side does not have."""


@dataclass(frozen=True)
class Side:
    title: str
    turn: Turn
    value: str = ""
    """The one-step value of its move; empty where nobody computed it."""


def sides(first: Side, second: Side, width: int, remarks: Mapping[str, str] | None = None) -> Table:
    """Return a table with the decisions, and the nodes whose notes differ; `remarks`: what stands
    below a node's name."""
    table = Table(
        box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0), width=min(width, WIDEST)
    )
    table.add_column("", style="bold cyan", overflow="fold")
    for side in (first, second):
        table.add_column(Text(side.title), overflow="fold", ratio=1)
    table.add_row("decided", _decision(first.turn), _decision(second.turn))
    if first.value or second.value:
        table.add_row("one-step value", first.value, second.value)
    errors = [slips(side.turn.calls) for side in (first, second)]
    if any(errors):
        table.add_row(
            "simulated errors", *(Text(text or "none", style="magenta") for text in errors)
        )
    old, new = comparable_replies(first.turn, second.turn)
    for node in dict.fromkeys((*new, *old)):
        if old.get(node) != new.get(node):
            ours = _lines_of(old.get(node, ()))
            theirs = _lines_of(new.get(node, ()))
            remark = f"\n{remarks[node]}" if remarks and node in remarks else ""
            name = Text(node).append(remark, style="dim")
            table.add_row(name, _only(ours, theirs), _only(theirs, ours))
    return table


def _lines_of(replies: Iterable[dict[str, Any] | None]) -> list[str]:
    """Return the lines of a node's replies."""
    lines = list[str]()
    for reply in replies:
        lines += ["no usable answer"] if reply is None else reply_lines(reply)
    return lines


def alike(first: Turn, second: Turn) -> list[str]:
    """Return the nodes that said the same in both."""
    old, new = comparable_replies(first, second)
    return [node for node in new if new[node] == old.get(node)]


def _only(lines: list[str], opposite: list[str]) -> Text:
    """Return the lines that the other side does not have."""
    lines_alone = [line for line in lines if line not in opposite]
    limit = MOST if opposite else ALONE
    text = Text("\n".join(lines_alone[:limit]) if lines else "")
    if len(lines_alone) > limit:
        text.append(f"\n... {len(lines_alone) - limit} more lines", style="dim")
    if (alike := len(lines) - len(lines_alone)) and lines_alone:
        text.append(f"\n({alike} {'line' if alike == 1 else 'lines'} the same)", style="dim")
    if lines:
        return text
    return Text("-", style="dim")


def _decision(turn: Turn) -> Text:
    if (decided := turn.decided) is None:
        return Text("not decided: the game stopped here", style="bold red")
    text = choice(turn.started.view, decided.move, pack_of(turn.game, turn.seat, turn.number))
    text.append("  FORCED" if decided.forced else "", style="bold magenta")
    return text.append(f"\n{decided.why}", style="italic")


SCORES = (
    "score_strict",
    "score_kept",
    "lives",
    "turns",
    "end",
    "forced",
    "refused",
    "fallbacks",
    "calls",
)
"""What is compared of two results; then the tokens and the dollars."""
USED = ("tokens_in", "tokens_out", "usd")


@dataclass(frozen=True)
class GameDiff:
    paths: tuple[Path, Path]
    stories: tuple[Game, Game]
    same: bool
    """Whether nothing differs but times."""
    same_deal: bool
    settings: tuple[str, ...]
    """What differs in the deal, the seats and their settings, in words."""
    first_move: int | None
    """The first turn whose moves differ, or that only one of the games has; None where there is
    none."""
    first_note: int | None
    """The first turn in which some node says something else."""

    @property
    def turns(self) -> tuple[Turn | None, Turn | None]:
        """The first turn that differs, in both games."""
        place = (self.first_move or 0) - 1
        turns = list[Turn | None]()
        for story in self.stories:
            turns.append(story.turns[place] if 0 <= place < len(story.turns) else None)
        return turns[0], turns[1]


def compare(first: Path, second: Path) -> GameDiff:
    """Raises UserError for a file that is no journal."""
    events = journal.read(first), journal.read(second)
    story = Game.of(events[0])
    second_game = Game.of(events[1])
    same_deal = (story.started.players, story.started.deck) == (
        second_game.started.players,
        second_game.started.deck,
    )
    played = (
        (a, b) for a, b in zip(story.turns, second_game.turns, strict=False) if a.moved and b.moved
    )
    first_note = (
        next((a.number for a, b in played if ne(*comparable_replies(a, b))), None)
        if same_deal
        else None
    )
    return GameDiff(
        paths=(first, second),
        stories=(story, second_game),
        same=comparable(events[0]) == comparable(events[1]),
        same_deal=same_deal,
        settings=tuple(_settings(story.started, second_game.started)),
        first_move=first_difference(story.moves, second_game.moves) if same_deal else None,
        first_note=first_note,
    )


def _settings(old: GameStarted, new: GameStarted) -> Iterator[str]:
    """Return what differs between two games before their first turn."""
    if old.players != new.players:
        yield f"players was {old.players}, is {new.players}"
        return
    if old.deck != new.deck:
        yield f"the deal was {old.deal}, is {new.deal}"
    elif old.repeat != new.repeat:
        yield f"repeat was {old.repeat}, is {new.repeat}"
    cards = []
    for seat, (a, b) in enumerate(zip(old.seats, new.seats, strict=True)):
        cards.append((seat, _card(a), _card(b)))
    seats = [f"P{seat} was {a}, is {b}" for seat, a, b in cards if a != b]
    yield from seats
    if not seats:
        yield from (
            setting
            for setting in differences(old, new)
            if not setting.startswith(("the deal", FORKED))
        )
    if old.parent != new.parent:
        yield " and ".join(
            f"{name} {begins(game.parent)}" for name, game in (("A", old), ("B", new))
        )
    for name in {**old.versions, **new.versions}:
        if old.versions.get(name) != new.versions.get(name):
            yield (
                f"{name} was {old.versions.get(name, 'missing')}, is "
                f"{new.versions.get(name, 'missing')}"
            )


def _card(seat: SeatInfo) -> str:
    return f"{seat.graph} on {on(seat.model)}"


def data(difference: GameDiff) -> dict[str, Any]:
    turns = []
    for turn in difference.turns:
        turns.append(
            {
                "seat": turn.seat,
                "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
                "notes": {node: list(replies) for node, replies in turn.replies.items()},
            }
            if turn
            else None
        )
    return {
        "a": str(difference.paths[0]),
        "b": str(difference.paths[1]),
        "same": difference.same,
        "same_deal": difference.same_deal,
        "differences": list(difference.settings),
        "first_turn": difference.first_move,
        "first_note": difference.first_note,
        "turns": turns if difference.first_move else None,
        "results": [
            story.result.model_dump(mode="json") if story.result else None
            for story in difference.stories
        ],
    }


def show(difference: GameDiff, console: Console) -> None:
    """Print the seats and what differs, the first turn that does, and the results."""
    for name, path, story in zip("AB", difference.paths, difference.stories, strict=True):
        seats = "; ".join(dict.fromkeys(map(_card, story.started.seats)))
        console.print(
            Text(
                f"{name}  {path}\n   {story.started.players} players, {story.started.deal}: {seats}"
            )
        )
    console.print(Text(f"\n{_in_words(difference)}", style="bold"), soft_wrap=True)
    for setting in difference.settings:
        console.print(Text(f"- {setting}"), soft_wrap=True)
    if difference.first_move is not None:
        _show_turn(difference, console)
    console.print()
    first, second = (story.result for story in difference.stories)
    if first is None and second is None:
        console.print(Text("Neither game is finished."))
        return
    values = []
    for name in (*SCORES, *USED):
        a, b = (getattr(result, name, "unfinished") for result in (first, second))
        values.append((name, a, b))
    rows = []
    for name, a, b in values:
        if a is not None or b is not None:
            rows.append((name.replace("_", " "), a, b))
    columns = (Column("what", "", unbroken=True), Column("a", "A", INT), Column("b", "B", INT))
    looks: list[Look] = []
    for _, a, b in rows:
        looks.append("faint" if a == b else "strong")
    console.print(terminal.table(table("results", columns, rows, looks=tuple(looks))))


def _in_words(difference: GameDiff) -> str:
    if difference.same:
        return "The same game: nothing differs but times."
    if not difference.same_deal:
        return (
            "Two different deals, so no turn of one is a turn of the other; what can be compared:"
        )
    if difference.first_move is None:
        notes = f", but what the roles said differs from turn {difference.first_note} on"
        return f"The same deal and the same moves{notes if difference.first_note else ''}."
    if difference.first_move == 1:
        return "The same deal; the moves differ from turn 1 on."
    before = difference.first_move - 1
    return (
        f"The same deal; the moves are the same to turn {before} and differ in turn "
        f"{difference.first_move}."
    )


def _show_turn(difference: GameDiff, console: Console) -> None:
    first, second = difference.turns
    number = difference.first_move or 1
    if (turn := first or second) is None:
        console.print(Text(f"\nturn {number}: neither game shows it"))
        return
    if difference.first_note is not None and difference.first_note < number:
        console.print(
            Text(f"What the roles said differs from turn {difference.first_note} on."),
            soft_wrap=True,
        )
    console.print()
    console.print(picture(turn.view))
    if first is None or second is None:
        alone = "B" if first is None else "A"
        console.print(Text(f"Only {alone} goes on here: the other has {many(number - 1, 'turn')}."))
        return
    ours, theirs = (
        Side(f"{name}: {_card(story.started.seat_at(side.seat, number))}", side)
        for name, story, side in zip("AB", difference.stories, (first, second), strict=True)
    )
    console.print(sides(ours, theirs, console.width))
    if agreeing := alike(first, second):
        console.print(Text(f"the same in both: {', '.join(agreeing)}", style="dim"))


def check(first: Path, second: Path) -> bool:
    """Tell whether both are run folders; False when both are files. Raises UserError for one of
    each, or for neither."""
    for path in (first, second):
        if not path.exists():
            raise UserError(f"there is no journal and no run folder at {str(path)!r}{nearby(path)}")
    if first.is_dir() != second.is_dir():
        raise UserError("diff compares two journals or two run folders, not one of each")
    return first.is_dir()
