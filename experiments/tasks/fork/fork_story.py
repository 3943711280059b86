"""`fork` printed: then and now side by side, what changed in each node's note, and the moves of several samples."""

from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.record.game import Turn
from experiments.show.game_story import USED, spent
from experiments.show.live_table import picture
from experiments.show.side_by_side import Side, alike, sides
from experiments.show.terminal import on
from experiments.tasks.fork.decision import Fork
from experiments.tasks.fork.note_changes import Status, changes
from orchestrator.journal.totals import Ledger
from orchestrator.models.simulated_settings import among


def show(fork: Fork, console: Console) -> None:
    """The position, then both decisions with what changed; of several samples the first, and all their moves."""
    place = fork.place
    old, new = place.info, fork.seat.info
    console.print(Text(f"turn {place.view.turn}: P{place.view.seat}, decided again", style="bold"))
    console.print(picture(place.view))
    for warning in fork.warnings:
        console.print(Text(f"note: {warning}", style="yellow"), soft_wrap=True)
    if fork.new:
        then = Side(f"then: {old.graph} on {on(old.model)}", fork.old)
        now = Side(f"now: {new.graph} on {on(new.model)}", fork.new[0])
        console.print(sides(then, now, console.width, {one.node: MEANING[one.status] for one in changes(fork)}))
        console.print(_alike(fork))
    if len(fork.new) > 1 or fork.same:
        _distribution(fork, console)
    _costs(fork, console)


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
    same, text = alike(fork.old, fork.new[0]), Text()
    for status, said in SAME.items():
        if names := [one.node for one in changes(fork) if one.status == status and one.node in same]:
            text.append("\n" if text else "").append(f"{said}: {', '.join(names)}", style="dim")
    return text


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
    """What the calls have used, those of undecided samples included; answers that were held fixed are left out."""
    ledger = Ledger()
    for turn in (*fork.new, *fork.undecided):
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


def _turn_data(turn: Turn) -> dict[str, Any]:
    return {
        "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
        "events": [event.model_dump(mode="json") for event in (turn.started, *turn.events)],
    }
