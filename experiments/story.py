"""The story of a game, and of one turn: who was told what, who said what, what was verified, what was played."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import graphs
from experiments.board import picture
from experiments.terminal import fireworks, sureness, turn_line
from graphs.config import PROGRAM, GraphConfig
from graphs.context import OWN_PARTS
from graphs.prompting import asks, notes_of
from orchestrator.brain import Message, messages
from orchestrator.errors import UserError
from orchestrator.events import Call, Decided, Event, GameEnded, GameStarted, Moved, Result, Ruled, TurnStarted
from roles.words import outcome

SHOWN_LINES = 24
"""Lines of a reply that are shown unless everything is asked for."""
WIDTH = 100
"""Characters of an entry of a list that are shown unless everything is asked for."""


@dataclass(frozen=True)
class Turn:
    """The events of one turn; a game that broke off may end in an unfinished one."""

    started: TurnStarted
    events: tuple[Event, ...]

    @property
    def decided(self) -> Decided | None:
        return next((event for event in self.events if isinstance(event, Decided)), None)

    @property
    def moved(self) -> Moved | None:
        return next((event for event in self.events if isinstance(event, Moved)), None)

    @property
    def calls(self) -> list[Call]:
        return [event for event in self.events if isinstance(event, Call)]


@dataclass(frozen=True)
class Story:
    """A journal, turn by turn."""

    started: GameStarted
    turns: tuple[Turn, ...]
    result: Result | None

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Story":
        """Raises UserError when the events do not begin a game."""
        if not events or not isinstance(events[0], GameStarted):
            raise UserError("this journal does not begin with a game_started line, so it is not a game")
        turns: list[tuple[TurnStarted, list[Event]]] = []
        for event in events[1:]:
            if isinstance(event, TurnStarted):
                turns.append((event, []))
            elif turns and not isinstance(event, GameEnded):
                turns[-1][1].append(event)
        ended = events[-1]
        result = ended.result if isinstance(ended, GameEnded) else None
        return cls(events[0], tuple(Turn(started, tuple(of)) for started, of in turns), result)

    def turn(self, number: int) -> Turn:
        """Raises UserError when the game has no such turn."""
        if not 1 <= number <= len(self.turns):
            raise UserError(f"the game has turns 1 to {len(self.turns)}, not {number}")
        return self.turns[number - 1]

    def config(self, seat: int) -> GraphConfig | None:
        """The graph that sat there, as it was at this player count; None for a seat that is no graph."""
        data = self.started.seats[seat].config
        return graphs.at(GraphConfig.model_validate(data), self.started.players) if data else None


# A game


def tell_game(story: Story, console: Console) -> None:
    """Who played, a line a turn, the result."""
    console.print(_heading(story))
    for turn in story.turns:
        if turn.decided and turn.moved:
            line = turn_line(turn.started.view, turn.decided, turn.moved.past)
            if refused := [event for event in turn.events if isinstance(event, Ruled) and not event.accepted]:
                line.append(f"  {len(refused)} refused", style="yellow")
            console.print(line)
            console.print(Text(f"         {turn.decided.why}", style="dim italic"), soft_wrap=True)
        else:
            console.print(Text(f"{turn.started.turn:>3}  P{turn.started.seat}  broke off here", style="bold red"))
    console.print(summary(story.result) if story.result else Text("\nThe game is unfinished.", style="bold"))
    console.print(_asks(call for turn in story.turns for call in turn.calls))


def _heading(story: Story) -> Text:
    started = story.started
    deal = f"seed {started.seed}" if started.seed is not None else "a given deck"
    text = Text.assemble((f"{started.players} players, {deal}\n", "bold"))
    for seat, card in enumerate(started.seats):
        text.append(f"P{seat}  {card.graph} on {card.model}\n")
    return text


def summary(result: Result) -> Table:
    """How a game ended, in a small table."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    ends = {
        "perfect": "all fireworks complete",
        "deck_exhausted": "the deck ran out",
        "lives_lost": "the third life was lost",
        "max_turns": "stopped at the turn limit",
    }
    kept = f"  (kept: {result.score_kept})" if result.score_kept != result.score_strict else ""
    table.add_row("score", Text.assemble((str(result.score_strict), "bold"), f" of 25{kept}"))
    table.add_row("fireworks", fireworks(tuple(result.fireworks.values())))
    table.add_row("end", f"{ends[result.end]} after {result.turns} turns, {result.lives} lives left")
    if result.calls:
        used = f"{result.calls} calls, {result.tokens_in} tokens in, {result.tokens_out} out"
        table.add_row("model", f"{used}, {result.fallbacks} without a usable reply")
    if result.forced:
        table.add_row("forced", f"{result.forced} moves were the safest legal move, because no choice passed")
    return table


def _asks(calls: Iterable[Call]) -> Text:
    """What became of the asks of models; nothing for a game of programs."""
    counts = Counter(call.outcome for call in calls if call.text is not None)
    said = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    return Text(f"asks of models: {said}" if said else "every answer was a program's", style="dim")


# A turn


def tell_turn(story: Story, number: int, console: Console, *, full: bool = False) -> None:
    """The table as the seat saw it, each node in the order in which it answered, the verdicts, the move."""
    turn = story.turn(number)
    seat = turn.started.seat
    card = story.started.seats[seat]
    config = story.config(seat)
    console.print(Text(f"turn {number} of {len(story.turns)}: P{seat}, {card.graph} on {card.model}", style="bold"))
    console.print(picture(turn.started.view))
    prompts = _prompts(config, turn)
    judges = {event.node for event in turn.events if isinstance(event, Ruled)}
    for event in _in_order(config, turn.events):
        if isinstance(event, Call) and not (event.node in judges and event.model == PROGRAM):
            console.print(_call(event, prompts.get(event.node, ()), _heard(config, event), full=full))
        elif isinstance(event, Ruled):
            console.print(_ruled(event))
    console.print(_ending(turn))


