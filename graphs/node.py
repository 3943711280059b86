"""One node of a seat's graph: it reads other nodes' notes, asks its role's question, and adds one note."""

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import add
from typing import Annotated, Any, TypedDict

import structlog
from pydantic import BaseModel

from graphs.config import NOBODY, PROGRAM
from graphs.context import Context
from graphs.controls import NONE, Controls
from graphs.given_notes import NOTHING_GIVEN, Kind, OtherGame, Shown, made
from graphs.simulated_model import Question, SimulatedModel
from orchestrator.errors import RoleError, TurnError
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Memory, VerdictGiven
from orchestrator.logs import log
from orchestrator.models import second_ask
from orchestrator.models.request import Absent, Brain, Exchange, ModelRequest, Place, answer
from orchestrator.table.seat import GameContext
from roles import Notes, Role, Section, Sections, Verdict
from roles.legal_moves import LegalMoves
from roles.reply_form import blanks
from roles.reply_types import Choice, Judgement, Shortlist, answer_format
from roles.role_definition import Solve
from roles.sections import cut
from roles.words import ENGLISH, Words

ABSENT_JUDGE = "the judge is absent: no objection"
NO_VERDICT = "no verdict came, which counts as a refusal"


def merge(old: Notes, new: Notes) -> Notes:
    return {**old, **new}


class SeatState(TypedDict):
    view: View
    memory: Memory
    notes: Annotated[Notes, merge]
    """By the node's name in its attempt: `generate`, `generate-2`."""
    failed: Annotated[list[TurnError], add]
    """What ended the turn. Nodes that run at the same time still finish, so that no answer is lost; no other starts."""


@dataclass(frozen=True)
class FixedReply:
    """A reply that is there already, so that nobody is asked for it."""

    reply: BaseModel
    calls: tuple[Call, ...] = ()
    """What the journal says of it."""


Fixed = Mapping[tuple[str, int], FixedReply]
"""By the node's name in its attempt, and the sample."""


@dataclass(frozen=True)
class SeatRuntime:
    """What a node of a seat can reach outside its graph: the models, and the game's journal."""

    brains: Mapping[str, Brain | SimulatedModel]
    game: GameContext
    fixed: Fixed = field(default_factory=dict)
    given: OtherGame = NOTHING_GIVEN
    """The notes of another game, for nodes whose notes a control replaces."""


