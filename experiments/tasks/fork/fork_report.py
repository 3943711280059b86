"""A fork as data and as parts of a document: what changed in each node's note, and the moves of
several samples."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Heading,
    Note,
    Text,
    table,
)
from hanabi_orchestrator.experiments.document.formats import INT, SIGNED
from hanabi_orchestrator.experiments.record.game import Turn, comparable_replies
from hanabi_orchestrator.experiments.tasks.fork.decision import Fork
from hanabi_orchestrator.experiments.values import position as values_position
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.turn_values import ONE_STEP
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.roles.words import many

Status = Literal["kept", "edited", "same", "changed", "only then", "only now"]
MEANING: Mapping[Status, str] = {
    "kept": "kept as recorded",
    "edited": "put in its place",
    "same": "asked again",
    "changed": "asked again",
    "only then": "not asked now",
    "only now": "not asked then",
}
USED = (
    "calls",
    "tokens_in",
    "tokens_out",
    "cached_tokens",
    "reasoning_tokens",
    "cache_hits",
    "usd",
)
Reply = dict[str, Any] | None
"""A reply as plain data; None where it was unusable."""


@dataclass(frozen=True)
class NoteChange:
    node: str
    """The node's name, with the number of its attempt from the second on."""
    status: Status
    """`kept`: held fixed as it was recorded; `edited`: put in its place; the others were asked."""
    old: tuple[Reply, ...]
    """Its replies by sample; empty where the node was not asked."""
    new: tuple[Reply, ...]


def changes(fork: Fork, sample: int = 0) -> list[NoteChange]:
    """Return the change of every node that was asked then or now: the config's nodes first, then
    later attempts'."""
    old, new = comparable_replies(fork.old, fork.new[sample])

    def status(node: str) -> Status:
        if node in fork.edited:
            return "edited"
        if node not in new or node not in old:
            if node in new:
                return "only now"
            return "only then"
        if node in fork.kept:
            return "kept"
        if old[node] == new[node]:
            return "same"
        return "changed"

    first = [name for name in fork.config.nodes if name in new]
    nodes = dict.fromkeys((*first, *new, *old))
    return [NoteChange(node, status(node), old.get(node, ()), new.get(node, ())) for node in nodes]


def one_step(fork: Fork) -> dict[str, float]:
    """Return the one-step value of every legal move by its words, in points, the best first."""
    values = one_step_values(values_position.Position(fork.place.view, fork.place.memory).scene)
    return {str(move): values[move] for move in sorted(values, key=lambda move: -values[move])}


def value_of(turn: Turn, values: Mapping[str, float]) -> str:
    """Return the one-step value of a turn's move in words; nothing where no move was decided."""
    value = values.get(str(turn.decided.move)) if turn.decided else None
    if value is None:
        return ""
    return f"{value:+.2f}"


def worth(values: Mapping[str, float], path: Path, turn: int) -> Note:
    """Return what a one-step value is, the highest one, and the command for values by rollouts."""
    return Note(
        f"one-step value: {ONE_STEP}; the highest here is {max(values.values()):+.2f}\n"
        f"by rollouts: orchestrator show {path} --turn {turn} --mistakes",
        "aside",
    )


def meanings(fork: Fork) -> dict[str, str]:
    """Return what became of each node's note, in words."""
    return {change.node: MEANING[change.status] for change in changes(fork)}


def moves(fork: Fork) -> list[Block]:
    """Return how many samples decided for each move, and in how many of these a simulated model
    erred; then the title of the first sample."""
    if fork.same:
        return [Text(f"One decision stands for all: {fork.same}.")]
    if len(fork.new) < 2:
        return []
    then = fork.old.decided and str(fork.old.decided.move)
    erred = Counter[str]()
    for turn in fork.new:
        if turn.decided and any(call.injected for call in turn.calls):
            erred[str(turn.decided.move)] += 1
    values = one_step(fork)
    rows = []
    for move, n in fork.moves.items():
        rows.append(
            (move, n, values.get(move), erred[move] or None, "as then" if move == then else "")
        )
    columns = (
        Column("move", "move"),
        Column("times", "times", INT),
        Column("one_step", "one-step value", SIGNED),
        Column("erred", "with simulated errors", INT),
    )
    title = f"{many(len(fork.new), 'decision')}, each with its own seeds:"
    return [
        table("moves", (*columns, Column("then", "")), rows, title=title),
        Heading(f"sample 1 of {len(fork.new)}"),
    ]


def same_notes(fork: Fork) -> list[Block]:
    """Return which notes are the same in both decisions."""
    words = {"kept": MEANING["kept"], "edited": f"{MEANING['edited']}, and the same"}
    words["same"] = f"{MEANING['same']}, and the same"
    nodes = {}
    for s, title in words.items():
        nodes[title] = [c.node for c in changes(fork) if c.status == s and c.old == c.new]
    notes = list[Block]()
    for title, names in nodes.items():
        if names:
            notes.append(Note(f"{title}: {', '.join(names)}", "aside"))
    return notes


def usage(fork: Fork) -> dict[str, Any]:
    """Return what the calls have used, those of undecided samples included, those of answers held
    fixed left out."""
    ledger = Ledger()
    for turn in (*fork.new, *fork.undecided):
        for call in turn.calls:
            if call.fixed is None:
                ledger(call)
    return {name: ledger.stated[name] for name in USED}


def json_value(fork: Fork) -> dict[str, Any]:
    """Return a fork as plain data."""
    old = fork.place.info
    new = fork.seat.info
    return {
        "turn": fork.place.view.turn,
        "seat": fork.place.view.seat,
        "old": _turn(fork.old, old.graph, old.model),
        "new": [_turn(turn, new.graph, new.model) for turn in fork.new],
        "changes": [vars(change) for change in changes(fork)] if fork.new else [],
        "kept": sorted(fork.kept),
        "edited": sorted(fork.edited),
        "moves": fork.moves,
        "one_step": one_step(fork),
        "same": fork.same,
        "warnings": list(fork.warnings),
        "stopped": fork.stopped,
        "used": usage(fork),
    }


def _turn(turn: Turn, graph: str, model: str) -> dict[str, Any]:
    return {
        "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
        "events": [event.model_dump(mode="json") for event in (turn.started, *turn.events)],
        "graph": graph,
        "model": model,
    }
