"""Hat players: by the information strategy of Cox et al. (2015), one hint informs every other player.

It may import what `players` may. Start with `player` (when to play, hint and discard), then `knowledge` (the common
knowledge that all hat players compute) and `code` (how a hand is encoded as a number).
"""
