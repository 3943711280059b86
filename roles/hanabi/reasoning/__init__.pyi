from . import literal_play
from .convention_scene import scene
from .position import Position

__all__ = [
    "Position",
    "literal_play",
    "scene",
]
