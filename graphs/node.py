"""One node of a seat's graph: hears its notes, answers, leaves one note."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import add
from typing import Annotated, Any, TypedDict

import structlog
from langgraph.runtime import Runtime
from pydantic import BaseModel

from graphs.config import PROGRAM
from graphs.context import Context
from graphs.simulated import Question, Simulated
from orchestrator.errors import RoleError, TurnError
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, VerdictGiven
from orchestrator.models.request import COMPLAINT, Absent, Brain, Exchange, ModelRequest, Place, answer
from orchestrator.table.seat import GameContext, Memory
from roles import Notes, Role, Section, Sections, Verdict
from roles.registry import Solve
from roles.replies import Choice, Judgement, Shortlist
from roles.sections import LegalMoves, cut
from roles.words import ENGLISH, Words

log = structlog.get_logger()


def merge(old: Notes, new: Notes) -> Notes:
    return {**old, **new}


class SeatState(TypedDict):
    view: View
    memory: Memory
    notes: Annotated[Notes, merge]
    """By the node's name in its attempt: `generate`, `generate-2`."""
    failed: Annotated[list[TurnError], add]
    """What ended the turn. Nodes that run at the same time still finish, so that no answer is lost; no other begins."""


@dataclass(frozen=True)
class SeatRuntime:
    """The two effects that a seat has."""

    brains: Mapping[str, Brain | Simulated]
    game: GameContext


