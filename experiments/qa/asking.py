"""How a question is put to a model, as the paper puts it, and how its answers become calls of a journal.

The messages are: the directive of the question's kind as system message; the description of the game; `Got it!`, as if
the model had said it; and the question with its options.
"""

from collections.abc import Callable, Mapping

from experiments.qa.option_reading import Answer, listed
from experiments.qa.questions import Question
from orchestrator.journal.events import Call
from orchestrator.models import second_ask
from orchestrator.models.request import Exchange, ModelRequest, Part

ROLE = "coordination_qa"
AGREED = "Got it!"
SAID: Mapping[str, str] = {second_ask.LEGAL: "The options are: $moves. Copy one of them, with its letter."}
"""What a second ask says otherwise than in a game."""


def request(question: Question, trial: int) -> ModelRequest:
    """The request of one trial, from 0."""
    parts = (
        Part("directive", question.directive, "system"),
        Part("description", question.description),
        Part("agreed", AGREED, "assistant"),
        Part("question", question.text),
    )
    return ModelRequest(question.name, ROLE, trial, parts, Answer, listed(question.options), form="text", said=SAID)


def recorder(question: Question, trial: int, model: str, emit: Callable[[Call], None]) -> Callable[[Exchange], None]:
    """Emits each exchange of a trial as a call."""

    def record(done: Exchange) -> None:
        response = {} if done.response is None else {k: v for k, v in vars(done.response).items() if k != "unusable"}
        told = {"model": model, "prompt_hash": done.prompt_hash, "messages": done.messages, "ask": done.ask}
        read = {"reply": done.reply.model_dump(mode="json") if done.reply else None, "outcome": done.outcome}
        why = {"error": done.error, "cause": done.cause, "dropped": done.dropped}
        emit(call(question, trial, **response | told | read | why | {"attempts": done.attempts}))

    return record


def call(question: Question, trial: int, **more: object) -> Call:
    """A call about a question; turns and seats are 0, for there is no game."""
    return Call.model_validate({"turn": 0, "seat": 0, "node": question.name, "role": ROLE, "sample": trial, **more})
