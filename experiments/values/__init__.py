"""What moves were worth: values of every legal move of a turn, mistakes, and the expected score
over a game.

All is computed from a game's journal after it was played, never told to an agent. Start reading at
move_values.py, which says what the numbers are; turn_values.py has the values of a turn,
score_strip.py those of a game.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
