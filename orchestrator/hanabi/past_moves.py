"""What the partners' past moves tell of a hidden hand: which of them players of the convention would have made beside
it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hanabi_orchestrator.orchestrator.hanabi.rollout_game import NONE, Rollout, array, room

PLACES = 5
"""Slots of the largest hand."""


@dataclass(frozen=True)
class PartnerTurn:
    """A past turn of a partner, while the seat held some card that it still holds."""

    game: Rollout
    """Before the move; whatever lies in the slots of these cards."""
    move: int
    places: tuple[int, ...]
    """By slot of the seat then: where the same card lies now, or NONE."""


class PastMoves:
    """What the partners of a seat did, to be compared with many hands of the seat."""

    def __init__(
        self, turns: Iterable[PartnerTurn], seat: int, count: Callable[..., int], strange: int = 0
    ) -> None:
        """`count`: the function `surprises` of a package's `rollout_play`. `strange`: the moves of partners who keep to
        no convention, none of which is among the turns."""
        self.turns = list(turns)
        self.seat = seat
        self.count = count
        self.strange = strange
        self.games: Any = array([turn.game.state for turn in self.turns])
        self.moves: Any = array([turn.move for turn in self.turns])
        places = ((*turn.places, *[NONE] * PLACES)[:PLACES] for turn in self.turns)
        self.places: Any = array(list(places))
        self.room = room()

    def surprises(self, hand: Sequence[int], most: int) -> int:
        """Return how many moves of partners who keep to a convention a player of it would not have made beside a hand
        of the seat, at most one more than `most`."""
        if not self.turns:
            return 0
        cards = array([*hand, *[0] * (PLACES - len(hand))])
        return int(
            self.count(self.games, self.moves, self.places, self.seat, cards, most, self.room)
        )

    def share(self, surprises: float) -> float:
        """Return the share of the partners' moves that a player of the convention would not have made, 0-1, for a
        number of surprises. Before any move it is a sixth, and six moves outweigh that."""
        return (1 + surprises + self.strange) / (6 + len(self.turns) + self.strange)
