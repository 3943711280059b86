"""`show GAME --turn N`: what the seat saw, the prompts and responses of its nodes, the verdicts,
the move."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.document.blocks import Block, Column, Note, listing
from hanabi_orchestrator.experiments.document.formats import INT, RIGHT, SIGNED, number
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.turn_prompts import TurnPrompts
from hanabi_orchestrator.experiments.show.live_table import picture
from hanabi_orchestrator.experiments.show.terminal import choice, on, who
from hanabi_orchestrator.experiments.values.move_values import MoveValue, TurnValues
from hanabi_orchestrator.experiments.values.position import pack_of
from hanabi_orchestrator.graphs.attempts import base, judging, reads
from hanabi_orchestrator.graphs.config import PROGRAM
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, VerdictGiven
from hanabi_orchestrator.orchestrator.models.request import Message
from hanabi_orchestrator.roles.notes_text import scalar
from hanabi_orchestrator.roles.words import ENGLISH

SHOWN_LINES = 24
"""Lines of a response that are shown without --full."""
MOST_RAW = 2000
"""Characters of an answer that could not be read, shown without --full."""
MARGIN = 10
"""Columns before a response."""
WIDEST = 150
"""Characters of a list entry that are shown without --full."""

OUTCOMES = {
    "reasked": "unusable, so it was retried",
    "fallback": "unusable, so this node has no output",
    "repaired": "repaired",
    "unasked": "not asked",
    "failed": "there was no response, so the game was suspended",
}

BARE = (
    "action",
    "cards",
    "meaning",
    "next_action",
    "rationale",
    "reason",
    "immediate_effect",
    "hint_value",
)
"""Fields of a list entry that are shown without their names."""


@dataclass(frozen=True)
class Part:
    """What of a turn is shown."""

    full: bool = False
    """With whole prompts and responses."""
    role: str | None = None
    """Only the node of this name, or the nodes of this role."""
    prompts: bool = False
    """Only the prompts."""

    def of(self, turn: Turn) -> Turn:
        """Return a turn with the calls and verdicts of this part alone. Raises UserError when it
        has none."""
        if self.role is None:
            return turn
        events: list[Event] = [*turn.calls, *turn.verdicts]
        names = list[str]()
        for event in events:
            names += _names(event)
        if self.role not in names:
            hint = did_you_mean(self.role, names, "its nodes and roles are")
            raise UserError(f"turn {turn.number} has no node or role {self.role!r}; {hint}")
        part = [event for event in turn.events if self.role in (_names(event) or [self.role])]
        return Turn.of(turn.view, part)


def _names(event: Event) -> list[str]:
    """Return the names that a call or a verdict goes by; none of other events."""
    if isinstance(event, Call):
        return [event.node, base(event.node), event.role]
    if isinstance(event, VerdictGiven):
        return [event.node]
    return []


WHOLE = Part()


def print_turn(story: Game, number: int, console: Console, part: Part = WHOLE) -> None:
    """Print what happened in a turn, or a part of it. Raises UserError for a turn or a node that is
    not there."""
    view = TurnStory(story, number, part, min(console.width - MARGIN, WIDEST))
    if part.prompts:
        for block in view.prompts_alone():
            console.print(block, soft_wrap=True)
        return
    seat = view.turn.seat
    heading = (
        f"turn {number} of {len(story.turns)}: P{seat}, {who(story.started.seat_at(seat, number))}"
    )
    console.print(Text(heading, style="bold"))
    for block in view.blocks() if part.role is None else view.answers():
        console.print(block)


def as_data(story: Game, number: int, part: Part = WHOLE) -> dict[str, Any]:
    """Return a turn, or a part of it, as plain data, for `--json`. Raises UserError for a turn or a
    node that is not there."""
    view = TurnStory(story, number, part)
    if part.prompts:
        return {"turn": number, "prompts": view.prompt_data()}
    events = (view.turn.started, *view.shown.events)
    return {"turn": number, "events": [event.model_dump(mode="json") for event in events]}


class TurnStory:
    def __init__(self, game: Game, number: int, part: Part = WHOLE, width: int = WIDEST) -> None:
        """`width`: characters of a line of a response. Raises UserError for a turn or a node that
        is not there."""
        self.turn = game.turn(number)
        self.full = part.full
        self.width = width
        self.shown = part.of(self.turn)
        self.sent = TurnPrompts(game, self.turn)
        self.config = self.sent.config

    def blocks(self) -> Iterator[RenderableType]:
        """Return the table, the calls and verdicts, and what was decided and played."""
        yield picture(self.turn.view)
        yield from self.answers()
        decided = self.turn.decided
        moved = self.turn.moved
        if decided is None:
            reasons = "; ".join(dict.fromkeys(halt.why for halt in self.turn.suspensions))
            yield Text(
                f"\nThe game stopped before a decision{f': {reasons}' if reasons else ''}.",
                style="bold red",
            )
            return
        pack = pack_of(self.turn.game, self.turn.seat, self.turn.number)
        text = Text.assemble(("\ndecided  ", "bold"), choice(self.turn.view, decided.move, pack))
        text.append(
            f"  rank {decided.rank} of the recommender's list" if decided.rank else "", style="dim"
        )
        text.append("  FORCED" if decided.forced else "", style="bold magenta")
        if decided.why:
            text.append(f"\n         {decided.why}", style="italic")
        for node, moves in decided.votes.items():
            text.append(
                f"\nvotes    {node}: "
                f"{', '.join(f'{move} ({times})' for move, times in moves.items())}"
            )
        if moved:
            past = moved.past
            after = f"score {sum(past.fireworks)}, tokens {past.tokens}, lives {past.lives}"
            text.append(f"\nplayed   {past.move}{ENGLISH.outcome(past)}; {after}")
        yield text

    def answers(self) -> Iterator[RenderableType]:
        """Return the calls and verdicts, one after the other."""
        judges = {event.node for event in self.turn.events if isinstance(event, VerdictGiven)}
        for event in self._in_order():
            if isinstance(event, VerdictGiven):
                verb, style = (
                    ("accepts ", "bold green") if event.accepted else ("refuses ", "bold red")
                )
                text = Text.assemble((f"\n{event.node}  ", "bold cyan"), (verb, style))
                yield text.append(f"{event.move}: {event.why}")
            elif not (
                event.node in judges and event.model == PROGRAM
            ):  # its verdict says everything
                yield self._call(event)

    def prompts(self) -> list[tuple[Call, tuple[Message, ...]]]:
        """Return the calls with their prompts."""
        return [
            (event, self.sent.of(event)) for event in self._in_order() if isinstance(event, Call)
        ]

    def prompts_alone(self) -> Iterator[RenderableType]:
        """Return the prompt of each call, message by message."""
        calls = self.prompts()
        if calls and not any(prompt for _, prompt in calls):
            yield Text(self.sent.missing(calls[0][0]))
        for call, prompt in calls:
            if call.sample:
                sample = f", sample {call.sample + 1}"
            else:
                sample = ""
            request = f"{call.node}{sample}{f', attempt {call.ask + 1}' if call.ask else ''}"
            for message in prompt:
                yield Text(f"=== {request}: {message.role} message\n", style="bold cyan")
                yield Text(f"{message.content}\n")

    def prompt_data(self) -> list[dict[str, Any]]:
        rows = []
        for call, prompt in self.prompts():
            row = {name: getattr(call, name) for name in ("node", "role", "sample", "ask")}
            row["messages"] = [message.model_dump(mode="json") for message in prompt]
            rows.append(row)
        return rows

    def _in_order(self) -> list[Call | VerdictGiven]:
        """Return attempt by attempt, in the order of the config: nodes that run in parallel finish
        in any order."""
        judges = judging(self.config) if self.config else ()
        nodes = [name for name in self.config.nodes if name not in judges] if self.config else []
        nodes += judges

        def place(event: Call | VerdictGiven) -> tuple[int, int, bool]:
            node, _, attempt = event.node.partition("-")
            rank = nodes.index(node) if node in nodes else len(nodes)
            return int(attempt or 1), rank, isinstance(event, VerdictGiven)

        return sorted(
            (event for event in self.shown.events if isinstance(event, Call | VerdictGiven)),
            key=place,
        )

    def _call(self, call: Call) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim")
        grid.add_column()
        if sections := self.sent.sections(call):
            grid.add_row("sections", ", ".join(sections))
        if read := reads(self.config, call.node):
            grid.add_row("reads", ", ".join(read))
        for message in self.sent.of(call) if self.full else ():
            grid.add_row(message.role, Text(message.content))
        for place, attempt in enumerate(call.attempts, 1):
            if attempt.error:
                if attempt.waited_s:
                    waited = f"; waited {attempt.waited_s:.1f} s"
                else:
                    waited = ""
                grid.add_row(
                    f"try {place}",
                    Text(f"the model server {attempt.error}{waited}", style="yellow"),
                )
        if call.outcome not in ("failed", "unasked"):
            grid.add_row("response", Text(self._response(call)))
        if call.outcome != "ok":
            grid.add_row(
                "",
                Text(
                    OUTCOMES[call.outcome] + (f": {call.error}" if call.error else ""),
                    style="yellow",
                ),
            )
        for left_out in call.dropped:
            grid.add_row("left out", Text(left_out, style="yellow"))
        return Group(self._title(call), Padding(grid, (0, 0, 0, 2)))

    def _title(self, call: Call) -> Text:
        samples = len({sibling.sample for sibling in self.turn.calls if sibling.node == call.node})
        facts = [call.role] if call.role != call.node else []
        facts.append(on(call.model))
        if samples > 1:
            facts.append(f"sample {call.sample + 1} of {samples}")
        if call.ask:
            facts.append(f"attempt {call.ask + 1}")
        if call.text is not None:
            facts.append(
                f"{call.tokens_in} tokens in, {call.tokens_out} out, {call.latency_s:.2f} s"
            )
        if call.cached:
            facts.append("from the cache")
        if call.origin or call.fixed in NOTES:
            facts.append(
                f"nobody was asked: {call.fixed} note, from {call.origin or 'no other game'}"
            )
        if call.copied:
            facts.append("repeats the prompt's example")
        if call.injected:
            facts.append(f"simulated errors: {', '.join(call.injected)}".replace("_", " "))
        return Text.assemble((f"\n{call.node}", "bold cyan"), (f"  ({', '.join(facts)})", "dim"))

    def _response(self, call: Call) -> str:
        """Return the parsed response, a line for each entry; the raw text when it was unusable, or
        with --full."""
        if call.reply is None or (self.full and call.text is not None):
            text = call.text or "(nothing)"
            excess = 0 if self.full else len(text) - MOST_RAW
            if excess <= 0:
                return text
            return f"{text[:MOST_RAW]}\n... {excess:,} more characters; --full shows them"
        lines = reply_lines(call.reply)
        if self.full:
            return "\n".join(lines)
        excess = len(lines) - SHOWN_LINES
        lines = [  # a list entry is cut to one line; reasons and summaries are never cut
            f"{line[: self.width - 3]}..."
            if line.startswith("- ") and len(line) > self.width
            else line
            for line in lines[:SHOWN_LINES]
        ]
        return "\n".join(
            (*lines, f"... {excess} more lines; --full shows them") if excess > 0 else lines
        )


def reply_lines(reply: Mapping[str, Any]) -> list[str]:
    """Return a reply as lines: `reason: ...`, or for a list of objects its name and a line for
    each."""
    lines = []
    for key, value in reply.items():
        name = key.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{name}:")
            for entry in value:
                parts = []
                for field, part in entry.items():
                    if part is not None and field not in ("type", "future_impact"):
                        parts.append(
                            scalar(part)
                            if field in BARE
                            else f"{field.replace('_', ' ')} {scalar(part)}"
                        )
                lines.append(f"- {' · '.join(parts)}")
        else:
            lines.append(f"{name}: {scalar(value)}")
    return lines


def blocks(values: TurnValues) -> Iterator[Block]:
    """Return the moves, the best first, and whether the one that was played was a mistake."""
    columns = (
        Column("rank", "", of=lambda value: str(value.rank)),
        Column("move", "move", of=lambda value: str(value.move)),
        Column("score", "score", number(1), of=lambda value: value.rollout),
        Column("difference", "difference", RIGHT, of=lambda value: _difference(value, values)),
        Column("at_once", "at once", SIGNED, of=lambda value: value.one_step),
        Column(
            "deals", "deals", INT, of=lambda value: None if value.rollout is None else value.deals
        ),
    )
    looks = tuple("strong" if value.move == values.played else "plain" for value in values.moves)
    yield Note(f"values   {values.basis}", "aside")
    yield listing("values", columns, values.moves, looks=looks)
    scores = [value.rollout for value in values.moves if value.rollout is not None]
    if scores and max(scores) > scores[0]:
        yield Note(
            "1 was best on fresh deals; a score from few deals may be higher by chance", "aside"
        )
    if values.mistake:
        yield Note(f"mistake  {values.mistake.text}", "error")
    elif values.played is None:
        yield Note("no move was played in this turn")
    else:
        yield Note("no mistake: no move was clearly better than the one that was played")


def _difference(value: MoveValue, values: TurnValues) -> str | None:
    played = values.of(values.played) if values.played else None
    if value.rollout is None:
        return None
    if value.move == values.played:
        return "played"
    if played is None or played.rollout is None:
        return None
    return f"{value.rollout - played.rollout:+.1f} (\N{PLUS-MINUS SIGN}{value.error:.1f})"