def _in_order(config: GraphConfig | None, events: Iterable[Event]) -> list[Call | Ruled]:
    """Calls and verdicts attempt by attempt, in the order of the config: nodes that ran together finish in any."""
    nodes = list(config.nodes) if config else []

    def place(event: Call | Ruled) -> tuple[int, int, bool]:
        node, _, attempt = event.node.partition("-")
        return int(attempt or 1), nodes.index(node) if node in nodes else len(nodes), isinstance(event, Ruled)

    return sorted((event for event in events if isinstance(event, Call | Ruled)), key=place)


def _prompts(config: GraphConfig | None, turn: Turn) -> Mapping[str, tuple[Message, ...]]:
    """The prompt of every node of the turn: programs' too, rendered from what they were told."""
    if config is None:
        return {}
    made = asks(config, turn.started.view, notes_of(config, turn.events))
    return {node: messages(ask.parts) for node, ask in made.items()}


def _heard(config: GraphConfig | None, call: Call) -> tuple[str, ...]:
    """Whose notes the node read."""
    base = call.node.partition("-")[0]
    return config.nodes[base].reads if config and base in config.nodes else ()


def _call(call: Call, rendered: tuple[Message, ...], heard: Sequence[str], *, full: bool) -> RenderableType:
    told = call.messages or rendered
    title = Text.assemble((f"\n{call.node}", "bold cyan"))
    role = "" if call.role == call.node else f"{call.role}, "
    sample = f", sample {call.sample}" if call.sample else ""
    title.append(f"  ({role}{call.model}{sample}{_cost(call)})", style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    if sections := [span.name for message in told for span in message.spans if span.name not in OWN_PARTS]:
        grid.add_row("told", ", ".join(sections))
    if heard:
        grid.add_row("heard", ", ".join(heard))
    if full:
        for message in told:
            grid.add_row(message.role, Text(message.content))
    grid.add_row("said", Text(_said(call, full=full)))
    if call.outcome != "ok":
        grid.add_row(
            "", Text(f"{_OUTCOMES[call.outcome]}: {call.error}" if call.error else call.outcome, style="yellow")
        )
    return Group(title, Padding(grid, (0, 0, 0, 2)))


_OUTCOMES = {"reasked": "unusable, asked again", "fallback": "unusable, so this node is absent", "repaired": "mended"}


def _cost(call: Call) -> str:
    if call.text is None:
        return ""
    return f", {call.tokens_in} tokens in, {call.tokens_out} out, {call.latency_s:.2f} s"


def _said(call: Call, *, full: bool) -> str:
    """The reply, a line an entry; as it came when it was unusable, or when everything is asked for."""
    if call.reply is None or (full and call.text is not None):
        lines = (call.text or "").splitlines() or ["(nothing)"]
    else:
        lines = [line for key, value in call.reply.items() for line in _field(key, value)]
        lines = lines if full else [_clipped(line) for line in lines]
    if full or len(lines) <= SHOWN_LINES:
        return "\n".join(lines)
    return "\n".join((*lines[:SHOWN_LINES], f"... {len(lines) - SHOWN_LINES} more lines; --full shows them"))


def _clipped(line: str) -> str:
    """An entry of a list on one line; reasons and summaries are never cut."""
    return f"{line[: WIDTH - 3]}..." if line.startswith("- ") and len(line) > WIDTH else line


def _field(key: str, value: Any) -> list[str]:
    """`reason: ...`, or for a list of objects its name and a line for each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [f"{key}:", *("- " + " · ".join(_scalar(v) for v in one.values() if v is not None) for one in value)]
    return [f"{key}: {_scalar(value)}"]


def _scalar(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_scalar(inner) for inner in value) or "none"
    return f"{value:.2f}" if isinstance(value, float) else "none" if value is None else str(value)


def _ruled(ruled: Ruled) -> Text:
    text = Text.assemble((f"\n{ruled.node}  ", "bold cyan"))
    text.append("accepts " if ruled.accepted else "refuses ", style="bold green" if ruled.accepted else "bold red")
    return text.append(f"{ruled.move}: {ruled.why}")


def _ending(turn: Turn) -> Text:
    if not turn.decided:
        return Text("\nThe game broke off before a decision.", style="bold red")
    decided = turn.decided
    sure = sureness(turn.started.view, decided.move)
    text = Text.assemble(("\ndecided  ", "bold"), (str(decided.move), "bold cyan"), f"  ({sure})" if sure else "")
    text.append("  FORCED" if decided.forced else "", style="bold magenta")
    text.append(f"\n         {decided.why}", style="italic")
    if turn.moved:
        past = turn.moved.past
        after = f"score {sum(past.fireworks)}, tokens {past.tokens}, lives {past.lives}"
        text.append(f"\nplayed   {past.move}{outcome(past)}; {after}")
    return text


# As data


def as_data(story: Story, number: int | None) -> dict[str, Any]:
    """A game or a turn as plain data, for `--json`."""
    if number is not None:
        turn = story.turn(number)
        return {"turn": number, "events": [event.model_dump(mode="json") for event in (turn.started, *turn.events)]}
    return {
        "started": story.started.model_dump(mode="json"),
        "turns": [
            {
                "turn": turn.started.turn,
                "seat": turn.started.seat,
                "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
                "moved": turn.moved.model_dump(mode="json") if turn.moved else None,
            }
            for turn in story.turns
        ],
        "result": story.result.model_dump(mode="json") if story.result else None,
    }
