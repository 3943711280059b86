"""Simulated models on questions: no language models, but the program's answers with errors at stated rates.

Of the rates of a profile two have a meaning here: `misread_stack` (another option than the program's) and `malformed`
(the text breaks the format). Where the program has no answer, an option is drawn at random.
"""

import random
from dataclasses import dataclass

from experiments.tasks.questions import program
from experiments.tasks.questions.option_reading import Answer
from experiments.tasks.questions.questions import Question
from graphs.simulated_model import response
from orchestrator.models.request import Message, ModelRequest, ModelResponse
from orchestrator.models.retries import call_seed
from orchestrator.models.simulated_settings import SimSettings
from roles.hanabi.error_injection import Slips


@dataclass(frozen=True)
class SimulatedAnswers:
    """The brain of one question: the same request always gets the same text."""

    settings: SimSettings
    question: Question

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        slips = Slips(self.settings, call_seed(self.settings.seed, request))
        chosen = self.question.options[self._number(slips)]
        reply = Answer(reason=f"A simulated answer to: {self.question.asked}", answer=chosen)
        return response(reply, slips, request, messages)

    def _number(self, slips: Slips) -> int:
        numbers = range(len(self.question.options))
        try:
            exact, _ = program.answer(self.question)
        except program.NoAnswer:
            return random.Random(f"{slips.seed} guess").choice(numbers)
        if dice := slips.strike("misread_stack"):
            slips.errors.append("misread_stack")
            return dice.choice([number for number in numbers if number != exact])
        return exact

    async def aclose(self) -> None:
        """Nothing to close."""
