"""What the partners' past moves tell of a hidden hand: which of them convention players would have made beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.hanabi.cards import INDEX
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, PublicMove
from orchestrator.hanabi.convention.hint_convention import STRANGER
from orchestrator.hanabi.convention.partner_model import identities
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.convention.rollout import NONE, RolloutGame, act, array
from orchestrator.hanabi.view import Past


@dataclass(frozen=True)
class PartnerTurn:
    """A past turn of a partner, while the seat held some card that it still holds."""

    game: RolloutGame
    """Before the move; whatever lies in the slots of these cards."""
    move: int
    places: tuple[int, ...]
    """Of the five slots of the seat then: where the same card lies now, or NONE."""


def partner_turns(scene: Scene, history: Sequence[Past]) -> Sequence[PartnerTurn]:
    """Return the past turns that can tell something of the own hand: those of partners who keep to a convention."""
    conventions, turns = scene.knowledge.conventions, []
    seen = identities(scene.knowledge, scene.hands)
    held = {number: slot for slot, number in enumerate(scene.knowledge.cards[scene.seat])}
    now = CommonKnowledge.start(conventions)
    for past in history:
        places = [held.get(number, NONE) for number in now.cards[scene.seat]]
        partner = past.seat != scene.seat and conventions[past.seat] != STRANGER
        if partner and any(place != NONE for place in places):
            hands = [[INDEX[seen[number]] if number in seen else 0 for number in hand] for hand in now.cards]
            game = RolloutGame(now, past.seat, _turns_left(now, scene)).dealt(hands, [0] * now.deck)
            turns.append(PartnerTurn(game, act(past.move), (*places, *[NONE] * (5 - len(places)))))
        now = now.after(PublicMove.from_past(past))
    return turns


def _turns_left(then: CommonKnowledge, scene: Scene) -> int | None:
    if then.deck or scene.turns_left is None:
        return None
    return scene.turns_left + scene.knowledge.turn - then.turn


class PastMoves:
    """Past turns of the partners of a seat, to be compared with many hands."""

    def __init__(self, turns: Sequence[PartnerTurn], seat: int) -> None:
        """`turns`: at least one."""
        from orchestrator.hanabi.convention.rollout_play import surprises  # as late as numba

        self.count = surprises
        self.seat = seat
        self.games: Any = array([turn.game.state for turn in turns])
        self.moves: Any = array([turn.move for turn in turns])
        self.places: Any = array([turn.places for turn in turns])
        self.room = turns[0].game.room

    def surprises(self, hand: Sequence[int], most: int) -> int:
        """Return how many of the moves a convention player would not have made beside a hand of the seat, at most
        one more than `most`."""
        cards = array([*hand, *[0] * (5 - len(hand))])
        return int(self.count(self.games, self.moves, self.places, self.seat, cards, most, self.room))
