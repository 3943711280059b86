"""`show GAME`: a game told from its journal, a line for each turn, and the result."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.show.terminal import (
    fake_warning,
    fireworks,
    slips,
    turn_line,
    warning,
    who,
)
from hanabi_orchestrator.experiments.values.looks import costliest
from hanabi_orchestrator.experiments.values.move_values import Mistake
from hanabi_orchestrator.experiments.values.position import pack_of
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Result
from hanabi_orchestrator.orchestrator.journal.move_origins import origins
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.orchestrator.models.simulated_settings import among
from hanabi_orchestrator.roles.words import many


def print_game(
    story: Game, console: Console, mistakes: Mapping[int, Mistake] | None = None
) -> None:
    """Print the seats, a line for each turn, the result. `mistakes`: by turn; None where nobody
    looked for them."""
    mistakes = mistakes or {}
    console.print(_heading(story))
    events: list[Event] = [story.started]
    calls = list[Call]()
    for turn in story.turns:
        events += turn.events
        calls += turn.calls
    causes = {origin.turn: origin for origin in origins(events)}
    for turn in story.turns:
        if turn.decided and turn.moved:
            cause = causes.get(turn.decided.turn)
            pack = pack_of(story, turn.seat, turn.number)
            console.print(
                turn_line(turn.view, turn.decided, turn.moved.past, cause, console.width, pack)
            )
            if turn.decided.why:
                console.print(
                    Text(f"         {turn.decided.why}", style="dim italic"), soft_wrap=True
                )
            if errors := slips(turn.calls):
                console.print(
                    Text(f"         simulated errors: {errors}", style="magenta"), soft_wrap=True
                )
            if mistake := mistakes.get(turn.number):
                console.print(
                    Text(f"         mistake: {mistake.text}", style="bold red"), soft_wrap=True
                )
        else:
            console.print(Text(f"{turn.number:>3}  P{turn.seat}  stopped here", style="bold red"))
        for reason, times in Counter(halt.why for halt in turn.suspensions).items():
            often = f" ({times} times)" if times > 1 else ""
            console.print(
                Text(f"         suspended{often}: {reason}", style="yellow"), soft_wrap=True
            )
    console.print(
        summary(story.result) if story.result else Text("\nThe game is unfinished.", style="bold")
    )
    calls = []
    for turn in story.turns:
        for call in turn.calls:
            calls.append(call)
    console.print(_calls(calls))


def print_mistakes(mistakes: Mapping[int, Mistake], path: Path, screen: Console) -> None:
    """Print the mistakes of a game, the costliest first, and the command that shows that turn."""
    if not mistakes:
        screen.print("\nno mistakes: no move was clearly worse than another one")
        return
    ranked = sorted(mistakes.values(), key=lambda mistake: -mistake.loss)
    screen.print(Text("\nmistakes, the costliest first", style="bold"))
    for mistake in ranked:
        screen.print(
            Text(f"{mistake.turn:>3}  P{mistake.seat}  {mistake.move}: {mistake.text}"),
            soft_wrap=True,
        )
    screen.print(
        Text(
            f"\nnext     orchestrator show {path} --turn {ranked[0].turn} --mistakes", style="dim"
        ),
        soft_wrap=True,
    )


def _heading(story: Game) -> Text:
    started = story.started
    text = Text.assemble((f"{started.players} players, {started.deal}\n", "bold"))
    for seat, card in enumerate(started.seats):
        text.append(f"P{seat}  {who(card)}\n")
    if (parent := started.parent) is not None:
        text.append(f"forked from {parent.journal} at turn {parent.turn}")
        text.append("".join(f"; P{seat} was {who(card)}" for seat, card in parent.seats.items()))
        text.append("".join(f"; the note of {node} was changed" for node in parent.edits))
        text.append("\n")
    return text


def summary(result: Result) -> Table:
    """Return the result of a game as a small table."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    if result.score_kept != result.score_strict:
        points = f"  (kept: {result.score_kept})"
    else:
        points = ""
    score = Text.assemble((str(result.score_strict), "bold"), f" of 25{points}")
    if result.mostly_forced:
        score.append(f"  {result.mostly_forced}", "bold magenta")
    table.add_row("score", score)
    table.add_row("fireworks", fireworks(tuple(result.fireworks.values())))
    table.add_row("end", result.ending)
    if line := warning(result.model):
        table.add_row("", line)
    if result.fake:
        table.add_row("", fake_warning())
    if result.calls:
        costless = among(result.model) and not result.tokens_in
        table.add_row(
            "model", f"{result.calls} calls at no cost" if costless else spent(result.model_dump())
        )
        counts = {
            "repaired": result.repaired,
            "retried": result.reasked,
            "without a usable response": result.fallbacks,
            "transport errors": result.faults,
        }
        failures = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
        table.add_row("responses", failures or "all usable at once")
    if result.forced:
        table.add_row("forced", result.some_forced)
    for name, words in _origins(result):
        table.add_row(name, words)
    return table


