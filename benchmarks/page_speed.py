"""How long the page takes for a game with a huge journal, and for a run of many games.

    python -m benchmarks.page_speed JOURNAL --mb 300 --games 10000

JOURNAL is a finished game of a graph that asked models. Its prompts are made longer until the journal is as large as
asked; the run has the first line and the last two lines of the same game, which are all that a list of games needs.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import Api
from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.orchestrator.journal import file

NAME = "2p-s1-r1"


def measure(journal: Path, megabytes: int, games: int) -> Iterator[tuple[str, tuple[float, float]]]:
    """What was done, and its seconds by the clock and of this process's CPU."""
    with TemporaryDirectory() as folder:
        large = Path(folder, "large")
        large.mkdir()
        size = enlarge(journal, large / f"{NAME}.jsonl", megabytes)
        api = Api(Library.open(large))
        yield f"open a game of {size / 1e6:.0f} MB", _timed(partial(api.ask, "game", id=NAME))
        yield "open it again", _timed(partial(api.ask, "game", id=NAME))
        yield "open its turn 5", _timed(partial(api.ask, "turn", id=NAME, turn="5"))
        api.close()
        run = Path(folder, "run")
        many(journal, run, games)
        for what in ("without results.csv", "with results.csv"):
            api = Api(Library.open(run))
            yield f"list {games:,} games, {what}", _timed(partial(api.ask, "games"))
            yield "list them again", _timed(partial(api.ask, "games"))
            yield "ask whether anything changed", _timed(partial(api.ask, "version"))
            yield "the page of the run, with its statistics", _timed(partial(api.ask, "run"))
            rows.write(run, api.games.shelf().rows)
            api.close()


def enlarge(journal: Path, to: Path, megabytes: int) -> int:
    """Write a journal with longer prompts; returns its size in bytes."""
    lines = [json.loads(line) for line in file.lines(journal)]
    asked = [line for line in lines if line["event"] == "call" and line["messages"]]
    more = "All that is said here is said again. " * (megabytes * 10**6 // (37 * len(asked)))
    for line in asked:
        line["messages"][-1]["content"] += more
    to.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), "utf-8")
    return to.stat().st_size


def many(journal: Path, run: Path, games: int) -> None:
    """A run folder of two arms."""
    first, last = file.ends(journal)
    text = b"\n".join((first.rstrip(b"\n"), *last)) + b"\n"
    for number in range(games):
        path = run / rows.GAMES / ("a", "b")[number % 2] / f"2p-s{number // 2}-r1.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    begun = perf_counter()
    used = process_time()
    work()
    return perf_counter() - begun, process_time() - used


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("journal", type=Path)
    asked.add_argument("--mb", type=int, default=300)
    asked.add_argument("--games", type=int, default=10_000)
    given = asked.parse_args()
    print(" clock s    CPU s")
    for what, (clock, used) in measure(given.journal, given.mb, given.games):
        print(f"{clock:8.3f} {used:8.3f}  {what}")


if __name__ == "__main__":
    main()
