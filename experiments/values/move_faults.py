"""The known faults of a game's moves, found without rollouts: move quality that needs no judge.

`mistakes` says what the faults are. To them comes the error in the final round: a card is discarded, or a hint is given
that lets nobody play, although a play that might fit would have cost nothing, for a life was left.
"""

from experiments.record.game import Game
from experiments.values.mistakes import Fault, fault
from experiments.values.move_values import Kind
from experiments.values.position import Position
from orchestrator.hanabi.moves import HintColour, HintRank, Play
from orchestrator.hanabi.view import Past
from orchestrator.values import Frozen
from roles.words import percent

KINDS: tuple[Kind, ...] = (
    "risky_misplay",
    "critical_discard",
    "missed_play",
    "empty_hint",
    "wasted_token",
    "final_round",
)
"""The faults that are counted, the gravest first."""


class MoveFault(Frozen):
    """A known fault of a move."""

    turn: int
    seat: int
    kind: Kind
    text: str
    """What was wrong, in a sentence."""


def faults_of(story: Game) -> tuple[MoveFault, ...]:
    """The known faults of a game's moves, oldest first; a move has at most one, the gravest."""
    faults = []
    for number, turn in enumerate(story.turns, 1):
        if turn.moved and (fault := known_fault(Position.of(story, number), turn.moved.past)):
            faults.append(MoveFault(turn=number, seat=turn.seat, kind=fault[0], text=fault[1]))
    return tuple(faults)


def known_fault(position: Position, past: Past) -> Fault | None:
    """The gravest fault of a move; None where it has none."""
    return fault(position, past) or _final_round(position, past)


def _final_round(position: Position, past: Past) -> Fault | None:
    """A turn of the final round that scored nothing and let nobody score, although a play might have."""
    view, move = position.view, past.move
    if view.turns_left is None or view.lives < 2 or isinstance(move, Play):
        return None
    if isinstance(move, HintColour | HintRank) and position.scene.effect_of(move).helps:
        return None
    chance = max((slot.playable for slot in position.own), default=0.0)
    if not chance:
        return None
    return "final_round", f"in the final round a play that fits with {percent(chance)} would have cost nothing"
