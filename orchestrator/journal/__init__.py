"""The journal: the events of a game, their file, and what is read back from it.

It may import `game`, `models` and everything before them. Start with `events` (what happens in a game), then `file`
(the format, its writer and its reader), `game_so_far` (what a journal holds of an unfinished game, which
`table/game_loop.py` continues) and `recorded_answers` (replay).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
