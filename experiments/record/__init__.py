"""The record of games: one reader of journals (game.py), one table of measures (rows.py, measures.py), and their files.

It imports no other folder of experiments. game.py has a game turn by turn, rows.py one row per game for results.csv,
turn_rows.py one row per turn, provenance.py who answered; results.py and games.py give both as data frames, rewards.py
what a response earned. Start reading at game.py.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
