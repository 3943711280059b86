"""The marks of one turn: how right each response was, beside its program and a uniform guess."""

from collections.abc import Iterator
from typing import Any

from hanabi_orchestrator.experiments.document.blocks import Block, Column, Note, grouped, notes
from hanabi_orchestrator.experiments.document.formats import NUMBER, RIGHT
from hanabi_orchestrator.experiments.values.game_marks import GameMarks
from hanabi_orchestrator.experiments.values.mark_tally import Key
from hanabi_orchestrator.experiments.values.role_mark import RoleMark
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.marks import MarkInfo

ROUNDING = 1e-9


def data(marks: GameMarks, turn: int) -> dict[str, Any]:
    """Return a turn's marks and the known faults of its move, as plain data."""
    rows = []
    for mark in (mark for mark in marks.marks if mark.turn == turn):
        key = Key.of(mark)
        good, why = quality(mark, key.info)
        words = {}
        for name in ("says", "unit", "best"):
            words[name] = getattr(key.info, name) if key.info else None
        place = {
            "node": mark.node,
            "role": mark.role,
            "sample": mark.sample,
            "name": key.title,
            "value": mark.value,
        }
        rows.append(
            {**place, **words, "baselines": dict(mark.baselines), "good": good, "stands": why}
        )
    return {"marks": rows, "faults": [fault.text for fault in marks.faults if fault.turn == turn]}


def quality(mark: RoleMark, info: MarkInfo | None) -> tuple[bool | None, str]:
    """Return whether a mark is good, and why in words; None where neither direction is better, or
    nothing is beside it."""
    if info is None or info.best is None:
        return None, ""
    if abs(mark.value - info.best) < ROUNDING:
        return True, "best value"
    sign = 1 if info.higher else -1
    for name, title in ((PROGRAM, "its program"), ("uniform", "a uniform guess")):
        if name in mark.baselines:
            ahead = sign * (mark.value - mark.baselines[name])
            if abs(ahead) < ROUNDING:
                return True, f"equals {title}"
            return ahead > 0, f"{'better' if ahead > 0 else 'worse'} than {title}"
    return None, ""


def blocks(marks: GameMarks, turn: int, part: str | None = None) -> Iterator[Block]:
    """Return a turn's marks below the name of each node; `part`: only of this node, or of the nodes
    of this role."""
    plain = data(marks, turn)
    rows = []
    for mark in plain["marks"]:
        if part in (None, mark["node"], base(mark["node"]), mark["role"]):
            name = mark["name"] + f" (sample {mark['sample'] + 1})" * bool(mark["sample"])
            means = [mark["baselines"].get(name) for name in (PROGRAM, "uniform")]
            best = None if mark["best"] is None else f"{mark['best']:.2g}"
            rows.append((mark["node"], (name, mark["value"], *means, best, mark["stands"])))
    columns = (
        Column("mark", "marks", unbroken=True),
        Column("value", "value", NUMBER),
        Column("program", "program", NUMBER),
        Column("uniform", "uniform", NUMBER),
        Column("best", "best", RIGHT),
        Column("stands", ""),
    )
    if rows:
        yield grouped("marks", columns, rows)
    else:
        yield Note("no response of this turn has a mark")
    yield from notes((f"fault of the move: {text}" for text in plain["faults"]), "error")
    if rows:
        yield Note(LEGEND, "aside")


LEGEND = (
    "value: against the hidden cards and the values of moves; program, uniform: what the role's "
    "exact program and a uniform guess score here. `orchestrator roles show ROLE` defines each "
    "mark."
)
