"""Differences: of two games, turn by turn, and of two runs, deal by deal.

Start with `two_games` for journals and `two_runs` for run folders; both can be printed and given as plain data.
"""
