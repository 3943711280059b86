"""What became of the errors of simulated models, counted over the journals of a run: an arm a column."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.results import run_folder
from experiments.results.rows import GAMES
from experiments.results.run_folder import RUN
from experiments.results.story import Story, StoryTurn
from experiments.statistics.estimates import standard_error
from experiments.statistics.labels import labelled
from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.prompting import notes_of
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.hanabi.moves import Move, Play
from orchestrator.journal.events import Call, Memory, VerdictGiven
from orchestrator.models.simulated import among
from roles import Notes
from roles.replies import Choice

HARMLESS = {"malformed", "rating_mismatch"}
"""Errors that do not change the move."""
USED = ("ok", "repaired")
"""Outcomes of answers that reached somebody."""


@dataclass
class Tally:
    """One arm's games, and what was counted in them."""

    simulated: bool = False
    strict: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    injected: Counter[str] = field(default_factory=Counter)
    """By kind, in all answers."""
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
            self.counts.update(of_turn(turn))
            if (config := story.config(turn.started.seat)) and interpreter in config.nodes:
                self.counts.update(of_mind(config, turn, story.memory(number), interpreter))


def mean(values: list[int]) -> str:
    """`12.34 ± 0.56`: the mean and its standard error."""
    if not values:
        return "-"
    error = standard_error(values)
    return f"{fmean(values):.2f}" + ("" if error is None else f" ± {error:.2f}")


def of_turn(turn: StoryTurn) -> Counter[str]:
    """What the judges made of a turn's choices, and whether its errors cost a life."""
    used = {call.node: call for call in turn.calls if call.outcome in USED}
    found: Counter[str] = Counter()
    for ruled in (event for event in turn.events if isinstance(event, VerdictGiven)):
        chosen = _chosen(used, ruled)
        if chosen is None or ruled.accepted:
            continue
        found.update(("refused", f"refused {_cause(chosen, used.get(ruled.node))}"))
    if turn.moved and isinstance(turn.moved.past.move, Play) and not turn.moved.past.scored and turn.decided:
        found["misplays"] += 1
        deciding = used.get(turn.decided.node or "")
        found["misplays after an error"] += bool(deciding and set(deciding.injected) - HARMLESS)
    return found


def _cause(chosen: Call, judge: Call | None) -> str:
    """Why a move was refused: by a judge's error, for an error of who chose it, or for neither."""
    if judge and "wrong_refusal" in judge.injected:
        return "wrongly"
    return "rightly, after an error" if set(chosen.injected) - HARMLESS else "rightly, after none"


def _chosen(used: Mapping[str, Call], ruled: VerdictGiven) -> Call | None:
    """The answer whose move was judged."""
    attempt = ruled.node.partition("-")[2]
    there = (call for node, call in used.items() if node.partition("-")[2] == attempt and node != ruled.node)
    return next((call for call in there if call.reply and call.reply.get("action") == str(ruled.move)), None)


def of_mind(config: GraphConfig, turn: StoryTurn, memory: Memory, interpreter: str) -> Counter[str]:
    """Whether the interpreter's note changes what the deciding program chooses in its first attempt."""
    notes = notes_of(config, turn.events)
    without = {node: said for node, said in notes.items() if node != interpreter}
    first, second = (choice(config, turn, heard, memory) for heard in (notes, without))
    changed = first is not None and first != second
    return Counter({"choices": first is not None, "changed by the interpreter": changed})


def choice(config: GraphConfig, turn: StoryTurn, notes: Notes, memory: Memory) -> Move | None:
    """What the program of the deciding node chooses, free of error; None where it has none."""
    node = role_node(config, config.decides, attempts(config)[0])
    if node.role.solve is None:
        return None
    reply = node.role.solve(node.sections(turn.started.view, notes, memory), node.notes_read(notes))
    return reply.action if isinstance(reply, Choice) else None


def tally(folder: Path, interpreter: str = "interpret") -> Tally:
    """Over the finished games of a folder."""
    made = Tally()
    for path in sorted(folder.glob("*.jsonl")):
        story = Story.read(journal.read(path))
        if story.result is not None:
            made.add(story, interpreter)
    return made


def tallies(run: Path) -> dict[str, Tally]:
    """By arm, of a run's folder. Raises UserError for a folder that is none."""
    if not (run / RUN).exists():
        raise UserError(f"{str(run)!r} is no run's folder: there is no {RUN} in it")
    arms = run_folder.run(run)["arms"]
    return {arm: tally(run / GAMES / arm) for arm in arms}


def data(arms: Mapping[str, Tally]) -> dict[str, dict[str, Any]]:
    return {arm: dict(vars(found)) for arm, found in arms.items()}


def show(arms: Mapping[str, Tally], console: Console) -> None:
    """A row a figure, a column an arm."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("arm", no_wrap=True)
    for arm, found in arms.items():
        table.add_column(labelled(arm, found.simulated), justify="right")
    for name, cells in rows(arms.values()):
        table.add_row(name, *cells)
    console.print(table)


def rows(arms: Collection[Tally]) -> Iterator[tuple[str, list[str]]]:
    """Figures by their names; each has a cell for every arm."""
    yield "games", [str(len(one.strict)) for one in arms]
    yield "score, strict", [mean(one.strict) for one in arms]
    yield "score, kept", [mean(one.kept) for one in arms]
    for name in dict.fromkeys(name for one in arms for name in one.counts):
        yield name, [str(one.counts[name]) for one in arms]
    for kind in dict.fromkeys(kind for one in arms for kind in sorted(one.injected)):
        yield f"injected: {kind}", [str(one.injected[kind]) for one in arms]
