from . import games, results, rewards

__all__ = ["games", "results", "rewards"]
