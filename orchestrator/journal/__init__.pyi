from .events import (
    Call,
    Decided,
    Event,
    GameEnded,
    GameStarted,
    GameSuspended,
    Memory,
    Moved,
    Result,
    Sink,
    TurnStarted,
    VerdictGiven,
)
from .file import Journal, comparable, plain, public_record, read
from .game_so_far import GameSoFar
from .recorded_answers import Recording, Replay

__all__ = [
    "Call",
    "Decided",
    "Event",
    "GameEnded",
    "GameSoFar",
    "GameStarted",
    "GameSuspended",
    "Journal",
    "Memory",
    "Moved",
    "Recording",
    "Replay",
    "Result",
    "Sink",
    "TurnStarted",
    "VerdictGiven",
    "comparable",
    "plain",
    "public_record",
    "read",
]