def _origins(result: Result) -> Iterator[tuple[str, str]]:
    """Return what else is to be known of how the moves came about."""
    if result.second_ask:
        yield "second ask", f"{many(result.second_ask, 'move')} read from a second answer"
    if result.copied:
        if result.copied_moves:
            moves = f"; {many(result.copied_moves, 'move')} read from them"
        else:
            moves = ""
        yield (
            "copied",
            f"{many(result.copied, 'answer')} that repeat the example of the prompt{moves}",
        )
    if result.refused:
        if result.refused_by_rule:
            rule = f", {result.refused_by_rule} by the safety rule"
        else:
            rule = ""
        yield (
            "refused",
            f"{many(result.refused, 'choice')} in {many(result.refused_turns, 'turn')}{rule}",
        )
        yield (
            "",
            "the first choices would have cost "
            f"{many(result.first_misplays, 'life', 'lives')} and scored "
            f"{many(result.first_points, 'point')} at once; the moves played instead cost "
            f"{result.played_misplays} and scored {result.played_points}",
        )


def print_result(
    result: Result, path: Path, screen: Console, *, again: bool, turn: int | None = None
) -> None:
    """Print the result, and which command to use next."""
    screen.print(summary(result))
    print_next(path, screen, again=again, turn=turn)


def print_next(path: Path, screen: Console, *, again: bool, turn: int | None = None) -> None:
    """Print where the game is, and the command that shows a turn: by default the one to look at
    first, with the reason."""
    number, why = (turn, "") if turn else costliest(Game.open(path))
    screen.print(Text(f"\njournal  {path}"))
    if again:
        screen.print(Text("         played before; --force-new plays it again", style="dim"))
    reason = f"  # {why}" if why else ""
    screen.print(
        Text(f"next     orchestrator show {path} --turn {number}{reason}", style="dim"),
        soft_wrap=True,
    )


USED = (
    "calls",
    "tokens_in",
    "tokens_out",
    "cached_tokens",
    "reasoning_tokens",
    "cache_hits",
    "usd",
)
"""The totals of a game that say what it has used; `usd` is None where a price is not known."""


def totals(path: Path) -> dict[str, Any]:
    """Return what a game has used so far, counted from its journal; nothing where there is none."""
    ledger = Ledger()
    for event in journal.read(path) if path.exists() else ():
        ledger(event)
    return {name: ledger.stated[name] for name in USED}


def spent(used: Mapping[str, Any]) -> str:
    """Return calls, tokens and money of a game, from the totals in `USED`."""
    if used["cached_tokens"]:
        cached = f" ({used['cached_tokens']} cached by the provider)"
    else:
        cached = ""
    if used["reasoning_tokens"]:
        thought = f" ({used['reasoning_tokens']} of reasoning)"
    else:
        thought = ""
    if used["cache_hits"]:
        hits = f", {used['cache_hits']} answers from a cache or a record"
    else:
        hits = ""
    if used["usd"] is not None:
        usd = f", ${used['usd']:.4f}"
    else:
        usd = ""
    return (
        f"{used['calls']} calls, {used['tokens_in']} tokens in{cached}, {used['tokens_out']} "
        f"out{thought}{usd}{hits}"
    )


def _calls(calls: Iterable[Call]) -> Text:
    """Return the outcomes of the model calls, and the transport errors; a sentence for a game of
    programs."""
    calls = [call for call in calls if call.of_model]
    if not calls:
        return Text("no model was asked: all nodes were programs", style="dim")
    outcomes = sorted(Counter(call.outcome for call in calls).items())
    errors = []
    for call in calls:
        for attempt in call.attempts:
            if attempt.error:
                errors.append(attempt.error)
    faults = Counter(errors)
    lines = [f"model calls: {', '.join(f'{number} {name}' for name, number in outcomes)}"]
    lines += [f"{number} x the model server {fault}" for fault, number in faults.most_common()]
    return Text("\n".join(lines), style="dim")


def as_data(story: Game, mistakes: Mapping[int, Mistake] | None = None) -> dict[str, Any]:
    """Return a game as plain data, for `--json`; with mistakes where somebody looked for them."""
    by_turn = mistakes or {}
    turns = []
    for turn in story.turns:
        row = {
            "turn": turn.number,
            "seat": turn.seat,
            "decided": turn.decided.model_dump(mode="json") if turn.decided else None,
            "moved": turn.moved.model_dump(mode="json") if turn.moved else None,
        }
        if turn.number in by_turn:
            row["mistake"] = by_turn[turn.number].model_dump(mode="json")
        turns.append(row)
    return {
        "started": story.started.model_dump(mode="json"),
        "turns": turns,
        "result": story.result.model_dump(mode="json") if story.result else None,
    }
