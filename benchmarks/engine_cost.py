"""What LangGraph costs where no model is asked: CPU time of games of programs, walked and on LangGraph.

python -m benchmarks.engine_cost house cac --games 5
"""

import argparse
import time
from statistics import median

from hanabi_orchestrator.graphs.ablate import setting
from hanabi_orchestrator.graphs.config import read
from hanabi_orchestrator.graphs.graph_seat import seat
from hanabi_orchestrator.orchestrator.journal.events import Result
from hanabi_orchestrator.orchestrator.table.game_loop import play

ENGINES = ("walk", "langgraph")


def measure(name: str, games: int, players: int = 3) -> dict[str, tuple[float, float]]:
    """CPU milliseconds per turn and seconds per game by engine: medians over the deals, after a turn to warm up.

    Raises AssertionError where the engines play differently.
    """
    spent: dict[str, tuple[float, float]] = {}
    digests = set[tuple[str | None, ...]]()
    for engine in ENGINES:
        seated = seat(setting(read(name), engine=engine))
        play(seated, players=players, seed=1, max_turns=1)
        done: list[tuple[float, Result]] = []
        for seed in range(1, games + 1):
            began = time.process_time()
            result = play(seated, players=players, seed=seed)
            done.append((time.process_time() - began, result))
        digests.add(tuple(result.moves_digest for _, result in done))
        spent[engine] = (
            median(1000 * seconds / result.turns for seconds, result in done),
            median(seconds for seconds, _ in done),
        )
    assert len(digests) == 1, f"{name}: the engines play differently"
    return spent


def main() -> None:
    """Print a line for each graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*", default=["house", "cac", "moa_sherlock", "sherlock"])
    parser.add_argument("--games", type=int, default=5)
    given = parser.parse_args()
    print("graph          walk ms/turn  LangGraph ms/turn  walk s/game  LangGraph s/game  factor")
    for name in given.graphs:
        (walk_ms, walk_s), (scheduled_ms, scheduled_s) = measure(name, given.games).values()
        times = f"{walk_ms:12.1f} {scheduled_ms:18.1f} {walk_s:12.2f} {scheduled_s:17.2f}"
        print(f"{name:14} {times} {scheduled_s / walk_s:7.1f}")


if __name__ == "__main__":
    main()
