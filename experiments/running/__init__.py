"""Playing games: of an experiment (runner.py), in this process, several processes or Ray; and a single game.

It may import design, show and results, and knows nothing of statistics. Start reading at runner.py: it plans, checks,
hands jobs to an executor (executor.py), whose game pool (game_pool.py) plays them on a seat pool (seat_pool.py).
"""
