"""What hints were worth, told from the public record of a game alone."""

from collections.abc import Iterable

from orchestrator.hanabi.cards import ANY, DECK_SIZE, HAND_SIZES, OF_COLOUR, OF_RANK, Mask
from orchestrator.hanabi.moves import HintColour, HintRank
from orchestrator.hanabi.view import Past


def wasted(players: int, history: Iterable[Past]) -> int:
    """Hints after which no card of their receiver could be of fewer types than before, by the hints of a whole game.

    What counting cards in sight tells is left aside, and so is what a convention may have made of such a hint.
    """
    hands = [[ANY] * HAND_SIZES[players] for _ in range(players)]
    deck = DECK_SIZE - players * HAND_SIZES[players]
    found = 0
    for past in history:
        if isinstance(past.move, HintColour | HintRank):
            before = hands[past.move.to]
            hands[past.move.to] = after = _told(before, past.move, past.slots)
            found += before == after
        else:
            del hands[past.seat][past.move.slot]
            if deck:
                hands[past.seat].append(ANY)
                deck -= 1
    return found


def _told(hand: list[Mask], hint: HintColour | HintRank, touched: tuple[int, ...]) -> list[Mask]:
    named = OF_COLOUR[hint.colour] if isinstance(hint, HintColour) else OF_RANK[hint.rank]
    return [card & (named if slot in touched else ~named) for slot, card in enumerate(hand)]
