"""What hints were worth, by the public record of a game alone."""

from collections.abc import Iterable

from orchestrator.hanabi.literal_knowledge import literal_hands, unknown_hands
from orchestrator.hanabi.moves import HintColour, HintRank
from orchestrator.hanabi.view import Past


def wasted(players: int, history: Iterable[Past]) -> int:
    """Return how many hints left every card of their receiver with the same possible types as before.

    `history`: the moves of a game from its first. Only literal knowledge counts: not what counting the cards in sight
    adds, nor what a convention may have meant by such a hint.
    """
    before, count = unknown_hands(players), 0
    for past, after in literal_hands(players, history):
        count += isinstance(past.move, HintColour | HintRank) and before == after
        before = after
    return count
