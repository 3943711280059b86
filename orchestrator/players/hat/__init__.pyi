from .player import hat

__all__ = [
    "hat",
]
