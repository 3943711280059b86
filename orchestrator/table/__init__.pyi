from .game_loop import play, play_async
from .seat import Decision, GameContext, JournaledSeat, Seat

__all__ = [
    "Decision",
    "GameContext",
    "JournaledSeat",
    "Seat",
    "play",
    "play_async",
]
