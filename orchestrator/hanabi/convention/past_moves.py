"""What the partners' past moves tell of a hidden hand: which of them convention players would have made beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.hanabi.cards import INDEX
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, course
from orchestrator.hanabi.convention.hint_convention import STRANGER
from orchestrator.hanabi.convention.partner_model import identities
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.convention.rollout import NONE, RolloutGame, act, array, room
from orchestrator.hanabi.view import Past


@dataclass(frozen=True)
class PartnerTurn:
    """A past turn of a partner, while the seat held some card that it still holds."""

    game: RolloutGame
    """Before the move; whatever lies in the slots of these cards."""
    move: int
    places: tuple[int, ...]
    """Of the five slots of the seat then: where the same card lies now, or NONE."""


class PastMoves:
    """What the partners of a seat did, to be compared with many hands of the seat."""

    def __init__(self, scene: Scene, history: Sequence[Past]) -> None:
        from orchestrator.hanabi.convention.rollout_play import surprises  # as late as numba

        partners = [past for past in history if past.seat != scene.seat]
        self.strange = sum(scene.knowledge.conventions[past.seat] == STRANGER for past in partners)
        """Moves of partners who keep to no convention."""
        self.turns = list(_turns(scene, history))
        self.seat, self.count = scene.seat, surprises
        self.games: Any = array([turn.game.state for turn in self.turns])
        self.moves: Any = array([turn.move for turn in self.turns])
        self.places: Any = array([turn.places for turn in self.turns])
        self.room = room()

    def surprises(self, hand: Sequence[int], most: int) -> int:
        """Return how many moves of partners who keep to a convention a convention player would not have made beside a
        hand of the seat, at most one more than `most`."""
        if not self.turns:
            return 0
        cards = array([*hand, *[0] * (5 - len(hand))])
        return int(self.count(self.games, self.moves, self.places, self.seat, cards, most, self.room))

    def share(self, surprises: float) -> float:
        """Return the share of the partners' moves that a convention player would not have made, 0-1, for a number of
        surprises. Before any move it is a sixth, and six moves outweigh that."""
        return (1 + surprises + self.strange) / (6 + len(self.turns) + self.strange)


def _turns(scene: Scene, history: Sequence[Past]) -> Iterator[PartnerTurn]:
    """Yield the past turns that can tell something of the own hand: those of partners who keep to a convention."""
    conventions, seen = scene.knowledge.conventions, identities(scene.knowledge, scene.hands)
    held = {number: slot for slot, number in enumerate(scene.knowledge.cards[scene.seat])}
    for past, then in zip(history, course(conventions, history), strict=False):
        places = [held.get(number, NONE) for number in then.cards[scene.seat]]
        if past.seat == scene.seat or conventions[past.seat] == STRANGER or set(places) == {NONE}:
            continue
        hands = [[INDEX[seen[number]] if number in seen else 0 for number in hand] for hand in then.cards]
        game = RolloutGame(then, past.seat, _turns_left(then, scene)).dealt(hands, [0] * then.deck)
        yield PartnerTurn(game, act(past.move), (*places, *[NONE] * (5 - len(places))))


def _turns_left(then: CommonKnowledge, scene: Scene) -> int | None:
    if then.deck or scene.turns_left is None:
        return None
    return scene.turns_left + scene.knowledge.turn - then.turn
