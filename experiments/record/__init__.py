"""The record of games: one reader of journals (game.py), one table of measures (rows.py, measures.py), and their files.

It imports no other folder of experiments. game.py has a game turn by turn, rows.py one row per game for results.csv,
turn_rows.py one row per turn, provenance.py who answered. Start reading at game.py.
"""