@dataclass(frozen=True)
class RoleNode:
    """One node in one attempt. What it may see is fixed here: nothing else of the view reaches its role."""

    name: str
    role: Role
    model: str
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
    context: Context | None = None
    """How its prompt is laid out; None for a node that only a program can be."""
    layout: tuple[str, ...] = ()
    solve: Solve | None = None
    wording: str | None = None
    """The folder of the roles' texts that its instruction is taken from, if any."""
    gate: str = ""
    """The rule by which its choice may be refused, in the words of its prompt; empty where nothing may refuse it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The role's own."""
    forgets: frozenset[str] = frozenset()
    """Parts of the memory that it does not get."""
    seat_kinds: tuple[tuple[type[Section], Mapping[str, Any]], ...] = ()
    """Of a judge who may know more than the seat: the sections that the seat may know."""
    controls: Controls = NONE
    """Of the whole graph, with the names that notes are shown under."""
    tells: Callable[[Sections, Notes], str | None] | None = None
    """Of such a judge: what a refusal tells the seat, given these sections; None for the whole reason."""

    @property
    def words(self) -> Words:
        return self.context.words if self.context else ENGLISH

    def sections(self, view: View, notes: Notes, memory: Memory | None = None) -> Sections:
        """What it gets to see of a view, in this attempt."""
        refused, listed = refused_moves(notes, self.refusals), self._listed(notes)
        kept = {key: value for key, value in (memory or {}).items() if key not in self.forgets}
        return cut(view, self.kinds, refused, kept, self.options, self.words, listed)

    def _listed(self, notes: Notes) -> tuple[Move, ...]:
        """The moves named by a recommender or a gate that it reads: it sees no others."""
        found = [move for name, key in self.reads for move in self._offered(name, notes.get(key, ()))]
        return tuple(dict.fromkeys(found))

    def _offered(self, name: str, replies: Iterable[BaseModel]) -> Iterator[Move]:
        for note in replies:
            if isinstance(note, Shortlist) and name not in self.controls.advise:
                yield from note.moves
            elif isinstance(note, Choice) and name in self.controls.gate:
                yield note.action

    async def run(self, state: SeatState, runtime: SeatRuntime) -> dict[str, Any]:
        """What it adds to the state: its note, or what ended the turn."""
        if state["failed"]:
            return {"notes": {}}
        try:
            return {"notes": {self.name: await self._note(state, runtime)}}
        except TurnError as error:
            return {"failed": [error]}

    async def _note(self, state: SeatState, runtime: SeatRuntime) -> tuple[BaseModel, ...]:
        view = state["view"]
        sections = self.sections(view, state["notes"], state["memory"])
        notes = self._ordered(self.notes_read(state["notes"]), self._place(view, runtime))
        if self.judges is not None:
            return (await self._judge(state, sections, notes, runtime),)
        if self.samples == 1:
            return (await self._reply(0, view, sections, notes, runtime),)
        asked = (self._reply(sample, view, sections, notes, runtime) for sample in range(self.samples))
        replies = await asyncio.gather(*asked, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException):
                raise reply
        return tuple(reply for reply in replies if isinstance(reply, BaseModel))

    async def _judge(self, state: SeatState, sections: Sections, notes: Notes, runtime: SeatRuntime) -> BaseModel:
        """A verdict on the choice; an absent judge refuses if `refuses_unread`, and an absent choice is not judged."""
        view, (choice,) = state["view"], state["notes"][str(self.judges)]
        if not isinstance(choice, Choice):
            return Absent(reason="there is no choice to judge")
        reply = await self._reply(0, view, sections, notes, runtime)
        move, accepted, why, told = choice.action, not self.refuses_unread, ABSENT_JUDGE, None
        if isinstance(reply, Judgement):
            accepted, why = reply.accept, reply.reason
        elif not accepted:
            why = self.words(NO_VERDICT)
        if self.tells and not accepted:
            told = self.tells(replace(self, kinds=self.seat_kinds).sections(view, notes, state["memory"]), notes)
        if isinstance(reply, Judgement) or not accepted:
            reply = Verdict(move=move, accept=accepted, reason=why if told is None else told)
        found = VerdictGiven(
            turn=view.turn, seat=view.seat, node=self.name, move=move, accepted=accepted, why=why, told=told
        )
        runtime.game.emit(found)
        return reply

    def notes_read(self, notes: Notes) -> Notes:
        """The notes it reads; of all choices a judge sees only the one that it judges."""
        read = {name: notes[key] for name, key in self.reads if key in notes}
        if self.judges is None:
            return read
        reports = {name: replies for name, replies in read.items() if not any(isinstance(n, Choice) for n in replies)}
        return {**reports, "choice": notes[self.judges]}

    def _nothing_to_ask(self, sections: Sections, notes: Notes) -> str | None:
        """Why there is no question: no legal move is left to name, or there is no choice to judge."""
        legal = sections.get(LegalMoves)
        if self.role.reply.names_moves and legal is not None and not legal.listed:
            return "no legal move is left to choose from"
        choices = [note for replies in notes.values() for note in replies if isinstance(note, Choice)]
        return "there is no choice to judge" if issubclass(self.role.reply, Judgement) and not choices else None

    async def _reply(
        self, sample: int, view: View, sections: Sections, notes: Notes, runtime: SeatRuntime
    ) -> BaseModel:
        if there := runtime.fixed.get((self.name, sample)):
            for call in there.calls:
                runtime.game.emit(call)
            return there.reply
        if self.name.partition("-")[0] in self.controls.given:
            return self._given(sample, view, runtime)
        if cause := self._nothing_to_ask(sections, notes):
            return Absent(reason=cause)
        settled = self.role.settled(sections, notes) if self.role.settled else None
        if settled is None and self.model == NOBODY:
            return Absent(reason=f"nobody answers for node {self.name!r}")
        if settled is not None or self.model == PROGRAM:
            reply = self._solved(view, sections, notes) if settled is None else settled
            runtime.game.emit(self._call(view, sample, reply=reply.model_dump(mode="json")))
            return reply
        place = self._place(view, runtime)
        request = self.request(sample, sections, notes, place)
        brain = self._brain(view, sections, notes, runtime)
        with structlog.contextvars.bound_contextvars(node=self.name):
            reply = await answer(request, brain, self._recorder(view, sample, runtime))
        await runtime.game.flush()
        return reply

    def _given(self, sample: int, view: View, runtime: SeatRuntime) -> BaseModel:
        """The note that a control puts in the place of its own; nobody is asked."""
        node = self.name.partition("-")[0]
        kind: Kind = "placebo" if node in self.controls.placebo else "shuffled"
        context = self.context
        shown = Shown(self.words, brief=context is not None and context.reports == "brief")
        types = (*((context.reply(self.role),) if context else ()), self.role.reply)
        found = made(kind, runtime.given, node, types, view, self._place(view, runtime), sample, shown)
        reply, more = found.reply, {"fixed": kind, "origin": found.origin, "model": self.model}
        if reply is None:
            absent = Absent(reason="no note of the other game can stand here")
            runtime.game.emit(self._call(view, sample, outcome="fallback", error=absent.reason, **more))
            return absent
        runtime.game.emit(self._call(view, sample, reply=reply.model_dump(mode="json"), **more))
        return reply

    def _place(self, view: View, runtime: SeatRuntime) -> Place:
        return Place(runtime.game.hash, runtime.game.repeat, view.turn, view.seat, self.controls.draw)

    def _ordered(self, notes: Notes, place: Place) -> Notes:
        """The notes it reads, in another order where a control permutes them: drawn for each turn and node."""
        if not self.controls.permuted or len(notes) < 2:
            return notes
        chance = random.Random(f"order {place.game} {place.repeat} {place.turn} {place.seat} {self.name}")
        return {name: notes[name] for name in chance.sample(list(notes), len(notes))}

    def _brain(self, view: View, sections: Sections, notes: Notes, runtime: SeatRuntime) -> Brain:
        """The model that is asked; a simulated one answers for this role, from what it sees and reads."""
        brain = runtime.brains[self.model]
        if not isinstance(brain, SimulatedModel):
            return brain
        solve = self.solve or self.role.solve
        assert solve is not None  # checked when the config was read
        return brain.for_question(Question(solve, partial(self._solved, view, sections, notes), sections, notes))

    def request(self, sample: int, sections: Sections, notes: Notes, place: Place | None = None) -> ModelRequest:
        """The question as a model gets it."""
        assert self.context is not None  # checked when the config was read
        reply, form, passed = self.context.reply(self.role), self.context.answer_format, self.context.reports
        legal = sections.get(LegalMoves)
        parts = self.role.prompt(
            sections,
            notes,
            reply,
            form,
            raw=passed == "raw",
            brief=passed == "brief",
            wording=self.wording,
            gate=self.gate,
            advised=self.controls.advise,
        )
        changes = form != "json_schema" and self.context.second_ask == "json_schema"
        second_format = answer_format(reply, "json_schema", self.words) if changes else ""
        return ModelRequest(
            node=self.name,
            role=self.role.name,
            sample=sample,
            parts=self.context.arrange(parts, self.layout),
            reply=reply,
            moves=legal.listed if legal else {},
            form=form,
            counts=sections.entries(),
            blanks=blanks(reply, form, self.words),
            phrases=_second_ask(self.words),
            second_form="json_schema" if changes else None,
            second_format="" if second_format == answer_format(reply, form, self.words) else second_format,
            place=place or Place(),
        )

    def _solved(self, view: View, sections: Sections, notes: Notes) -> BaseModel:
        solve = self.solve or self.role.solve
        assert solve is not None  # checked when the config was read
        whose = f"turn {view.turn}: the program of role {self.role.name!r}"
        try:
            reply = solve(sections, notes)
        except TurnError:
            raise
        except Exception as error:
            log.info("a role's program failed", role=self.role.name, exc_info=True)
            raise RoleError(f"{whose} failed: {type(error).__name__}: {error}") from error
        if not isinstance(reply, self.role.reply):
            raise RoleError(f"{whose} replied with a {type(reply).__name__}, not a {self.role.reply.__name__}")
        return reply

    def _call(self, view: View, sample: int, **more: Any) -> Call:
        model = more.pop("model", PROGRAM)
        return Call(
            turn=view.turn, seat=view.seat, node=self.name, role=self.role.name, sample=sample, model=model, **more
        )

    def _recorder(self, view: View, sample: int, runtime: SeatRuntime) -> Callable[[Exchange], None]:
        def record(done: Exchange) -> None:
            runtime.game.emit(self._call(view, sample, model=self.model, **done.recorded))

        return record


@cache
def _second_ask(words: Words) -> Mapping[str, str]:
    """What a second ask says, by its English."""
    return {english: words(english) for english in second_ask.SENTENCES}


def refused_moves(notes: Notes, verdicts: tuple[str, ...]) -> tuple[Move, ...]:
    """The moves that these verdicts refused."""
    found = [note for name in verdicts for note in notes.get(name, ())]
    return tuple(note.move for note in found if isinstance(note, Verdict) and not note.accept)
