"""What moves that were not made would have done at once, in a game that is over."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.cards import Colour
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, Play
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record


class Effect(NamedTuple):
    """What one move changes at once. Discards and hints change neither."""

    points: int
    """1 for a card that fits, else 0."""
    lives: int
    """-1 for a misplay, else 0."""


class Compared(NamedTuple):
    """A turn in which another move was made than the first choice."""

    turn: int
    first: Effect
    """Of the first choice."""
    played: Effect
    """Of the move that was made."""


def compared(record: Record, choices: Mapping[int, Move]) -> Iterator[Compared]:
    """For each turn of `choices`, its move against the one that was made, in the same position and with all cards
    known. Both are legal moves of that turn."""
    tops: dict[Colour, int] = {}
    for step in record.steps():
        if step.turn in choices:
            effects = []
            for move in (choices[step.turn], step.move):
                card = step.hand[move.slot] if isinstance(move, Play) else None
                fits = card is not None and tops.get(card.colour, 0) == card.rank - 1
                effects.append(Effect(int(fits), -int(card is not None and not fits)))
            yield Compared(step.turn, *effects)
        if step.scored and step.lost:
            tops[step.lost.colour] = step.lost.rank


def effects(record: Record, refused: Mapping[int, Move]) -> dict[str, int]:
    """Return what the refused first choices of a game would have done at once, and what was played instead did."""
    turns = list(compared(record, refused)) if refused else []
    return {
        "first_misplays": -sum(turn.first.lives for turn in turns),
        "first_points": sum(turn.first.points for turn in turns),
        "played_misplays": -sum(turn.played.lives for turn in turns),
        "played_points": sum(turn.played.points for turn in turns),
    }
