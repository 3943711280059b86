"""The information (hat) strategy of Cox et al. (2015): one hint informs every other player at once.

It may import `hanabi` alone. Start with `policy` (when to play, hint and discard), then `table` (the common knowledge
that all players compute who keep the code, and how one notices that somebody does not) and `code` (how a hand is
encoded as a number). `search` has the moves that a search tries; its rollouts are `rollout`.
"""
