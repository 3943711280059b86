"""Forks: a turn of a recorded game decided again from the same view, and the game played on from
there.

Start with `decision.decide`, which decides a turn again; `branch` plays on to a journal of its own.
"""
