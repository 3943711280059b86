"""The results of games on disk: journals of a run folder as rows, turns and stories, results.csv, Parquet tables.

It imports no other folder of experiments. Start reading at rows.py: a Row is a finished game.
"""
