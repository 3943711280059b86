"""Who answers a node's question: its role's program, a model, nobody, a reply that is there already, or a control.

A node's `model:` names one. An answerer takes a question and returns a reply, and journals the calls that it took.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog
from pydantic import BaseModel

from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.orchestrator.errors import RoleError, TurnError, in_words
from hanabi_orchestrator.orchestrator.game.registry import of_view
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Brain,
    Message,
    ModelRequest,
    ModelResponse,
    Place,
    answer,
    estimated,
    estimated_prompt,
)
from hanabi_orchestrator.orchestrator.models.retries import call_seed
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Notes, Sections
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import of_type
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.role_definition import Solve
from hanabi_orchestrator.roles.slips import Injector, Slips, injector


@dataclass(frozen=True)
class Question:
    """What a node is asked in a turn."""

    node: RoleNode
    view: Any
    sections: Sections
    notes: Notes
    """Those it reads."""
    game: GameContext
    sample: int = 0

    @property
    def place(self) -> Place:
        """Where in its game it is asked, which seeds what is drawn."""
        return place(self.node, self.view, self.game)

    @property
    def empty(self) -> str | None:
        """Why there is nothing to ask: no legal move is left to name, or there is no choice to judge."""
        reply = self.node.role.reply
        legal = self.sections.get(LegalMoves)
        if reply.names_moves and legal is not None and not legal.by_label:
            return "no legal move is left to choose from"
        judges = issubclass(reply, Judgement)
        return "there is no choice to judge" if judges and not of_type(self.notes, Choice) else None

    def solved(self) -> BaseModel:
        """Return the program's answer. Raises TurnError for a program that fails."""
        role = self.node.role
        place = f"turn {self.view.turn}: the program of role {role.name!r}"
        try:
            reply = self.node.program(self.sections, self.notes)
        except TurnError:
            raise
        except Exception as error:
            log.info("a role's program failed", role=role.name, exc_info=True)
            raise RoleError(f"{place} failed: {in_words(error)}") from error
        if not isinstance(reply, role.reply):
            raise RoleError(f"{place} {role.misreply(reply)}")
        return reply

    def journal(self, **content: Any) -> None:
        """Write a call of this question, of the program unless another model is named."""
        call = Call(
            turn=self.view.turn,
            seat=self.view.seat,
            node=self.node.name,
            role=self.node.role.name,
            sample=self.sample,
            **{"model": PROGRAM, **content},
        )
        self.game.emit(call)


def place(node: RoleNode, view: AnyView, game: GameContext) -> Place:
    """Return where in a game a node is asked."""
    return Place(game.hash, game.repeat, view.turn, view.seat, node.controls.draw)


class Answerer(Protocol):
    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the reply. Raises TurnError where nobody can give one."""
        ...


async def program(question: Question) -> BaseModel:
    """Answer by the role's program."""
    reply = question.solved()
    question.journal(reply=reply.model_dump(mode="json"))
    return reply


async def nobody(question: Question) -> BaseModel:
    """Leave the question open."""
    return Absent(reason=f"nobody answers for node {question.node.name!r}")


# Models, of which simulated ones answer for a role, from what it gets, so that only a graph can ask them


@dataclass(frozen=True)
class SimulatedModel:
    """A simulated model that has not been asked yet."""

    settings: SimSettings

    def for_question(self, question: Question) -> "SimulatedBrain":
        """Return the brain that answers this question alone."""
        return SimulatedBrain(
            self.settings,
            question.node.program,
            question.solved,
            question.sections,
            question.notes,
            injector(of_view(question.view).name),
        )

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True)
class SimulatedBrain:
    """The brain of one question: the same request always gets the same text."""

    settings: SimSettings
    solve: Solve
    exact: Callable[[], BaseModel]
    """The program's answer, checked."""
    sections: Sections
    notes: Notes
    inject: Injector
    """Makes the errors of its game."""

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        slips = Slips(self.settings, call_seed(self.settings.seed, request))
        reply = self.inject(request.reply, self.solve, self.exact, self.sections, self.notes, slips)
        answer = response(reply, slips, request, messages)
        price = self.settings.price
        return (
            replace(answer, usd=round(price.usd(answer.tokens_in, answer.tokens_out), 8))
            if price
            else answer
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def response(
    reply: Reply, slips: Slips, request: ModelRequest, messages: tuple[Message, ...]
) -> ModelResponse:
    """A reply as the text that a simulated model answers: in the format asked for, malformed at the stated rate."""
    text = writer.text_of(reply, request.form)
    finish = "stop"
    if dice := slips.strike("malformed"):
        slips.errors.append("malformed")
        text, finish = writer.spoilt(reply, request.form, dice)
    return ModelResponse(
        text=text,
        tokens_in=estimated_prompt(messages),
        tokens_out=estimated(text),
        finish=finish,
        served_by="simulated",
        usd=0.0,
        estimated=True,
        injected=tuple(slips.errors),
    )


@dataclass(frozen=True)
class ModelAnswerer:
    """A model; a simulated one answers for the role, from what the node sees and reads."""

    brain: Brain | SimulatedModel

    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the reply, after a second ask where the first answer cannot be used."""
        node = question.node
        brain = self.brain
        request = node.request(question.sample, question.sections, question.notes, question.place)
        if isinstance(brain, SimulatedModel):
            brain = brain.for_question(question)
        with structlog.contextvars.bound_contextvars(node=node.name):
            reply = await answer(
                request,
                brain,
                lambda exchange: question.journal(model=node.model, **exchange.recorded),
            )
        await question.game.flush()
        return reply


@dataclass(frozen=True)
class FixedReply:
    """A reply that is there already, so that nobody is asked for it."""

    reply: BaseModel
    calls: tuple[Call, ...] = ()
    """What the journal says of it."""

    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the reply, and journal its calls once more."""
        for call in self.calls:
            question.game.emit(call)
        return self.reply


Fixed = Mapping[tuple[str, int], FixedReply]
"""By the node's name in its attempt, and the sample."""


@dataclass(frozen=True)
class Unsettled:
    """Asks an answerer only where there is a question, and where the role does not settle it by itself.

    A control stands in the place of a settled reply, too; a role that has nothing to say yet says nothing.
    """

    answerer: Answerer

    async def __call__(self, question: Question, /) -> BaseModel:
        """Return the reply."""
        if cause := question.empty:
            return Absent(reason=cause)
        settled = question.node.role.settle(question.sections, question.notes)
        if settled is None or (question.node.answerer and not isinstance(settled, Absent)):
            return await self.answerer(question)
        if isinstance(settled, Absent):
            question.journal(outcome="unasked", error=settled.reason)
        else:
            question.journal(reply=settled.model_dump(mode="json"))
        return settled
