"""Environments for reinforcement learning: games at the project's table whose rewards train the
models in its seats.

The games are those of tasks/games/learning_games.py; trl_rollouts.py plays them for TRL, hanabi_v1/
is a package for verifiers.
"""
