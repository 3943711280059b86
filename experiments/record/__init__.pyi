from . import games, measures, results, rewards

__all__ = ["games", "measures", "results", "rewards"]
