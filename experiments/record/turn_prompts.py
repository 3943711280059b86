"""The prompts of a recorded turn: what its calls were sent, and of programs what a model would have been sent."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.graphs import prompt_preview
from hanabi_orchestrator.graphs.context import OWN_PARTS
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models.request import Message


class TurnPrompts:
    """A turn with the prompts of its calls."""

    def __init__(self, game: Game, turn: Turn) -> None:
        self.turn = turn
        self.config = game.config(turn.seat, turn.number)
        """The graph of the acting seat; None where it is not known here."""
        self._game = game

    def of(self, call: Call) -> tuple[Message, ...]:
        return call.messages or self._rendered.get(call.node, ())

    def sections(self, call: Call) -> list[str]:
        """Return the sections in the prompt of a call, in order."""
        names = (
            span.name
            for message in self.of(call)
            for span in message.spans
            if span.name not in OWN_PARTS
        )
        return list(dict.fromkeys(names))

    def missing(self, call: Call) -> str:
        """Return why a call has no prompt, as a sentence."""
        if self.config is None:
            return "Its graph has roles that are not there here: name their file with --import."
        return f"The role {call.role} is a program without a prompt, or the journal is lean and lacks what it read."

    @cached_property
    def _rendered(self) -> Mapping[str, tuple[Message, ...]]:
        """By node; none where the journal is lean or of an older version, and does not hold what nodes read."""
        with suppress(UserError, LookupError, ValueError):
            if self.config:
                turn = self.turn
                memory = self._game.memory(self.turn.number)
                return prompt_preview.recorded(self.config, turn.view, turn.events, memory)
        return {}
