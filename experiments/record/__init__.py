"""The results of games, read from the journals of a run folder, and written as results.csv or as Parquet tables.

It imports no other folder of experiments. rows.py has one row per game, turn_rows.py one row per turn, and story.py a
turn-by-turn summary of a game. Start reading at rows.py.
"""
