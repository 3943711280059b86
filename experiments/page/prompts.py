"""/api/prompt: what a node was asked, section by section; of a program, what a model would have been asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from experiments.page.spoken import Json
from experiments.record.game import Game
from graphs.attempts import base
from graphs.context import OWN_PARTS
from graphs.prompt_preview import requests
from graphs.recorded import notes_of
from orchestrator.errors import UserError
from orchestrator.journal.events import Call, Event
from orchestrator.models.request import Message, messages


def key_of(calls: Sequence[Call]) -> list[str]:
    """A name for each call of a turn, in their order: `proposer.0.0`, by node, sample and ask.

    A call that was made again after its game had been suspended has the number of the try behind it: `proposer.0.0.2`.
    """
    seen: Counter[str] = Counter()
    names = []
    for call in calls:
        name = f"{call.node}.{call.sample}.{call.ask}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return names


class Prompts:
    """The prompts of a turn."""

    def __init__(self, game: Game, turn: int, events: Sequence[Event]) -> None:
        self.game = game
        self.turn = turn
        self.events = events
        self.calls = [event for event in events if isinstance(event, Call)]

    @cached_property
    def _rendered(self) -> Mapping[str, tuple[Message, ...]]:
        """By node, what a model would have been asked; none where the journal does not hold what nodes read."""
        config = self.game.config(self.game.seat(self.turn), self.turn)
        if config is None:
            return {}
        view = self.game.board(self.turn).view
        try:
            prompts = requests(config, view, notes_of(config, self.events), self.game.memory(self.turn))
            return {node: messages(request.parts) for node, request in prompts.items()}
        except (UserError, LookupError, ValueError):  # a lean journal, or one of an older version
            return {}

    def of(self, call: Call) -> tuple[Message, ...]:
        return call.messages or self._rendered.get(call.node, ())

    def sections(self, call: Call) -> list[str]:
        names = (span.name for message in self.of(call) for span in message.spans if span.name not in OWN_PARTS)
        return list(dict.fromkeys(names))

    def only(self, call: Call) -> list[str]:
        """Its sections that no other node of the turn got."""
        node = base(call.node)
        theirs = {name for other in self.calls if base(other.node) != node for name in self.sections(other)}
        alone = not any(base(other.node) != node for other in self.calls)
        return [] if alone else [name for name in self.sections(call) if name not in theirs]

    def prompt(self, key: str) -> Json:
        """Raises UserError for a call that is not there."""
        for call, name in zip(self.calls, key_of(self.calls), strict=True):
            if name == key:
                only = set(self.only(call))
                messages, why = [_message(message, only) for message in self.of(call)], None
                if not messages and self.game.config(self.game.seat(self.turn), self.turn) is None:
                    why = "Its graph has roles that are not there here: name their file with --import."
                elif not messages:
                    why = f"The role {call.role} is a program without a prompt, or the journal is lean and lacks "
                    why += "what it read."
                return {"rendered": not call.messages, "messages": messages, "why": why}
        raise UserError(f"turn {self.turn} has no call {key[:80]!r}")


def prompt(game: Game, turn: int, key: str) -> Json:
    """Raises UserError for a turn or a call that is not there."""
    game.board(turn)
    lines = [line for line in game.lines.lines if line.turn == turn]
    return Prompts(game, turn, game.lines.parse(lines)).prompt(key)


def _message(message: Message, only: set[str]) -> Json:
    """A message in parts; what lies between two sections belongs to the one before."""
    spans = sorted(message.spans, key=lambda span: span.start)
    ends = [*(span.start for span in spans[1:]), len(message.content)]
    parts = [
        {"name": span.name, "text": message.content[span.start : end].strip("\n"), "only": span.name in only}
        for span, end in zip(spans, ends, strict=True)
    ]
    head = message.content[: spans[0].start] if spans else message.content
    return {"role": message.role, "parts": ([{"name": "", "text": head, "only": False}] if head else []) + parts}
