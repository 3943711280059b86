"""The story of one turn: what the seat saw, who was told what, who said what, what was verified, what was played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from experiments.results.story import Story, Turn
from experiments.show.live_table import picture
from experiments.show.terminal import on, printable, sureness
from graphs.config import PROGRAM, GraphConfig
from graphs.context import OWN_PARTS
from graphs.prompting import notes_of, requests
from orchestrator.journal.events import Call, Memory, VerdictGiven
from orchestrator.models.request import Message, messages
from roles.notes_text import scalar
from roles.words import ENGLISH

SHOWN_LINES = 24
"""Lines of a reply that are shown unless everything is asked for."""
MARGIN = 10
"""Columns before a reply."""
WIDEST = 150
"""Characters of a list's entry that are shown at most unless everything is asked for."""

OUTCOMES = {
    "reasked": "unusable, asked again",
    "fallback": "unusable, so this node is absent",
    "repaired": "mended",
    "failed": "no answer came, so the game was suspended",
}

BARE = ("action", "cards", "meaning", "next_action", "rationale", "reason", "immediate_effect", "hint_value")
"""Fields that speak for themselves in an entry of a list; others are shown with their names."""


def tell_turn(story: Story, number: int, console: Console, *, full: bool = False) -> None:
    """Everything that happened in a turn; `full` with whole prompts and whole replies."""
    turn = story.turn(number)
    seat = turn.started.seat
    card = story.started.seats[seat]
    told = TurnStory(turn, story.config(seat), story.memory(number), full, min(console.width - MARGIN, WIDEST))
    console.print(Text(f"turn {number} of {len(story.turns)}: P{seat}, {card.graph} on {on(card.model)}", style="bold"))
    for block in told.blocks():
        console.print(block)


