"""Whole games of an experiment: the first of the tasks. Start reading at experiment_run.py, which plays a plan.

`game_task` says how a game is asked.
"""