@dataclass(frozen=True)
class RoleNode:
    """One node in one attempt. What it may see is fixed here: nothing else of the view reaches its role."""

    name: str
    role: Role
    model: str
    samples: int
    kinds: tuple[tuple[type[Section], Mapping[str, Any]], ...]
    """The sections it is told, with their options."""
    reads: tuple[tuple[str, str], ...]
    """(the name under which a note is heard, the name under which it lies in the state)."""
    refusals: tuple[str, ...] = ()
    """The verdicts of earlier attempts: moves that they refused leave the legal ones."""
    judges: str | None = None
    """The deciding node whose choice it judges."""
    context: Context | None = None
    """How its prompt is laid out; None for a node that only a program can be."""
    layout: tuple[str, ...] = ()
    solve: Solve | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """The role's own."""

    @property
    def words(self) -> Words:
        return self.context.words if self.context else ENGLISH

    def sections(self, view: View, notes: Notes, memory: Memory | None = None) -> Sections:
        """What it gets to see of a view, in this attempt."""
        return cut(
            view, self.kinds, refused_moves(notes, self.refusals), memory, self.options, self.words, self._listed(notes)
        )

    def _listed(self, notes: Notes) -> tuple[Move, ...]:
        """The moves that a recommender whom it reads listed: it is told no others."""
        heard = [note for _, key in self.reads for note in notes.get(key, ())]
        return tuple(move for note in heard if isinstance(note, Shortlist) for move in note.moves)

    async def __call__(self, state: SeatState, runtime: Runtime[SeatRuntime]) -> dict[str, Any]:
        """As a node of LangGraph."""
        return await self.leave(state, runtime.context)

    async def leave(self, state: SeatState, runtime: SeatRuntime) -> dict[str, Any]:
        """Its note, or what ended the turn."""
        if state["failed"]:
            return {"notes": {}}
        try:
            return {"notes": {self.name: await self._note(state, runtime)}}
        except TurnError as error:
            return {"failed": [error]}

    async def _note(self, state: SeatState, runtime: SeatRuntime) -> tuple[BaseModel, ...]:
        view = state["view"]
        told = self.sections(view, state["notes"], state["memory"])
        heard = self.hears(state["notes"])
        if self.judges is not None:
            return (await self._judge(state, told, heard, runtime),)
        if self.samples == 1:
            return (await self._reply(0, view, told, heard, runtime),)
        asked = (self._reply(sample, view, told, heard, runtime) for sample in range(self.samples))
        replies = await asyncio.gather(*asked, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException):
                raise reply
        return tuple(reply for reply in replies if isinstance(reply, BaseModel))

    async def _judge(self, state: SeatState, sections: Sections, heard: Notes, runtime: SeatRuntime) -> BaseModel:
        """A verdict on the choice; an absent judge has no objection, and an absent choice is not judged."""
        view, (choice,) = state["view"], state["notes"][str(self.judges)]
        if not isinstance(choice, Choice):
            return Absent(reason="there is no choice to judge")
        reply = await self._reply(0, view, sections, heard, runtime)
        move, accepted, why = choice.action, True, "the judge is absent: no objection"
        if isinstance(reply, Judgement):
            accepted, why = reply.accept, reply.reason
            reply = Verdict(move=move, accept=accepted, reason=why)
        runtime.game.emit(
            VerdictGiven(turn=view.turn, seat=view.seat, node=self.name, move=move, accepted=accepted, why=why)
        )
        return reply

    def hears(self, notes: Notes) -> Notes:
        """The notes it reads; a judge hears of all choices only the one that he judges."""
        heard = {name: notes[key] for name, key in self.reads if key in notes}
        if self.judges is None:
            return heard
        reports = {name: said for name, said in heard.items() if not any(isinstance(n, Choice) for n in said)}
        return {**reports, "choice": notes[self.judges]}

    def _cannot(self, sections: Sections, heard: Notes) -> str | None:
        """Why there is nothing to ask: no legal move is left to name, or no choice is there to judge."""
        legal = sections.get(LegalMoves)
        if self.role.reply.names_moves and legal is not None and not legal.listed:
            return "no legal move is left to choose from"
        choices = [note for replies in heard.values() for note in replies if isinstance(note, Choice)]
        return "there is no choice to judge" if issubclass(self.role.reply, Judgement) and not choices else None

    async def _reply(
        self, sample: int, view: View, sections: Sections, heard: Notes, runtime: SeatRuntime
    ) -> BaseModel:
        if cause := self._cannot(sections, heard):
            return Absent(reason=cause)
        settled = self.role.settled(sections, heard) if self.role.settled else None
        if settled is not None or self.model == PROGRAM:
            reply = self._solved(view, sections, heard) if settled is None else settled
            runtime.game.emit(self._call(view, sample, reply=reply.model_dump(mode="json")))
            return reply
        place = Place(runtime.game.hash, runtime.game.repeat, view.turn, view.seat)
        ask = self.request(sample, sections, heard, place)
        with structlog.contextvars.bound_contextvars(node=self.name):
            reply = await answer(
                ask, self._brain(view, sections, heard, runtime), self._recorder(view, sample, runtime)
            )
        await runtime.game.kept()
        return reply

    def _brain(self, view: View, sections: Sections, heard: Notes, runtime: SeatRuntime) -> Brain:
        """Who answers; a simulated model does so for this role, from what it is told."""
        brain = runtime.brains[self.model]
        if not isinstance(brain, Simulated):
            return brain
        solve = self.solve or self.role.solve
        assert solve is not None  # checked when the config was read
        return brain.asked(Question(solve, partial(self._solved, view, sections, heard), sections, heard))

    def request(self, sample: int, sections: Sections, heard: Notes, place: Place | None = None) -> ModelRequest:
        """The question as a model gets it."""
        assert self.context is not None  # checked when the config was read
        reply, form, raw = self.context.reply(self.role), self.context.answer_format, self.context.reports == "raw"
        legal = sections.get(LegalMoves)
        return ModelRequest(
            node=self.name,
            role=self.role.name,
            sample=sample,
            parts=self.context.arrange(self.role.prompt(sections, heard, reply, form, raw=raw), self.layout),
            reply=reply,
            moves=legal.listed if legal else {},
            form=form,
            complaint=self.words(COMPLAINT),
            place=place or Place(),
        )

    def _solved(self, view: View, sections: Sections, heard: Notes) -> BaseModel:
        solve = self.solve or self.role.solve
        assert solve is not None  # checked when the config was read
        whose = f"turn {view.turn}: the program of role {self.role.name!r}"
        try:
            reply = solve(sections, heard)
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
            call = self._call(
                view,
                sample,
                model=self.model,
                ask=done.ask,
                prompt_hash=done.prompt_hash,
                messages=done.messages,
                reply=done.reply.model_dump(mode="json") if done.reply else None,
                outcome=done.outcome,
                error=done.error,
                **(vars(done.response) if done.response else {}) | {"attempts": done.attempts},
            )
            runtime.game.emit(call)

        return record


def refused_moves(notes: Notes, verdicts: tuple[str, ...]) -> tuple[Move, ...]:
    """The moves that these verdicts refused."""
    found = [note for name in verdicts for note in notes.get(name, ())]
    return tuple(note.move for note in found if isinstance(note, Verdict) and not note.accept)
