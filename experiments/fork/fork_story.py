"""`fork` printed: then and now side by side, what changed in each node's note, and the moves of several samples."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.fork.decision import Fork
from experiments.fork.note_changes import NoteChange, Reply, Status, changes
from experiments.results.story import StoryTurn
from experiments.show.game_story import USED, spent
from experiments.show.live_table import picture
from experiments.show.terminal import certainty, on, plain_table, printable
from experiments.show.turn_story import reply_lines
from orchestrator.journal.totals import Ledger
from orchestrator.models.simulated_settings import among

WIDEST = 160
"""Characters of a line where nothing else limits it."""
MOST = 12
"""Lines of a note that are shown on each side."""
ALONE = 5
"""The same, of a note that the other side does not have."""


def show(fork: Fork, console: Console) -> None:
    """The position, then both decisions with what changed; of several samples the first, and all their moves."""
    place = fork.place
    old, new = place.info, fork.seat.info
    console.print(Text(f"turn {place.view.turn}: P{place.view.seat}, decided again", style="bold"))
    console.print(picture(place.view))
    for warning in fork.warnings:
        console.print(Text(f"note: {warning}", style="yellow"), soft_wrap=True)
    if fork.new:
        width = min(console.width, WIDEST)
        console.print(_sides(fork, f"{old.graph} on {on(old.model)}", f"{new.graph} on {on(new.model)}", width))
        console.print(_alike(fork))
    if len(fork.new) > 1 or fork.same:
        _distribution(fork, console)
    _costs(fork, console)


def _sides(fork: Fork, then: str, now: str, width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0), width=width)
    table.add_column("", style="bold cyan", overflow="fold")
    table.add_column(Text(f"then: {then}"), overflow="fold", ratio=1)
    table.add_column(Text(f"now: {now}"), overflow="fold", ratio=1)
    table.add_row("decided", _decision(fork.old), _decision(fork.new[0]))
    for one in changes(fork):
        if one.old != one.new:
            table.add_row(Text(f"{one.node}\n").append(MEANING[one.status], style="dim"), *_both(one))
    return table


SAME: dict[Status, str] = {
    "kept": "kept as recorded",
    "edited": "put in its place, and the same",
    "same": "asked again, and the same",
}
MEANING: dict[Status, str] = {
    "kept": "kept as recorded",
    "edited": "put in its place",
    "same": "asked again",
    "changed": "asked again",
    "only then": "not asked now",
    "only now": "not asked then",
}


def _alike(fork: Fork) -> Text:
    """The nodes whose notes are the same."""
    text = Text()
    for status, said in SAME.items():
        if names := [one.node for one in changes(fork) if one.status == status and one.old == one.new]:
            text.append("\n" if text else "").append(f"{said}: {', '.join(names)}", style="dim")
    return text


def _both(one: NoteChange) -> tuple[Text, Text]:
    """Both notes; of what stands in both only how much it is."""
    old, new = _lines(one.old), _lines(one.new)
    return _only(old, new), _only(new, old)


def _only(lines: list[str], others: list[str]) -> Text:
    """The lines that the other side does not have."""
    own, most = [line for line in lines if line not in others], MOST if others else ALONE
    text = Text(printable("\n".join(own[:most])) if lines else "")
    if len(own) > most:
        text.append(f"\n... {len(own) - most} more lines", style="dim")
    if (alike := len(lines) - len(own)) and own:
        text.append(f"\n({alike} {'line' if alike == 1 else 'lines'} the same)", style="dim")
    return text if lines else Text("-", style="dim")


def _lines(replies: Iterable[Reply]) -> list[str]:
    found = list[str]()
    for reply in replies:
        found += ["no usable answer"] if reply is None else reply_lines(reply)
    return found


def _decision(turn: StoryTurn) -> Text:
    if (decided := turn.decided) is None:
        return Text("not decided: the game stopped here", style="bold red")
    sure = certainty(turn.started.view, decided.move)
    text = Text.assemble((str(decided.move), "bold cyan"), f"  ({sure})" if sure else "")
    text.append("  FORCED" if decided.forced else "", style="bold magenta")
    return text.append(f"\n{printable(decided.why)}", style="italic")


def _distribution(fork: Fork, console: Console) -> None:
    if fork.same:
        console.print(Text(f"\nOne decision stands for all: {fork.same}."))
        return
    then = fork.old.decided and str(fork.old.decided.move)
    table = plain_table("move", "times", "", words=("move", ""))
    for move, times in fork.moves.items():
        table.add_row(move, str(times), "as then" if move == then else "")
    console.print(Text(f"\n{len(fork.new)} decisions, each with its own seeds:"))
    console.print(table)


def _costs(fork: Fork, console: Console) -> None:
    used = totals(fork)
    if used["calls"]:
        costless = among(fork.seat.info.model) and not used["tokens_in"]
        console.print(Text(f"\nasked    {used['calls']} calls at no cost" if costless else f"\nasked    {spent(used)}"))


def totals(fork: Fork) -> dict[str, Any]:
    """What the calls of the new decisions have used; answers that were held fixed are left out."""
    ledger = Ledger()
    for turn in fork.new:
        for call in turn.calls:
            if call.fixed is None:
                ledger(call)
    return {name: ledger.stated[name] for name in USED}


def data(fork: Fork) -> dict[str, Any]:
    """A fork as plain data."""
    old, new = fork.place.info, fork.seat.info
    return {
        "turn": fork.place.view.turn,
        "seat": fork.place.view.seat,
        "old": _turn_data(fork.old) | {"graph": old.graph, "model": old.model},
        "new": [_turn_data(turn) | {"graph": new.graph, "model": new.model} for turn in fork.new],
        "changes": [vars(one) for one in changes(fork)] if fork.new else [],
        "kept": sorted(fork.kept),
        "edited": sorted(fork.edited),
        "moves": fork.moves,
        "same": fork.same,
        "warnings": list(fork.warnings),
        "stopped": fork.stopped,
        "used": totals(fork),
    }


def _turn_data(turn: StoryTurn) -> dict[str, Any]:
    return {
        "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
        "events": [event.model_dump(mode="json") for event in (turn.started, *turn.events)],
    }
