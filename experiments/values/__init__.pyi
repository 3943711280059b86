from .game_marks import calibration, mark_infos, role_marks
from .move_values import Mistake, MoveValue, Strip, TurnValues
from .role_mark import RoleMark, StatedOutcome
from .rollout_store import RolloutStore, store_of
from .score_strip import mistakes_of, strip
from .turn_values import turn_values

__all__ = [
    "Mistake",
    "MoveValue",
    "RoleMark",
    "RolloutStore",
    "StatedOutcome",
    "Strip",
    "TurnValues",
    "calibration",
    "mark_infos",
    "mistakes_of",
    "role_marks",
    "store_of",
    "strip",
    "turn_values",
]
