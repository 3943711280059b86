"""Simulated models: they answer for a role, from the sections and notes that it gets, so only a graph can ask them."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from orchestrator.models.request import Message, ModelRequest, ModelResponse, estimated, estimated_prompt
from orchestrator.models.retries import call_seed
from orchestrator.models.simulated_settings import SimSettings
from orchestrator.replies import writer
from orchestrator.replies.reply import Reply
from roles import Notes, Sections
from roles.hanabi import error_injection
from roles.hanabi.error_injection import Slips
from roles.role_definition import Solve


@dataclass(frozen=True)
class SimulatedModel:
    """A simulated model that has not been asked yet."""

    settings: SimSettings

    def for_question(
        self, solve: Solve, exact: Callable[[], BaseModel], sections: Sections, notes: Notes
    ) -> "SimulatedBrain":
        """Return the brain that answers this question alone; `exact`: the program's answer, checked."""
        return SimulatedBrain(self.settings, solve, exact, sections, notes)

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True)
class SimulatedBrain:
    """The brain of one question: the same request always gets the same text."""

    settings: SimSettings
    solve: Solve
    exact: Callable[[], BaseModel]
    sections: Sections
    notes: Notes

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        slips = Slips(self.settings, call_seed(self.settings.seed, request))
        reply = error_injection.reply(request.reply, self.solve, self.exact, self.sections, self.notes, slips)
        return response(reply, slips, request, messages)

    async def aclose(self) -> None:
        """Nothing to close."""


def response(reply: Reply, slips: Slips, request: ModelRequest, messages: tuple[Message, ...]) -> ModelResponse:
    """A reply as the text that a simulated model answers: in the format asked for, malformed at the stated rate."""
    text, finish = writer.text_of(reply, request.form), "stop"
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
