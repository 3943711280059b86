"""`show DIR`: the games of a folder that are worth a look first, with the reason and the command."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import UNBROKEN, plain_table, printable
from experiments.values.worth_a_look import GROUPS, Group, Look, Looks
from roles.words import many

SHOWN = 5
"""Games of a group that are listed."""


def print_looks(found: Looks, nothing: str, console: Console) -> None:
    """A group after the other: how many games, and the first of them; `nothing` where there is no game at all."""
    if not found.games and not found.looks:
        console.print(Text(nothing, style="dim"))
        return
    open_ones = found.games - found.finished
    rest = f", {open_ones} not finished" if open_ones else ""
    console.print(Text(f"{many(found.games, 'game')}{rest}", style="bold"))
    for group in GROUPS:
        _print_group(group, found.of(group), console)
    if not found.looks:
        console.print(Text("nothing stands out"))
    for line in _limits(found):
        console.print(Text(line, style="dim"))


def _print_group(group: Group, looks: list[Look], console: Console) -> None:
    if not looks:
        return
    console.print(Text(f"\n{GROUPS[group]}: {many(len(looks), 'game')}", style="bold"))
    table = plain_table("score", "why", "look", words=("why", "look"), fixed=("score", "look"))
    for look in looks[:SHOWN]:
        table.add_row(_score(look), printable(look.why), _where(look))
    if console.measure(table, options=console.options.update(max_width=UNBROKEN)).maximum <= console.width:
        console.print(table)
    else:
        _print_lines(looks[:SHOWN], console)
    if len(looks) > SHOWN:
        console.print(Text(f"... and {len(looks) - SHOWN} more; --json lists all", style="dim"))


def _print_lines(looks: list[Look], console: Console) -> None:
    """For a narrow terminal: the reason, and below it the command in one piece."""
    for look in looks:
        table = plain_table("score", "why", words=("why",), fixed=("score",))
        table.show_header = False
        table.columns[0].min_width = len("0 (00)")
        table.add_row(_score(look), printable(look.why))
        console.print(table)
        console.print(Text(f"        {_where(look)}", style="dim"), soft_wrap=True)


def _where(look: Look) -> str:
    return look.command if look.journal.endswith(".jsonl") else look.journal


def _score(look: Look) -> str:
    if look.score_strict is None:
        return "-"
    kept = f" ({look.score_kept})" if look.score_kept != look.score_strict else ""
    return f"{look.score_strict}{kept}"


def _limits(found: Looks) -> Iterable[str]:
    """What was not looked at."""
    yield ""
    if found.read < found.teams:
        yield f"overruled roles were looked for in the {found.read} games with the lowest scores"
    if found.rolled:
        yield f"moves that cost much were looked for in {many(found.rolled, 'game')}, those with the lowest scores"
    elif found.finished:
        yield "moves that cost much are found with --swings, by rollouts: some seconds a game"


def as_data(found: Looks) -> dict[str, Any]:
    """For `--json`: all games of all groups."""
    return {
        "games": found.games,
        "finished": found.finished,
        "read_for_overruled": found.read,
        "rolled_for_swings": found.rolled,
        "looks": [
            {
                "group": look.group,
                "journal": look.journal,
                "score_strict": look.score_strict,
                "score_kept": look.score_kept,
                "turn": look.turn,
                "why": look.why,
            }
            for look in found.looks
        ],
    }
