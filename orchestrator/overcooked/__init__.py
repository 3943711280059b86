"""Overcooked as LLM-Coordination plays it: kitchens, macro-actions, the table, and a greedy cook.

No models, journals, seats or other games are known here: this folder imports `sealed_play`, `values` and `errors`.
Start with `layouts` (what stands where), then `kitchen` (what happens in a tick), `macros` (what agents choose, and how
it is carried out), `referee` (what a seat sees, and when it is asked) and `programs` (a player by rule). The package
`overcooked` of others is an oracle of our tests alone.
"""
