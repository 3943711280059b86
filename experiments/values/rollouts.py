"""Rollouts of a position: after a move convention players finish the game, from deals drawn at
random.

The players of the game read the move as they do, by the conventions that they were seen to keep;
from then on the programs of `house` have all seats. So values do not depend on how well a table
would go on, and nobody is blamed for a convention that the table does not keep.

Deal number N of a position is always the same, whichever moves are tried on it and in whatever
order, so that moves are compared on equal deals and stored scores are those of a fresh run. A
letter stands for how a rollout ended: A to Z for 0 to 25 points, in lower case where the third life
was lost.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from math import sqrt
from random import Random

from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.values.position import OpenPosition, Position
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore, key
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.convention.search import Deals
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act


def letter(game: RolloutGame) -> str:
    """Return how a finished rollout ended."""
    return chr(ord("A" if game.lives else "a") + sum(game.tops))


def points(ends: str, metric: Metric) -> list[int]:
    """Return the scores that letters stand for."""
    return [
        0 if metric == "strict" and end.islower() else ord(end.upper()) - ord("A") for end in ends
    ]


class Rollouts(ABC):
    """The rollouts of one position."""

    def __init__(self, state: str, store: RolloutStore) -> None:
        self.name = key(state)  # it seeds the deals
        self.store = store
        self.played = 0  # here, and not read from the store
        self._ends = store.read(self.name)

    def ends(self, move: Move | None, first: int, last: int) -> str:
        """Return how the deals `first` to `last` - 1 end after a move; None is the move of the
        convention player."""
        text = str(move) if move else USUAL
        have = self._ends.get(text, "")
        if len(have) < last:
            more = "".join(self._end(number, move) for number in range(len(have), last))
            self.played += len(more)
            have = self._ends[text] = have + more
        return have[first:last]

    def keep(self) -> None:
        """Write what was played to the store."""
        if self.played:
            self.store.write(self.name, self._ends)

    def _end(self, number: int, move: Move | None) -> str:
        game = self._deal(number)
        if move:
            game.apply(act(move))
        game.taken_over().finish()
        return letter(game)

    @abstractmethod
    def _deal(self, number: int) -> RolloutGame:
        """Return a deal to play on from; the same number is the same deal."""


USUAL = "usual"
"""In a store: the rollouts in which the convention player moves first."""


class SeatRollouts(Rollouts):
    """From deals of the acting seat's belief."""

    def __init__(self, position: Position, store: RolloutStore) -> None:
        super().__init__(position.state, store)
        self._chance = Random()
        self._deals = Deals(position.scene, self._chance)

    def _deal(self, number: int) -> RolloutGame:
        self._chance.seed(f"{self.name}/{number}")
        game = self._deals.draw()
        assert game is not None, "a hand is found within a thousand tries"
        return game


class OpenRollouts(Rollouts):
    """From the true hands, the deck in any order."""

    def __init__(self, position: OpenPosition, store: RolloutStore) -> None:
        super().__init__(position.state, store)
        self._position = position

    def _deal(self, number: int) -> RolloutGame:
        copies = enumerate(map(self._position.deck.count, range(25)))
        deck = []
        for card, copies_left in copies:
            deck += [_places(number, card, copy) for copy in range(copies_left)]
        deck.sort()
        return self._position.game.dealt(self._position.game.hands, [card for _, card in deck])


@cache
def _places(number: int, card: int, copy: int) -> tuple[float, int]:
    """Where a copy of a card lies in deck `number`, and the card. Cards that leave the deck do not
    change the order of the others, so that the decks of one turn are nearly those of the turn
    before."""
    return Random(f"{number}/{card}/{copy}").random(), card


def mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def mean_and_error(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error, of at least two scores."""
    middle = mean(scores)
    return middle, sqrt(
        sum((score - middle) ** 2 for score in scores) / (len(scores) - 1) / len(scores)
    )
