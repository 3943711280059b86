"""The table and its edges: cards, moves, views, beliefs, the referee, the model layer, the journal."""

from orchestrator.table import play, play_async

__all__ = ["play", "play_async"]
