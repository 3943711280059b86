"""The table and everything around it: the game, models, journals, seats and rule players.

`hanabi` is the game, `models` sends requests to language models, and neither knows the other. `journal` stores what
happens, `table` plays a game, `players` are seats that ask no model. Imports go one way, upwards in this list:
`errors`, `values`, `replies`; `hanabi`, `models`; `journal`; `table`; `players`. Start with `play` in
`table/game_loop.py`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
