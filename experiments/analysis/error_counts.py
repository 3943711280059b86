"""What became of the errors of simulated models, counted over the journals of a run, with a column for each arm."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from experiments.analysis.labels import labelled
from experiments.document.terminal import plain_table
from experiments.record import run_folder
from experiments.record.rows import GAMES
from experiments.record.run_folder import RUN
from experiments.record.story import Story, StoryTurn
from experiments.statistics.estimates import standard_error
from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.recorded_notes import notes_of
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.hanabi.moves import Move, Play
from orchestrator.journal.events import Call, Memory, VerdictGiven
from orchestrator.models.simulated_settings import among
from roles.notes_text import Notes
from roles.reply_types import Choice

HARMLESS = {"malformed", "rating_mismatch"}
"""Errors that do not change the move."""
USED = ("ok", "repaired")
"""Outcomes of responses that were used."""
LABELS: Mapping[str, str] = {
    "refused rightly, after an error": "refused rightly: error in the choice",
    "refused rightly, after none": "refused rightly: no error injected",
    "refused wrongly": "refused wrongly: error of the judge",
    "misplays after an error": "misplays: error in the choice",
}
"""How the table calls some of the counts, whose own names are the keys of the data."""


@dataclass
class ErrorCounts:
    """The games of an arm, and what was counted in them."""

    simulated: bool = False
    strict: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    injected: Counter[str] = field(default_factory=Counter)
    """Injected errors by kind, in all responses."""
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, story: Story, interpreter: str) -> None:
        """Count a finished game."""
        assert story.result is not None
        self.simulated |= bool(among(story.result.model))
        self.strict.append(story.result.score_strict)
        self.kept.append(story.result.score_kept)
        for name in ("turns", "calls", "repaired", "reasked", "fallbacks", "forced"):
            self.counts[name] += getattr(story.result, name)
        self.counts["struck out"] += story.result.end == "lives_lost"
        for number, turn in enumerate(story.turns, 1):
            self.injected.update(kind for call in turn.calls for kind in call.injected)
            self.counts.update(count_turn(turn))
            if (config := story.config(turn.started.seat, turn.started.turn)) and interpreter in config.nodes:
                self.counts.update(count_changes(config, turn, story.memory(number), interpreter))


def mean(values: list[int]) -> str:
    """`12.34 ± 0.56`: the mean and its standard error."""
    if not values:
        return "-"
    error = standard_error(values)
    return f"{fmean(values):.2f}" + ("" if error is None else f" ± {error:.2f}")


def count_turn(turn: StoryTurn) -> Counter[str]:
    """Whether judges refused the choices of a turn, rightly or wrongly, and whether its errors cost a life."""
    used = {call.node: call for call in turn.calls if call.outcome in USED}
    found: Counter[str] = Counter()
    for verdict in (event for event in turn.events if isinstance(event, VerdictGiven)):
        chosen = _chosen(used, verdict)
        if chosen is None or verdict.accepted:
            continue
        found.update(("refused", f"refused {_cause(chosen, used.get(verdict.node))}"))
    if turn.moved and isinstance(turn.moved.past.move, Play) and not turn.moved.past.scored and turn.decided:
        found["misplays"] += 1
        deciding = used.get(turn.decided.node or "")
        found["misplays after an error"] += bool(deciding and set(deciding.injected) - HARMLESS)
    return found


def _cause(chosen: Call, judge: Call | None) -> str:
    """Why a move was refused: an error of the judge, an error of the node that chose it, or neither."""
    if judge and "wrong_refusal" in judge.injected:
        return "wrongly"
    return "rightly, after an error" if set(chosen.injected) - HARMLESS else "rightly, after none"


def _chosen(used: Mapping[str, Call], verdict: VerdictGiven) -> Call | None:
    """The response whose move was judged."""
    attempt = verdict.node.partition("-")[2]
    there = (call for node, call in used.items() if node.partition("-")[2] == attempt and node != verdict.node)
    return next((call for call in there if call.reply and call.reply.get("action") == str(verdict.move)), None)


def count_changes(config: GraphConfig, turn: StoryTurn, memory: Memory, interpreter: str) -> Counter[str]:
    """Whether the interpreter's output changes what the deciding program chooses in its first attempt."""
    notes = notes_of(config, turn.events)
    without = {node: found for node, found in notes.items() if node != interpreter}
    first, second = (choice(config, turn, given, memory) for given in (notes, without))
    changed = first is not None and first != second
    return Counter({"choices": first is not None, "changed by the interpreter": changed})


def choice(config: GraphConfig, turn: StoryTurn, notes: Notes, memory: Memory) -> Move | None:
    """What the program of the deciding node chooses without errors; None where the role has no program."""
    node = role_node(config, config.decides, attempts(config)[0])
    if node.role.solve is None:
        return None
    reply = node.role.solve(node.sections(turn.started.view, notes, memory), node.notes_read(notes))
    return reply.action if isinstance(reply, Choice) else None


def count_games(folder: Path, interpreter: str = "interpret") -> ErrorCounts:
    """Over the finished games of a folder of journals."""
    made = ErrorCounts()
    for path in sorted(folder.glob("*.jsonl")):
        story = Story.read(journal.read(path))
        if story.result is not None:
            made.add(story, interpreter)
    return made


def count_run(run: Path) -> dict[str, ErrorCounts]:
    """By arm, over a run folder. Raises UserError when it is not one."""
    if not (run / RUN).exists():
        raise UserError(f"{str(run)!r} is not a run folder: there is no {RUN} in it")
    arms = run_folder.run(run)["arms"]
    return {arm: count_games(run / GAMES / arm) for arm in arms}


def data(arms: Mapping[str, ErrorCounts]) -> dict[str, dict[str, Any]]:
    return {arm: dict(vars(found)) for arm, found in arms.items()}


def show(arms: Mapping[str, ErrorCounts], console: Console) -> None:
    """A row for each count, a column for each arm."""
    names = [labelled(arm, found.simulated) for arm, found in arms.items()]
    table = plain_table("arm", *names, words=("arm",), fixed=("arm",))
    for name, cells in rows(arms.values()):
        table.add_row(name, *cells)
    console.print(table)


def rows(arms: Collection[ErrorCounts]) -> Iterator[tuple[str, list[str]]]:
    """The name of each row, and its cells by arm."""
    yield "games", [str(len(one.strict)) for one in arms]
    yield "score, strict", [mean(one.strict) for one in arms]
    yield "score, kept", [mean(one.kept) for one in arms]
    for name in dict.fromkeys(name for one in arms for name in one.counts):
        yield LABELS.get(name, name), [str(one.counts[name]) for one in arms]
    for kind in dict.fromkeys(kind for one in arms for kind in sorted(one.injected)):
        yield f"injected: {kind}", [str(one.injected[kind]) for one in arms]
