"""Which moves of convention players a search overturns most: `python -m benchmarks.overturned RUN --games 100`.

RUN holds games of `house_planner`. For each step of the policy of `house`: on how many turns its move was the
colleagues' choice, what the planner did instead, and how many points it expected from that.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import HOUSE_STEPS, Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse

POINTS = 12.5
"""Points for a change of a planner's rating by 1."""


def step_of(scene: Scene, usual: Move) -> str:
    """Return the name of the policy step that makes a move."""
    return next(
        (step.__name__ for step in HOUSE_STEPS if any(move == usual for move, _ in step(scene))),
        "another",
    )


def searched(games: Iterator[Path]) -> Iterator[tuple[str, Move, Move, float]]:
    """Yield, of every turn on which a planner searched, the step, the colleagues' move, its own, and the gain that it
    expected in points."""
    for path in games:
        game = Game.open(path)
        for turn in game.turns:
            decided = turn.decided
            if decided is None or len(decided.ratings or {}) < 2:
                continue
            ratings = {parse(str(move)): rating for move, rating in (decided.ratings or {}).items()}
            usual = next(iter(ratings))
            chosen = decided.move
            scene = Position.of(game, turn.view.turn).scene
            yield (
                step_of(scene, usual),
                usual,
                chosen,
                POINTS * (ratings.get(chosen, 0.0) - ratings[usual]),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--games", type=int, default=100)
    options = parser.parse_args()
    turns = Counter[str]()
    gains = defaultdict[tuple[str, str], list[float]](list)
    for step, usual, chosen, gain in searched(
        islice(sorted(options.run.rglob("games/planner/*.jsonl")), options.games)
    ):
        turns[step] += 1
        if chosen != usual:
            gains[step, chosen.kind].append(gain)
    print(f"{'step':10} {'turns':>6}  instead     {'times':>5}  share  points each  in all a game")
    for (step, kind), points in sorted(gains.items(), key=lambda item: -sum(item[1])):
        share = len(points) / turns[step]
        mean = sum(points) / len(points)
        game = sum(points) / options.games
        print(
            f"{step:10} {turns[step]:6}  {kind:11} {len(points):5}  {share:4.0%} {mean:10.2f} {game:12.2f}"
        )


if __name__ == "__main__":
    main()
