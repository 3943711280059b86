"""Advice: what a reply puts first, in a typed field.

The move chosen, the first of the moves named best, the first of a list, a suggested hint, the card safest to lose. Free
text names no move here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from orchestrator.hanabi.moves import Discard, Hint, Move
from roles.hanabi.analysis import Analysis
from roles.hanabi.discard_report import DiscardReport
from roles.hanabi.mind_report import MindReport
from roles.reply_types import Choice, Shortlist


@dataclass(frozen=True)
class Advice:
    """What a reply puts first."""

    move: Move
    only: tuple[type[Any], ...] = ()
    """The kinds of move that it is about, where it does not say what to do but how: which hint, which discard."""

    def concerns(self, move: Move) -> bool:
        return not self.only or isinstance(move, self.only)


def _hint(report: MindReport) -> Advice | None:
    return None if report.hint is None else Advice(report.hint, () if report.urgent else get_args(Hint))


def _discard(report: DiscardReport) -> Advice | None:
    return Advice(Discard(slot=report.safest_first[0]), (Discard,)) if report.safest_first else None


def _first_listed(shortlist: Shortlist) -> Advice | None:
    best = min(shortlist.entries, key=lambda entry: entry.rank, default=None)
    return Advice(best.action) if best else None


ADVICE: dict[type[BaseModel], Callable[[Any], Advice | None]] = {
    Choice: lambda reply: Advice(reply.action),
    Shortlist: _first_listed,
    Analysis: lambda reply: Advice(reply.best[0]) if reply.best else None,
    MindReport: _hint,
    DiscardReport: _discard,
}
"""By the type of a reply, what it puts first."""


def advises(kind: type[BaseModel]) -> bool:
    """Whether replies of a type put a move first."""
    return issubclass(kind, tuple(ADVICE))


def advice(reply: BaseModel) -> Advice | None:
    """None for a reply that puts no move first."""
    return next((put_first(reply) for kind, put_first in ADVICE.items() if isinstance(reply, kind)), None)
