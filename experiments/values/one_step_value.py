"""What a move is worth at once, exactly, from the acting seat's belief.

The one-step value of a move is the points that it scores or leads its receiver to score, less the
points that can no longer be scored once it has thrown a last copy away, less what a life and a
token are worth; each weighed by its exact probability. What a token and a life are worth was
measured: `python -m benchmarks.move_values --worth`.
"""

from collections.abc import Mapping

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, MAX_TOKENS, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play

TOKEN = 0.35
"""Points that an information token is worth while the deck has cards."""
LIFE: Mapping[int, float] = {3: 0.05, 2: 0.15}
"""Points that a life is worth to convention players, who risk little, by the lives left. The last
one is worth all points on the table: without it they are lost."""


def one_step_values(scene: Scene) -> dict[Move, float]:
    """Return the one-step value of every legal move, in points."""
    return {move: one_step_value(scene, move) for move in scene.legal}


def one_step_value(scene: Scene, move: Move) -> float:
    """In points; about -25 to 2."""
    if isinstance(move, Play):
        return sum(
            chance * _played(scene, card)
            for card, chance in scene.beliefs[move.slot].likely().items()
        )
    if isinstance(move, Discard):
        lost = sum(
            p * out_of_reach(card, scene.piles)
            for card, p in scene.beliefs[move.slot].likely().items()
        )
        return _token(scene) - lost
    # what the receiver's next move is worth more: they play a card, or keep one that they would
    # discard
    effect = scene.effect_of(move)
    cards = scene.hands[move.to]
    if effect.says is None:
        led_to = min((_played(scene, cards[slot]) for slot in effect.learned), default=0.0)
    elif effect.warns:
        led_to = float(out_of_reach(cards[effect.says.slot], scene.piles))
    else:
        led_to = _played(scene, cards[effect.says.slot])
    return led_to - _worth(scene)


def out_of_reach(card: Card, piles: Piles) -> int:
    """Return the points that can never be scored once this copy of a card is gone unplayed; 0
    unless it is critical."""
    if not piles.critical >> INDEX[card] & 1:
        return 0
    first = INDEX[card] - card.rank + 1
    return sum(not piles.dead >> index & 1 for index in range(INDEX[card], first + 5))


def _played(scene: Scene, card: Card) -> float:
    """Return what it is worth to play a card."""
    if scene.piles.playable >> INDEX[card] & 1:
        return 1 + (_token(scene) if card.rank == 5 else 0)
    lives = scene.knowledge.lives
    if lives > 1:
        life = LIFE[lives]
    else:
        life = sum(scene.piles.fireworks)
    return -out_of_reach(card, scene.piles) - life


def _token(scene: Scene) -> float:
    """Return what a token more is worth."""
    if scene.knowledge.tokens == MAX_TOKENS:
        return 0.0
    return _worth(scene)


def _worth(scene: Scene) -> float:
    """Return what a token is worth; nothing in the final round, in which only plays count."""
    if scene.knowledge.deck:
        return TOKEN
    return 0.0
