"""Two decisions of a turn side by side: what was decided, and what each node said, where that differs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from experiments.document.terminal import printable
from experiments.record.game import Turn
from experiments.show.terminal import certainty
from experiments.show.turn_story import reply_lines

WIDEST = 160
"""Characters of a line where nothing else limits it."""
MOST = 12
"""Lines of a note that are shown on each side."""
ALONE = 5
"""The same, of a note that the other side does not have."""

Reply = dict[str, Any] | None
"""A reply as plain data; None where it was unusable."""


@dataclass(frozen=True)
class Side:
    title: str
    turn: Turn


def sides(first: Side, second: Side, width: int, remarks: Mapping[str, str] | None = None) -> Table:
    """Return a table with the decisions, and the nodes whose notes differ; `remarks`: what stands below a node's
    name."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0), width=min(width, WIDEST))
    table.add_column("", style="bold cyan", overflow="fold")
    for side in (first, second):
        table.add_column(Text(side.title), overflow="fold", ratio=1)
    table.add_row("decided", _decision(first.turn), _decision(second.turn))
    old, new = first.turn.replies, second.turn.replies
    for node in dict.fromkeys((*new, *old)):
        ours, theirs = _lines(old.get(node, ())), _lines(new.get(node, ()))
        if old.get(node) != new.get(node):
            name = Text(node).append(f"\n{remarks[node]}" if remarks and node in remarks else "", style="dim")
            table.add_row(name, _only(ours, theirs), _only(theirs, ours))
    return table


def alike(first: Turn, second: Turn) -> list[str]:
    """Return the nodes that said the same in both."""
    old, new = first.replies, second.replies
    return [node for node in new if new[node] == old.get(node)]


def _only(lines: list[str], opposite: list[str]) -> Text:
    """Return the lines that the other side does not have."""
    lines_alone, most = [line for line in lines if line not in opposite], MOST if opposite else ALONE
    text = Text(printable("\n".join(lines_alone[:most])) if lines else "")
    if len(lines_alone) > most:
        text.append(f"\n... {len(lines_alone) - most} more lines", style="dim")
    if (alike := len(lines) - len(lines_alone)) and lines_alone:
        text.append(f"\n({alike} {'line' if alike == 1 else 'lines'} the same)", style="dim")
    return text if lines else Text("-", style="dim")


def _lines(replies: Iterable[Reply]) -> list[str]:
    lines = list[str]()
    for reply in replies:
        lines += ["no usable answer"] if reply is None else reply_lines(reply)
    return lines


def _decision(turn: Turn) -> Text:
    if (decided := turn.decided) is None:
        return Text("not decided: the game stopped here", style="bold red")
    sure = certainty(turn.started.view, decided.move)
    text = Text.assemble((str(decided.move), "bold cyan"), f"  ({sure})" if sure else "")
    text.append("  FORCED" if decided.forced else "", style="bold magenta")
    return text.append(f"\n{printable(decided.why)}", style="italic")
