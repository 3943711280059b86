"""How a question is put to a model, as the paper puts it.

The messages are: the directive of the question's kind as system message; the description of the game; `Got it!`, as if
the model had said it; and the question with its options.
"""

from collections.abc import Mapping

from experiments.tasks.questions.option_reading import Answer, listed
from experiments.tasks.questions.questions import Question
from orchestrator.models import second_ask
from orchestrator.models.request import ModelRequest, Part

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
    return ModelRequest(question.name, ROLE, trial, parts, Answer, listed(question.options), form="text", phrases=SAID)
