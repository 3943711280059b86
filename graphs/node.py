"""One node of a seat's graph: what it sees of a turn, and the question that its role asks a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from hanabi_orchestrator.graphs.context import Context
from hanabi_orchestrator.graphs.controls import NONE, Controls, NoteControl
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.models import second_ask
from hanabi_orchestrator.orchestrator.models.request import Absent, ModelRequest, Place
from hanabi_orchestrator.orchestrator.replies.reply import TableOptions
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles import Notes, Role, Section, Sections, Verdict
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import padding
from hanabi_orchestrator.roles.reply_form import blanks
from hanabi_orchestrator.roles.reply_types import Choice, Shortlist, answer_format
from hanabi_orchestrator.roles.role_definition import Solve
from hanabi_orchestrator.roles.sections import cut
from hanabi_orchestrator.roles.words import ENGLISH, Words


class SeatState(TypedDict):
    """What a node may look at in a turn."""

    view: AnyView
    memory: Memory
    notes: Notes
    """By the node's name in its attempt: `generate`, `generate-2`."""


@dataclass(frozen=True)
class RoleNode:
    """One node in one attempt. What it may see is fixed here: nothing else of the view reaches its role."""

    name: str
    role: Role
    model: str
    """The name of its model in journals."""
    samples: int
    kinds: tuple[tuple[type[Section], Mapping[str, Any]], ...]
    """The sections it gets, with their options."""
    reads: tuple[tuple[str, str], ...]
    """(the name under which a note is shown, the name under which it stands in the state)."""
    refusals: tuple[str, ...] = ()
    """The verdicts of earlier attempts: moves that they refused leave the legal ones."""
    judges: str | None = None
    """The deciding node whose choice it judges."""
    refuses_unread: bool = False
    """Whether a judge refuses when their verdict cannot be read."""
    answerer: NoteControl | None = None
    """The control that answers in place of its model."""
    context: Context | None = None
    """How its prompt is laid out; None for a node that only a program can be."""
    layout: tuple[str, ...] = ()
    solve: Solve | None = None
    wording: str | None = None
    """The folder of the roles' texts that its instruction is taken from, if any."""
    gate: str = ""
    """The rule by which its choice may be refused, in the words of its prompt; empty where nothing may refuse it."""
    refuses: Callable[[Sections, Notes], Sequence[Any]] | None = None
    """Tells which moves of its list that rule refuses; None where the node may not know."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The role's own."""
    colleagues: Mapping[str, Role] = field(default_factory=dict)
    """The nodes that it reads, with their roles."""
    forgets: frozenset[str] = frozenset()
    """Parts of the memory that it does not get."""
    remembers: Mapping[str, str] | None = None
    """The nodes whose remembered notes it gets, with the names under which they are shown; None: all that there are."""
    seat_kinds: tuple[tuple[type[Section], Mapping[str, Any]], ...] = ()
    """Of a judge who may know more than the seat: the sections that the seat may know."""
    controls: Controls = NONE
    """Of the whole graph, with the names that notes are shown under."""
    tells: Callable[[Sections, Notes], str | None] | None = None
    """Of such a judge: what a refusal tells the seat, given these sections; None for the whole reason."""
    graph: str = ""
    """The name of its graph, for traces."""

    @property
    def base(self) -> str:
        """The node of the graph, without the number of its attempt: `check` of `check-2`."""
        return self.name.partition("-")[0]

    @property
    def words(self) -> Words:
        """The language of its prompts."""
        return self.context.words if self.context else ENGLISH

    @property
    def program(self) -> Solve:
        """What answers for it exactly."""
        solve = self.solve or self.role.solve
        assert solve is not None  # checked when the config was read
        return solve

    def sections(self, view: AnyView, notes: Notes, memory: Memory | None = None) -> Sections:
        """Return what it gets to see of a view and the memory, in this attempt."""
        parts = {key: value for key, value in (memory or {}).items() if key not in self.forgets}
        if self.remembers and "notes" in parts:
            memories = parts["notes"].items()
            parts["notes"] = {
                self.remembers[node]: note for node, note in memories if node in self.remembers
            }
        elif (
            self.remembers is not None and "notes" in parts
        ):  # its own graph remembers nothing of the last turn
            parts = {key: parts[key] for key in parts if key == BEFORE}
        refused = refused_moves(notes, self.refusals)
        offered = self._offered(notes)
        return cut(view, self.kinds, refused, parts, self.options, self.words, offered)

    def _offered(self, notes: Notes) -> tuple[Any, ...]:
        """Return the moves named by a recommender or a gate that it reads: it sees no others."""
        moves = list[Any]()
        for name, key in self.reads:
            for note in notes.get(key, ()):
                if isinstance(note, Shortlist) and name not in self.controls.advise:
                    moves += note.moves
                elif isinstance(note, Choice) and name in self.controls.gate:
                    moves.append(note.action)
        return tuple(dict.fromkeys(moves))

    def notes_read(self, notes: Notes) -> Notes:
        """Return the notes that it reads; of all choices a judge sees only the one that it judges."""
        read = {name: notes[key] for name, key in self.reads if key in notes}
        if self.judges is None:
            return read
        reports = {
            name: replies
            for name, replies in read.items()
            if not any(isinstance(n, Choice) for n in replies)
        }
        return {**reports, "choice": notes[self.judges]}

    def request(
        self, sample: int, sections: Sections, notes: Notes, place: Place | None = None
    ) -> ModelRequest:
        """Return the question as a model gets it."""
        assert self.context is not None  # checked when the config was read
        reply = self.context.reply(self.role)
        form = self.context.answer_format
        passed = self.context.reports
        legal = sections.get(LegalMoves)
        counts = sections.entries()
        judged = next(
            (note.action for note in notes.get("choice", ()) if isinstance(note, Choice)), None
        )
        bounds = tuple(counts.items())
        absent = [
            name
            for name, replies in notes.items()
            if all(isinstance(reply, Absent) for reply in replies) and not padding(replies)
        ]
        parts = self.role.prompt(
            sections,
            notes,
            reply,
            form,
            raw=passed == "raw",
            brief=passed == "brief",
            wording=self.wording,
            gate=self._rule(sections, notes),
            recommenders=[
                name
                for name, role in self.colleagues.items()
                if issubclass(role.reply, Shortlist) and name not in self.controls.advise
            ],
            colleagues=[role for name, role in self.colleagues.items() if name not in absent],
        )
        changes = form != "json_schema" and self.context.second_ask == "json_schema"
        second_format = answer_format(reply, "json_schema", self.words, bounds) if changes else ""
        return ModelRequest(
            node=self.name,
            role=self.role.name,
            sample=sample,
            parts=self.context.arrange(parts, self.layout),
            reply=reply,
            moves=TableOptions(
                legal.by_label if legal else {},
                {**counts, **(legal.table if legal else {})},
                judged,
            ),
            form=form,
            counts=counts,
            blanks=blanks(reply, form, self.words, bounds),
            phrases={english: self.words(english) for english in second_ask.SENTENCES},
            second_form="json_schema" if changes else None,
            second_format=""
            if second_format == answer_format(reply, form, self.words, bounds)
            else second_format,
            place=place or Place(),
            graph=self.graph,
        )

    def _rule(self, sections: Sections, notes: Notes) -> str:
        """Return the rule by which its choice may be refused, and the moves that it refuses now."""
        refused = self.refuses(sections, notes) if self.gate and self.refuses else ()
        if not refused:
            return self.gate
        moves = [str(move) for move in refused]
        legal = sections[LegalMoves].moves
        if all(move in refused for move in legal if move.kind == "play"):
            moves = [
                self.words("every play"),
                *(str(move) for move in refused if move.kind != "play"),
            ]
        return (
            f"{self.gate} {self.words('Now it refuses: $moves.', moves=self.words.series(moves))}"
        )


def refused_moves(notes: Notes, verdicts: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the moves that these verdicts refused."""
    judged = [note for name in verdicts for note in notes.get(name, ())]
    return tuple(note.move for note in judged if isinstance(note, Verdict) and not note.accept)
