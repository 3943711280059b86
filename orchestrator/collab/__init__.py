"""Collab Capture and Collab Escape, the two games of LLM-Coordination on maps of rooms: rules, tables, exact play.

No models, journals, seats or other games are known here: this folder imports `game`, `sealed_play`, `values` and
`errors`. Start with `maps`, then `capture` and `escape` (the rules as functions of plain positions), `capture_referee` and
`escape_referee` (what a seat sees, and rounds of sealed decisions), `plans` (exact play by backward induction) and
`programs` (players by rule).
"""
