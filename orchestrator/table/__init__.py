"""The table: what a seat is, and the loop that plays a game.

It may import `journal` and everything before it. Start with `seat` (View in, Decision out), then `game_loop`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
