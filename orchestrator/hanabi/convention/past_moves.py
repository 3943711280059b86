"""The past moves of partners, as far as they keep to a convention."""

from collections.abc import Iterator, Sequence

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import course
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import STRANGER
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import identities
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.past_moves import PartnerTurn, PastMoves
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import NONE, act
from hanabi_orchestrator.orchestrator.hanabi.view import Past


def past_moves(scene: Scene, history: Sequence[Past]) -> PastMoves:
    """Return what the partners of a seat did."""
    # as late as numba
    from hanabi_orchestrator.orchestrator.hanabi.convention.rollout_play import surprises

    partners = (past.seat for past in history if past.seat != scene.seat)
    strange = sum(scene.knowledge.conventions[seat] == STRANGER for seat in partners)
    return PastMoves(_turns(scene, history), scene.seat, surprises, strange)


def _turns(scene: Scene, history: Sequence[Past]) -> Iterator[PartnerTurn]:
    """Yield the past turns that can tell something of the own hand: those of partners who keep to a convention."""
    now = scene.knowledge
    conventions = now.conventions
    seen = identities(now, scene.hands)
    held = {number: slot for slot, number in enumerate(now.cards[scene.seat])}
    for past, then in zip(history, course(conventions, history), strict=False):
        places = tuple(held.get(number, NONE) for number in then.cards[scene.seat])
        if past.seat == scene.seat or conventions[past.seat] == STRANGER or set(places) == {NONE}:
            continue
        hands = [
            [INDEX[seen[number]] if number in seen else 0 for number in hand] for hand in then.cards
        ]
        turns_left = (
            None
            if then.deck or scene.turns_left is None
            else scene.turns_left + now.turn - then.turn
        )
        game = RolloutGame(then, past.seat, turns_left).dealt(hands, [0] * then.deck)
        yield PartnerTurn(game, act(past.move), places)
