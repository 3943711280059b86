"""A turn with all that marks of those who choose and judge are reckoned from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from statistics import fmean
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel

from hanabi_orchestrator.experiments.record.game import Turn
from hanabi_orchestrator.experiments.values import role_mark
from hanabi_orchestrator.experiments.values.mistakes import WORTH
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.role_mark import UNIFORM, RoleMark
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.recorded import RecordedReply, program_reply
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move
from hanabi_orchestrator.orchestrator.journal.events import Call, VerdictGiven
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.hanabi.analysis import Analysis
from hanabi_orchestrator.roles.hanabi.discard_report import DiscardReport
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.reply_types import Choice, Shortlist

CLEAR = WORTH
"""Points by which a move must be better to count as clearly better, as for mistakes."""
ROUNDING = 1e-9
"""One-step values are sums of chances: those that differ by less are equal."""

MoveMarks = Mapping[str, float]
"""By the names of marks."""


@dataclass(frozen=True)
class Advice:
    """What a reply puts first, in a typed field: the move chosen, the first of a list, a suggested
    hint, the card safest to lose. Free text names no move here."""

    move: Move
    only: tuple[type[Any], ...] = ()
    """The kinds of move that it is about, where it does not say what to do but how: which hint,
    which discard."""

    def concerns(self, move: Move) -> bool:
        return not self.only or isinstance(move, self.only)


ADVISING = (Choice, Shortlist, Analysis, MindReport, DiscardReport)
"""The types of replies that put a move first."""


def advice(reply: BaseModel) -> Advice | None:
    """Return what a reply puts first; None for one that puts no move first."""
    match reply:
        case Choice():
            return Advice(reply.action)
        case Shortlist(entries=[_, *_]):
            return Advice(min(reply.entries, key=lambda entry: entry.rank).action)
        case Analysis(best=[move, *_]):
            return Advice(move)
        case MindReport(hint=hint) if hint is not None:
            return Advice(hint, () if reply.urgent else get_args(Hint))
        case DiscardReport(safest_first=[slot, *_]):
            return Advice(Discard(slot=slot), (Discard,))
    return None


@dataclass(frozen=True)
class MarkedTurn:
    """A turn of a seat that is a graph."""

    number: int
    config: GraphConfig
    """At the game's player count."""
    replies: tuple[RecordedReply, ...]
    """By attempt and sample."""
    position: Position
    turn: Turn
    programs: dict[str, BaseModel | None] = field(default_factory=dict, compare=False, repr=False)
    """By node, the reply of its program: all its samples are asked the same."""

    @cached_property
    def values(self) -> Mapping[Move, float]:
        """The one-step value of every legal move, in points."""
        return one_step_values(self.position.scene)

    @property
    def played(self) -> Move | None:
        """None where the game stopped before the move."""
        if self.turn.moved:
            move: Move = self.turn.moved.past.move
            return move
        return None

    @cached_property
    def verdicts(self) -> tuple[VerdictGiven, ...]:
        """Those that a judge gave; one who was absent gave none, whatever it counted as."""
        asked_nodes = {call.node for call in self.turn.calls}
        answering = {call.node for call in self.turn.calls if call.reply is not None}
        verdicts = (event for event in self.turn.events if isinstance(event, VerdictGiven))
        return tuple(
            verdict
            for verdict in verdicts
            if verdict.node in answering or verdict.node not in asked_nodes
        )

    def calls(self, recorded: RecordedReply) -> list[Call]:
        """Return what was asked for a reply, oldest first."""
        return [
            call
            for call in self.turn.calls
            if (call.node, call.sample) == (recorded.node.name, recorded.sample)
        ]

    def options(self, recorded: RecordedReply) -> list[Move]:
        """Return the moves that a role could name: those of its list, without a list all legal
        ones."""
        legal = recorded.sections.get(LegalMoves)
        if legal and legal.moves:
            moves = legal.moves
        else:
            moves = tuple(self.values)
        return [move for move in moves if move in self.values]

    @cached_property
    def lists(self) -> tuple[Shortlist, ...]:
        """What recommenders listed."""
        return tuple(
            recorded.reply for recorded in self.replies if isinstance(recorded.reply, Shortlist)
        )

    @cached_property
    def last(self) -> tuple[RecordedReply, ...]:
        """The replies of each node in the last attempt in which it was asked."""
        names = {base(recorded.node.name): recorded.node.name for recorded in self.replies}
        return tuple(recorded for recorded in self.replies if recorded.node.name in names.values())

    @cached_property
    def advice(self) -> tuple[tuple[str, str, Advice], ...]:
        """What the replies of `last` put first, each with its role and its node in the graph."""
        nodes = ((recorded.node, advice(recorded.reply)) for recorded in self.last)
        return tuple((node.role.name, base(node.name), first) for node, first in nodes if first)

    def choice(self, reply: BaseModel | None) -> Move | None:
        """Return the move that a reply chooses; None for another kind of reply, or a move that is
        not legal."""
        if isinstance(reply, Choice) and reply.action in self.values:
            move: Move = reply.action
            return move
        return None

    def best(self, moves: Sequence[Move]) -> float:
        """Return the highest value among some moves."""
        return max(self.values[move] for move in moves)

    def regret(self, options: Sequence[Move], moves: Sequence[Move]) -> float:
        """Return what the best of all is worth more than the best of these moves."""
        return self.best([*options, *moves]) - self.best(moves)

    def program(self, recorded: RecordedReply) -> BaseModel | None:
        """Return what the role's program would have replied in the place of a reply, if it has
        one."""
        name = recorded.node.name
        if name not in self.programs:
            by_program = recorded.node.model == PROGRAM and not any(
                call.fixed for call in self.calls(recorded)
            )
            self.programs[name] = recorded.reply if by_program else program_reply(recorded)
        return self.programs[name]

    def marks(
        self,
        recorded: RecordedReply,
        score: Callable[[BaseModel], MoveMarks],
        uniform: MoveMarks,
        other: str | None = None,
    ) -> Iterator[RoleMark]:
        """Yield the marks of a reply beside those of its role's program and of a uniform guess."""
        scores = score(recorded.reply)
        solved = self.program(recorded) if scores else None
        return self.marks_beside(recorded, scores, score(solved) if solved else {}, uniform, other)

    def marks_beside(
        self,
        recorded: RecordedReply,
        scores: MoveMarks,
        program: MoveMarks = MappingProxyType({}),
        uniform: MoveMarks = MappingProxyType({}),
        other: str | None = None,
    ) -> Iterator[RoleMark]:
        """Yield marks with their baselines, as far as there are any."""
        return role_mark.marks(
            self.place(recorded), scores, {PROGRAM: program, UNIFORM: uniform}, other
        )

    def place(self, recorded: RecordedReply) -> dict[str, Any]:
        """Return where a reply was given and who gave it."""
        return role_mark.place(recorded, self.number, self.turn.seat)


def averaged(each: Sequence[MoveMarks]) -> MoveMarks:
    """Return the mean of each mark over those that have it."""
    keys = dict.fromkeys(chain.from_iterable(each))
    fmeans = {}
    for key in keys:
        fmeans[key] = fmean(marks[key] for marks in each if key in marks)
    return fmeans
