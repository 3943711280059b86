"""What became of the errors of simulated models, counted over journals: an arm a folder.

`python -m experiments.sim_table --graph cac --graph cac_generator --model sim:average --games 100 --out DIR` plays
what is missing (HLE's deals of seeds 1 to N) and prints a table in Markdown.
"""

import argparse
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import graphs
from experiments.story import Story, Turn
from experiments.terminal import on
from graphs.build import attempts, role_node
from graphs.config import GraphConfig
from graphs.prompting import notes_of
from orchestrator import journal
from orchestrator.events import Call, Ruled
from orchestrator.moves import Move, Play
from orchestrator.seat import Memory
from orchestrator.table import play
from roles import Notes
from roles.replies import Choice

HARMLESS = {"malformed", "rating_mismatch"}
"""Errors that do not change the move."""
USED = ("ok", "repaired")
"""Outcomes of answers that reached somebody."""


@dataclass
class Tally:
    """One arm's games, and what was counted in them."""

    strict: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    injected: Counter[str] = field(default_factory=Counter)
    """By kind, in all answers."""
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, story: Story, interpreter: str) -> None:
        """Count a finished game."""
        assert story.result is not None
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
    error = statistics.stdev(values) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{statistics.mean(values):.2f} ± {error:.2f}"


def of_turn(turn: Turn) -> Counter[str]:
    """What the judges made of a turn's choices, and whether its errors cost a life."""
    used = {call.node: call for call in turn.calls if call.outcome in USED}
    found: Counter[str] = Counter()
    for ruled in (event for event in turn.events if isinstance(event, Ruled)):
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


def _chosen(used: Mapping[str, Call], ruled: Ruled) -> Call | None:
    """The answer whose move was judged."""
    attempt = ruled.node.partition("-")[2]
    there = (call for node, call in used.items() if node.partition("-")[2] == attempt and node != ruled.node)
    return next((call for call in there if call.reply and call.reply.get("action") == str(ruled.move)), None)


def of_mind(config: GraphConfig, turn: Turn, memory: Memory, interpreter: str) -> Counter[str]:
    """Whether the interpreter's note changes what the deciding program chooses in its first attempt."""
    notes = notes_of(config, turn.events)
    without = {node: said for node, said in notes.items() if node != interpreter}
    first, second = (choice(config, turn, heard, memory) for heard in (notes, without))
    changed = first is not None and first != second
    return Counter({"choices": first is not None, "changed by the interpreter": changed})


def choice(config: GraphConfig, turn: Turn, notes: Notes, memory: Memory) -> Move | None:
    """What the program of the deciding node chooses, free of error; None where it has none."""
    node = role_node(config, config.decides, attempts(config)[0])
    if node.role.solve is None:
        return None
    reply = node.role.solve(node.told(turn.started.view, notes, memory), node.hears(notes))
    return reply.action if isinstance(reply, Choice) else None


def tally(folder: Path, interpreter: str = "interpret") -> Tally:
    """Over the finished games of a folder."""
    made = Tally()
    for path in sorted(folder.glob("*.jsonl")):
        story = Story.of(journal.read(path))
        if story.result is not None:
            made.add(story, interpreter)
    return made


def table(arms: Mapping[str, Tally]) -> str:
    """Markdown: a row a figure, a column an arm."""
    rows: dict[str, list[str]] = {"arm": list(arms), "games": [str(len(one.strict)) for one in arms.values()]}
    rows["score, strict"] = [mean(one.strict) for one in arms.values()]
    rows["score, kept"] = [mean(one.kept) for one in arms.values()]
    names = dict.fromkeys(name for one in arms.values() for name in one.counts)
    rows |= {name: [str(one.counts[name]) for one in arms.values()] for name in names}
    kinds = dict.fromkeys(kind for one in arms.values() for kind in sorted(one.injected))
    rows |= {f"injected: `{kind}`": [str(one.injected[kind]) for one in arms.values()] for kind in kinds}
    lines = [f"| {' | '.join((name, *cells))} |" for name, cells in rows.items()]
    return "\n".join([lines[0], "|---" * (len(arms) + 1) + "|", *lines[1:]])


def played(graph: str, model: str, players: int, seeds: Iterable[int], folder: Path) -> Path:
    """The games of an arm, those played before not again; returns their folder."""
    seat = graphs.seat(graph, model)
    for seed in seeds:
        play(seat, players=players, seed=seed, journal=folder / f"{players}p-s{seed}-r1.jsonl")
    return folder


def main() -> None:
    options = argparse.ArgumentParser(
        description="Play graphs on a simulated model and count what became of its errors."
    )
    options.add_argument("--graph", action="append", required=True)
    options.add_argument("--model", default="sim:average")
    options.add_argument("--players", type=int, default=2)
    options.add_argument("--games", type=int, default=100)
    options.add_argument("--out", type=Path, default=Path("games"))
    asked = options.parse_args()
    seeds = range(1, asked.games + 1)
    folders = {name: played(name, asked.model, asked.players, seeds, asked.out / name) for name in asked.graph}
    print(f"on {on(asked.model)}\n")
    print(table({name: tally(folder) for name, folder in folders.items()}))


if __name__ == "__main__":
    main()
