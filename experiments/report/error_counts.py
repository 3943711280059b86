"""What became of the errors of simulated models, counted over the journals of a run, with a column
for each arm."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.analysis.statistics.estimates import standard_error
from hanabi_orchestrator.experiments.document.blocks import Column, Table, table
from hanabi_orchestrator.experiments.document.formats import RIGHT
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.lines import USABLE
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.graphs.attempts import attempts, role_node
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, Play
from hanabi_orchestrator.orchestrator.journal.events import Memory, VerdictGiven
from hanabi_orchestrator.orchestrator.models.simulated_settings import among
from hanabi_orchestrator.orchestrator.regular_files import below
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Choice

HARMLESS = {"malformed", "rating_mismatch"}
"""Errors that do not change the move."""
INTERPRETER = "interpret"
"""The node whose influence on choices is counted."""
LABELS: Mapping[str, str] = {
    "refused rightly, after an error": "refused rightly: error in the choice",
    "refused rightly, after none": "refused rightly: no error injected",
    "refused wrongly": "refused wrongly: error of the judge",
    "misplays after an error": "misplays: error in the choice",
}
"""The titles of some of the counts, whose own names are the keys of the data."""


@dataclass
class ErrorCounts:
    """The games of an arm, and what was counted in them."""

    simulated: bool = False
    strict: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    injected: Counter[str] = field(default_factory=Counter)
    """Injected errors by kind, in all responses."""
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, story: Game) -> None:
        """Count a finished game."""
        assert story.result is not None
        self.simulated |= bool(among(story.result.model))
        self.strict.append(story.result.score_strict)
        self.kept.append(story.result.score_kept)
        for name in ("turns", "calls", "repaired", "reasked", "fallbacks", "forced"):
            self.counts[name] += getattr(story.result, name)
        self.counts["struck out"] += story.result.end == "lives_lost"
        for number, turn in enumerate(story.turns, 1):
            kinds = []
            for call in turn.calls:
                for kind in call.injected:
                    kinds.append(kind)
            self.injected.update(kinds)
            self.counts.update(count_turn(turn))
            if (config := story.config(turn.seat, turn.number)) and INTERPRETER in config.nodes:
                self.counts.update(count_changes(config, turn, story.memory(number)))


def count_turn(turn: Turn) -> Counter[str]:
    """Count the choices of a turn that judges refused, rightly or wrongly, and the lives that its
    errors cost."""
    calls = {call.node: call for call in turn.calls if call.outcome in USABLE}
    counts: Counter[str] = Counter()
    for verdict in (
        event for event in turn.events if isinstance(event, VerdictGiven) and not event.accepted
    ):
        attempt = verdict.node.partition("-")[2]
        answers = (
            call
            for node, call in calls.items()
            if node.partition("-")[2] == attempt and node != verdict.node
        )
        judged = (
            call for call in answers if call.reply and call.reply.get("action") == str(verdict.move)
        )
        if choice := next(judged, None):
            judge = calls.get(verdict.node)
            wrongly = judge is not None and "wrong_refusal" in judge.injected
            if set(choice.injected) - HARMLESS:
                after = "after an error"
            else:
                after = "after none"
            counts.update(
                ("refused", "refused wrongly" if wrongly else f"refused rightly, {after}")
            )
    if (
        turn.moved
        and isinstance(turn.moved.past.move, Play)
        and not turn.moved.past.scored
        and turn.decided
    ):
        counts["misplays"] += 1
        deciding = calls.get(turn.decided.node or "")
        counts["misplays after an error"] += bool(deciding and set(deciding.injected) - HARMLESS)
    return counts


def count_changes(config: GraphConfig, turn: Turn, memory: Memory) -> Counter[str]:
    """Count whether the interpreter's output changes what the deciding program chooses in its first
    attempt."""
    notes = notes_of(config, turn.events)
    without = {node: note for node, note in notes.items() if node != INTERPRETER}
    first, second = (choice(config, turn, each, memory) for each in (notes, without))
    return Counter(
        {
            "choices": first is not None,
            "changed by the interpreter": first is not None and first != second,
        }
    )


def choice(config: GraphConfig, turn: Turn, notes: Notes, memory: Memory) -> Move | None:
    """Return what the program of the deciding node chooses without errors; None where the role has
    no program."""
    node = role_node(config, config.decides, attempts(config)[0])
    if node.role.solve is None:
        return None
    reply = node.role.solve(node.sections(turn.view, notes, memory), node.notes_read(notes))
    if isinstance(reply, Choice):
        move: Move = reply.action
        return move
    return None


def count_games(folder: Path) -> ErrorCounts:
    """Count over the finished games of a folder of journals."""
    counts = ErrorCounts()
    for path in below(folder, "*.jsonl"):
        story = Game.open(path)
        if story.result is not None:
            counts.add(story)
    return counts


def count_run(run: Path) -> dict[str, ErrorCounts]:
    """Count by arm, over a run folder. Raises UserError when it is not one."""
    if not (run / RUN).exists():
        raise UserError(f"{str(run)!r} is not a run folder: there is no {RUN} in it")
    return {arm: count_games(run / GAMES / arm) for arm in run_folder.run(run)["arms"]}


def data(arms: Mapping[str, ErrorCounts]) -> dict[str, dict[str, Any]]:
    """Return the counts as plain data."""
    return {arm: dict(vars(counts)) for arm, counts in arms.items()}


def block(arms: Mapping[str, ErrorCounts]) -> Table:
    """Return a table with a row for each count and a column for each arm."""
    all_counts = list(arms.values())
    rows = {
        "games": [str(len(counts.strict)) for counts in all_counts],
        "score, strict": [_mean(counts.strict) for counts in all_counts],
        "score, kept": [_mean(counts.kept) for counts in all_counts],
    }
    for name in dict.fromkeys(chain.from_iterable(counts.counts for counts in all_counts)):
        rows[LABELS.get(name, name)] = [str(counts.counts[name]) for counts in all_counts]
    kinds = chain.from_iterable(sorted(counts.injected) for counts in all_counts)
    for kind in dict.fromkeys(kinds):
        rows[f"injected: {kind}"] = [str(counts.injected[kind]) for counts in all_counts]
    columns = [Column("count", "arm", constant=True, unbroken=True)]
    for arm, counts in arms.items():
        title = f"{arm} (simulated)" if counts.simulated else arm
        columns.append(Column(arm, title, RIGHT))
    return table("errors", columns, [(name, *cells) for name, cells in rows.items()])


def _mean(scores: list[int]) -> str:
    """Return `12.34 ± 0.56`: the mean and its standard error."""
    error = standard_error(scores)
    if scores:
        return f"{fmean(scores):.2f}{'' if error is None else f' ± {error:.2f}'}"
    return "-"
