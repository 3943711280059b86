from .move_values import Mistake, MoveValue, Strip, TurnValues
from .rollout_store import RolloutStore, store_of
from .score_strip import mistakes_of, strip
from .turn_values import turn_values

__all__ = [
    "Mistake",
    "MoveValue",
    "RolloutStore",
    "Strip",
    "TurnValues",
    "mistakes_of",
    "store_of",
    "strip",
    "turn_values",
]
