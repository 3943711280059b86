"""Hanabi itself: cards, moves, views, the referee (HLE by `engine`), exact beliefs, and what follows from hints.

No models, journals or seats are known here: this folder imports `replies` (for how moves are read from replies),
`values` and `errors` alone. Start with `cards` and `moves`, then `view` (what a seat may know), `referee` (the rules,
played by the `engine`) and `belief` (exact probabilities). `literal_knowledge` works out what hints say of a hand, for
conventions and programs; what a View shows of hints comes from the engine through `referee`. The conventions that give
hints more meaning are in `convention/`, the code of hat players in `information/`; `search` tries moves on sampled
deals that players of either finish (`rollout_game`, on the rules of `rollout_rules`).
"""
