"""`doctor`: whether a model can play a graph, found out before the first game.

Start with `examination`, which makes a `Checklist` of what can be told without a request and, with --online, by a few
requests (`online`).
"""