@dataclass(frozen=True)
class TurnStory:
    turn: Turn
    config: GraphConfig | None
    memory: Memory
    """What the seat remembered."""
    full: bool
    width: int
    """Characters of a reply's line."""

    def blocks(self) -> Iterator[RenderableType]:
        yield picture(self.turn.started.view)
        judges = {event.node for event in self.turn.events if isinstance(event, VerdictGiven)}
        for event in self._in_order():
            if isinstance(event, VerdictGiven):
                yield _ruled(event)
            elif not (event.node in judges and event.model == PROGRAM):  # its verdict says it all
                yield self._call(event)
        yield self._ending()

    def _in_order(self) -> list[Call | VerdictGiven]:
        """Attempt by attempt, in the order of the config: nodes that ran together finish in any."""
        nodes = list(self.config.nodes) if self.config else []

        def place(event: Call | VerdictGiven) -> tuple[int, int, bool]:
            node, _, attempt = event.node.partition("-")
            return (
                int(attempt or 1),
                nodes.index(node) if node in nodes else len(nodes),
                isinstance(event, VerdictGiven),
            )

        return sorted((event for event in self.turn.events if isinstance(event, Call | VerdictGiven)), key=place)

    @cached_property
    def _prompts(self) -> Mapping[str, tuple[Message, ...]]:
        """The prompt of every node: programs' too, rendered from what they were told."""
        if self.config is None:
            return {}
        made = requests(self.config, self.turn.started.view, notes_of(self.config, self.turn.events), self.memory)
        return {node: messages(ask.parts) for node, ask in made.items()}

    def _call(self, call: Call) -> RenderableType:
        told = call.messages or self._prompts.get(call.node, ())
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim")
        grid.add_column()
        if sections := [span.name for message in told for span in message.spans if span.name not in OWN_PARTS]:
            grid.add_row("told", ", ".join(sections))
        if heard := self._heard(call):
            grid.add_row("heard", ", ".join(heard))
        for message in told if self.full else ():
            grid.add_row(message.role, Text(printable(message.content)))
        for number, attempt in enumerate(call.attempts, 1):
            if attempt.error:
                waited = f"; waited {attempt.waited_s:.1f} s" if attempt.waited_s else ""
                grid.add_row(f"try {number}", Text(f"the model server {attempt.error}{waited}", style="yellow"))
        if call.outcome != "failed":
            grid.add_row("said", Text(printable(self._said(call))))
        if call.outcome != "ok":
            grid.add_row(
                "", Text(printable(OUTCOMES[call.outcome] + (f": {call.error}" if call.error else "")), style="yellow")
            )
        return Group(self._title(call), Padding(grid, (0, 0, 0, 2)))

    def _title(self, call: Call) -> Text:
        samples = len({other.sample for other in self.turn.calls if other.node == call.node})
        facts = [call.role] if call.role != call.node else []
        facts.append(on(call.model))
        if samples > 1:
            facts.append(f"sample {call.sample + 1} of {samples}")
        if call.ask:
            facts.append(f"ask {call.ask + 1}")
        if call.text is not None:
            facts.append(f"{call.tokens_in} tokens in, {call.tokens_out} out, {call.latency_s:.2f} s")
        if call.cached:
            facts.append("from the cache")
        if call.injected:
            facts.append(f"errors: {', '.join(call.injected)}")
        return Text.assemble((f"\n{call.node}", "bold cyan"), (f"  ({', '.join(facts)})", "dim"))

    def _heard(self, call: Call) -> tuple[str, ...]:
        """Whose notes the node read."""
        base = call.node.partition("-")[0]
        return self.config.nodes[base].reads if self.config and base in self.config.nodes else ()

    def _said(self, call: Call) -> str:
        """The reply, a line an entry; as it came when it was unusable, or when everything is asked for."""
        if call.reply is None or (self.full and call.text is not None):
            return call.text or "(nothing)"
        lines = [line for key, value in call.reply.items() for line in _field(key, value)]
        if self.full:
            return "\n".join(lines)
        shown = [self._clipped(line) for line in lines[:SHOWN_LINES]]
        more = len(lines) - len(shown)
        return "\n".join((*shown, f"... {more} more lines; --full shows them") if more else shown)

    def _clipped(self, line: str) -> str:
        """An entry of a list on one line; reasons and summaries are never cut."""
        long = line.startswith("- ") and len(line) > self.width
        return f"{line[: self.width - 3]}..." if long else line

    def _ending(self) -> Text:
        decided, moved = self.turn.decided, self.turn.moved
        if decided is None:
            why = "; ".join(dict.fromkeys(halt.why for halt in self.turn.halts))
            return Text(f"\nThe game broke off before a decision{f': {why}' if why else ''}.", style="bold red")
        sure = sureness(self.turn.started.view, decided.move)
        text = Text.assemble(("\ndecided  ", "bold"), (str(decided.move), "bold cyan"), f"  ({sure})" if sure else "")
        text.append(f"  rank {decided.rank} of the recommender's list" if decided.rank else "", style="dim")
        text.append("  FORCED" if decided.forced else "", style="bold magenta")
        text.append(f"\n         {printable(decided.why)}", style="italic")
        for node, moves in decided.votes.items():
            text.append(f"\nvotes    {node}: {', '.join(f'{move} ({times})' for move, times in moves.items())}")
        if moved:
            past = moved.past
            after = f"score {sum(past.fireworks)}, tokens {past.tokens}, lives {past.lives}"
            text.append(f"\nplayed   {past.move}{ENGLISH.outcome(past)}; {after}")
        return text


def _field(key: str, value: Any) -> list[str]:
    """`reason: ...`, or for a list of objects its name and a line for each."""
    name = key.replace("_", " ")
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [f"{name}:", *(f"- {_entry(entry)}" for entry in value)]
    return [f"{name}: {scalar(value)}"]


def _entry(entry: Mapping[str, Any]) -> str:
    """One object of a list on a line."""
    shown = {key: value for key, value in entry.items() if value is not None and key not in ("type", "future_impact")}
    return " · ".join(scalar(v) if key in BARE else f"{key.replace('_', ' ')} {scalar(v)}" for key, v in shown.items())


def _ruled(ruled: VerdictGiven) -> Text:
    text = Text.assemble((f"\n{ruled.node}  ", "bold cyan"))
    text.append("accepts " if ruled.accepted else "refuses ", style="bold green" if ruled.accepted else "bold red")
    return text.append(f"{ruled.move}: {printable(ruled.why)}")
