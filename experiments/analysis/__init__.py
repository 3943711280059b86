"""Conclusions from rows of games: summaries, paired comparisons, their sentences and cautions.

It may import record, study, values and statistics. Start reading at analysis.py, which compares the arms of a run.
"""
