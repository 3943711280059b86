"""Whole games of an experiment: the main task.

Start reading at experiment_run.py, which plays a plan, by the looks of its stop rule if it has one,
and stops for too few own moves. single_game.py is one game, as `play` plays it, and
learning_games.py games in which models learn.
"""
