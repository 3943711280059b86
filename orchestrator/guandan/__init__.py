"""Guandan itself, the game of "Evaluating and Enhancing LLMs Agent Based on Theory of Mind in Guandan" (appendix A).

An engine only, for now: no seat, journal or graph plays it yet. This folder imports `values` and `errors` alone. Start
with `cards` (two decks, the level and its wild hearts) and `plays` (combinations, and which beats which), then
`listing` (the moves that a seat chooses from), `view` (what a seat may know) and `referee` (the rules of a deal).
`programs` choose moves; the best of them take the first of `ranking`, which compares what is left by
`burden`; `planners` add theory of mind from the exact chances of `counting`.
"""
