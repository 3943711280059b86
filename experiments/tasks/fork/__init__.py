"""Forks: a turn of a recorded game decided again from the same view, and the game played on from there.

It may import `running`, `design`, `results` and `show`, and the packages below. Start with `decision.decide`, which
decides a turn again; `branch` plays on to a journal of its own, and `fork_story` prints both.
"""
