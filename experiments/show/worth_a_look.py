"""`show DIR`: the games of a folder that are worth a look first, with the reason and the command."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from experiments.document import terminal
from experiments.document.blocks import Column, Heading, Note, notes, table
from experiments.document.formats import RIGHT
from experiments.values.worth_a_look import GROUPS, SHOWN, Group, Look, Looks
from roles.words import many


def print_looks(looks: Looks, nothing: str, screen: Console) -> None:
    """Print a group after the other: how many games, and the first of them; `nothing` where there is no game at all."""
    if not looks.games and not looks.looks:
        terminal.show([Note(nothing, "aside")], screen)
        return
    unfinished = looks.games - looks.finished
    rest = f", {unfinished} not finished" if unfinished else ""
    terminal.show([Heading(f"{many(looks.games, 'game')}{rest}")], screen)
    for group in GROUPS:
        _print_group(group, looks.of(group), screen)
    if not looks.looks:
        screen.print("nothing stands out")
    screen.print()
    terminal.show(notes(_limits(looks), "aside"), screen)


def _print_group(group: Group, looks: list[Look], screen: Console) -> None:
    """Print the first games of a group; where a terminal is narrow, the command in one piece below the reason."""
    if not looks:
        return
    screen.print()
    terminal.show([Heading(f"{GROUPS[group]}: {many(len(looks), 'game')}")], screen)
    columns = (Column("score", "score", RIGHT), Column("why", "why"), Column("look", "look", unbroken=True))
    part = table(
        "looks",
        columns,
        [
            (_score(look), look.why, (look.command if look.journal.endswith(".jsonl") else look.journal))
            for look in looks[:SHOWN]
        ],
    )
    rows = terminal.table(part)
    if screen.measure(rows, options=screen.options.update(max_width=terminal.UNBROKEN)).maximum <= screen.width:
        screen.print(rows)
    else:
        for score, why, look in part.rows:
            row = terminal.plain_table("", "", words=("why",))
            row.show_header, row.columns[0].min_width = False, len("0 (00)")
            row.add_row(str(score), terminal.printable(str(why)))
            screen.print(row)
            terminal.show([Note(f"        {look}", "aside")], screen)
    if len(looks) > SHOWN:
        terminal.show([Note(f"... and {len(looks) - SHOWN} more; --json lists all", "aside")], screen)


def _score(look: Look) -> str:
    if look.score_strict is None:
        return "-"
    points = f" ({look.score_kept})" if look.score_kept != look.score_strict else ""
    return f"{look.score_strict}{points}"


def _limits(looks: Looks) -> Iterable[str]:
    """Return what was not looked at."""
    if looks.read < looks.teams:
        yield f"overruled roles were looked for in the {looks.read} games with the lowest scores"
    if looks.rolled:
        yield f"moves that cost much were looked for in {many(looks.rolled, 'game')}, those with the lowest scores"
    elif looks.finished:
        yield "moves that cost much are found with --mistakes, by rollouts: some seconds a game"


def as_data(looks: Looks) -> dict[str, Any]:
    """Return all games of all groups, for `--json`."""
    keys = ("group", "journal", "score_strict", "score_kept", "turn", "why")
    return {
        "games": looks.games,
        "finished": looks.finished,
        "read_for_overruled": looks.read,
        "rolled_for_swings": looks.rolled,
        "looks": [{key: getattr(look, key) for key in keys} for look in looks.looks],
    }
