"""The table and everything around it: the game, models, journals, seats and rule players.

`hanabi` is the game, `models` sends requests to language models, and neither knows the other. `journal` stores what
happens, `table` plays a game, `players` are seats that ask no model. Imports go one way, upwards in this list:
`errors`, `values`, `replies`; `hanabi`, `models`; `journal`; `table`; `players`. Start with `play` in
`table/game_loop.py`.
"""

import sys

import structlog

from orchestrator.table.game_loop import play, play_async

if not structlog.is_configured():  # a library is silent on stdout; the command line sets up its own
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger("warning"),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

__all__ = ["play", "play_async"]
