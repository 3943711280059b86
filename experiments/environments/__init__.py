"""Environments for reinforcement learning: games at the project's table whose rewards train the models in its seats.

Start reading at learning_games.py; trl_rollouts.py plays them for TRL, and hanabi_v1/ is a package for verifiers.
"""
