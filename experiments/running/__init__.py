"""Playing games: of an experiment (runner.py), in this process, several processes or Ray; and a single game.

It may import design, show and results, but not statistics. Start reading at runner.py: it plans, checks, and hands jobs
to an executor (executor.py). There game_pool.py runs many games at a time, and seat_pool.py keeps their seats.
"""
