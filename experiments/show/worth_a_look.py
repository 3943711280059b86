"""`show DIR`: the games of a folder that are worth a look first, with the reason and the
command."""

from typing import Any

from rich.console import Console

from hanabi_orchestrator.experiments.document import terminal
from hanabi_orchestrator.experiments.document.blocks import Column, Heading, Note, listing, notes
from hanabi_orchestrator.experiments.document.formats import RIGHT
from hanabi_orchestrator.experiments.values.looks import GROUPS, SHOWN, Look, Looks
from hanabi_orchestrator.roles.words import many


def print_looks(looks: Looks, nothing: str, screen: Console) -> None:
    """Print a group after the other: how many games, and the first of them; `nothing` where there
    is no game at all."""
    if not looks.games and not looks.looks:
        terminal.show([Note(nothing, "aside")], screen)
        return
    unfinished = looks.games - looks.finished
    open_games = f", {unfinished} not finished" if unfinished else ""
    terminal.show([Heading(f"{many(looks.games, 'game')}{open_games}")], screen)
    for group in GROUPS:
        if games := looks.of(group):
            screen.print()
            terminal.show([Heading(f"{GROUPS[group]}: {many(len(games), 'game')}")], screen)
            _print_games(games[:SHOWN], screen)
            if len(games) > SHOWN:
                terminal.show(
                    [Note(f"... and {len(games) - SHOWN} more; --json lists all", "aside")], screen
                )
    if not looks.looks:
        screen.print("nothing stands out")
    limits = []
    if looks.read < looks.teams:
        limits.append(
            f"overruled roles were looked for in the {looks.read} games with the lowest scores"
        )
    if looks.rolled:
        rolled = many(looks.rolled, "game")
        limits.append(
            f"moves that cost much were looked for in {rolled}, those with the lowest scores"
        )
    elif looks.finished:
        limits.append(
            "moves that cost much are found with --mistakes, by rollouts: some seconds a game"
        )
    screen.print()
    terminal.show(notes(limits, "aside"), screen)


def _print_games(looks: list[Look], screen: Console) -> None:
    """Print the games of a group; where a terminal is narrow, the command in one piece below the
    reason."""

    def command(look: Look) -> str:
        if look.journal.endswith(".jsonl"):
            return look.command
        return look.journal

    columns = (
        Column("score", "score", RIGHT, of=_score),
        Column("why", "why"),
        Column("look", "look", unbroken=True, of=command),
    )
    part = listing("looks", columns, looks)
    rows = terminal.table(part)
    if (
        screen.measure(rows, options=screen.options.update(max_width=terminal.UNBROKEN)).maximum
        <= screen.width
    ):
        screen.print(rows)
        return
    for score, reason, look in part.rows:
        row = terminal.plain_table("", "", words=("why",))
        row.show_header = False
        row.columns[0].min_width = len("0 (00)")
        row.add_row(str(score), str(reason))
        screen.print(row)
        terminal.show([Note(f"        {look}", "aside")], screen)


def _score(look: Look) -> str:
    if look.score_strict is None:
        return "-"
    if look.score_kept != look.score_strict:
        points = f" ({look.score_kept})"
    else:
        points = ""
    return f"{look.score_strict}{points}"


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
