"""Whole games of an experiment: the first of the tasks. Start reading at experiment_run.py, which plays a plan.

It may import what all tasks may: running, study, record, values, analysis. `game_task` says how a game is asked;
`min_own` stops a run whose moves are hardly its models' own.
"""
