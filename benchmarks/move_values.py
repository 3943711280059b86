"""How far the values of moves can be trusted, and how long they take: `python -m benchmarks.move_values`.

Rule players play whole games. Every few turns their move is judged as `show --mistakes` judges it, and each mistake is
judged again on many fresh deals: how many of them were chance? With `--worth` it is measured instead what a token and a
life change in the expected final score; the one-step values use these figures.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from hanabi_orchestrator.experiments.values.move_values import Mistake
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.rollouts import SeatRollouts, mean_and_error, points
from hanabi_orchestrator.experiments.values.turn_values import ROLLOUTS, values_at
from hanabi_orchestrator.orchestrator.hanabi import referee
from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.convention.search import Deals
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.players import partners

AGAIN = 400
"""Fresh deals on which a mistake is judged again."""
SMALL = 0.25
"""Points: a smaller loss hardly matters."""


def positions(
    partner: str, players: int, games: int, every: int
) -> Iterator[tuple[Position, Past]]:
    """Some turns of a partner's games with its own kind, each with its move."""
    rule = partners.get(partner).rule
    for seed in range(1, games + 1):
        table = referee.Referee(players, referee.deal(seed))
        chance = Random(seed)
        while not table.over:
            view = table.view()
            past = table.apply(rule(view, chance)[0])
            if (past.turn + seed) % every == 0:
                yield Position(view, {}), past


@dataclass
class Alarms:
    """What was found on some turns."""

    turns: int = 0
    rollouts: int = 0
    seconds: float = 0.0
    mistakes: int = 0
    small: int = 0
    """Mistakes that lose less than `SMALL` on fresh deals."""
    none: int = 0
    """Mistakes that lose nothing on fresh deals."""

    def judge(self, position: Position, past: Past) -> None:
        begun = time.process_time()
        values = values_at(position, past, ROLLOUTS, "strict", RolloutStore(), every=False)
        self.seconds += time.process_time() - begun
        self.turns += 1
        self.rollouts += values.rollouts
        if values.mistake:
            loss = lost_again(position, values.mistake)
            self.mistakes += 1
            self.small += loss < SMALL
            self.none += loss <= 0

    def __str__(self) -> str:
        return (
            f"{self.turns} turns, {self.rollouts / self.turns:.0f} rollouts and {self.seconds / self.turns:.2f} s of "
            f"CPU each; {self.mistakes} mistakes; judged again on {AGAIN} fresh deals, {self.small} of these lose less "
            f"than {SMALL} points, {self.none} nothing"
        )


def lost_again(position: Position, found: Mistake) -> float:
    """The loss of a mistake on deals that had no part in finding it."""
    trials = SeatRollouts(position, RolloutStore())
    trials.name += "/again"
    better, played = (
        points(trials.ends(move, 0, AGAIN), "strict") for move in (found.better, found.move)
    )
    return (sum(better) - sum(played)) / AGAIN


def worth(position: Position, deals: int, change: Callable[[RolloutGame, bool], None]) -> float:
    """What a change of the table is worth: the mean final score of convention players with it, less that without."""
    dealt = Deals(position.scene, Random(0))
    found = 0
    for _ in range(deals):
        game = dealt.draw()
        assert game is not None
        with_it, without = (game.dealt(game.hands, game.deck).taken_over() for _ in range(2))
        change(with_it, True)
        change(without, False)
        found += with_it.finish() - without.finish()
    return found / deals


def _token(game: RolloutGame, more: bool) -> None:
    game.tokens += more


def _second_life(game: RolloutGame, lost: bool) -> None:
    game.lives = 1 if lost else 2


def _first_life(game: RolloutGame, lost: bool) -> None:
    game.lives = 2 if lost else 3


WORTH = {"a token more": _token, "2 lives for 3": _first_life, "1 life for 2": _second_life}


def print_worth(partner: str, players: int, games: int, every: int) -> None:
    found: dict[str, list[float]] = {what: [] for what in WORTH}
    for position, _ in positions(partner, players, games, every):
        for what, change in WORTH.items():
            if position.view.deck_size and (
                change is not _token or position.view.tokens < MAX_TOKENS
            ):
                found[what].append(worth(position, 4, change))
    for what, gains in found.items():
        print(_line(what, gains))


def _line(what: str, found: list[float]) -> str:
    if len(found) < 2:
        return f"  {what}: too few positions"
    mean, error = mean_and_error(found)
    return f"  {what}: {mean:+.2f} ({error:.2f}) points on {len(found)} positions"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partner", default="smart")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--worth", action="store_true")
    asked = parser.parse_args()
    for players in asked.players:
        print(f"{asked.partner}, {players} players")
        if asked.worth:
            print_worth(asked.partner, players, asked.games, asked.every)
            continue
        alarms = Alarms()
        for position, past in positions(asked.partner, players, asked.games, asked.every):
            alarms.judge(position, past)
        print(f"  {alarms}", flush=True)


if __name__ == "__main__":
    main()
