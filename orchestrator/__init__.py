"""The table and its edges: cards, moves, views, beliefs, the referee, the model layer, the journal."""

import sys

import structlog

from orchestrator.table.game_loop import play, play_async

if not structlog.is_configured():  # a library is silent on stdout; the command line sets up its own
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger("warning"),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

__all__ = ["play", "play_async"]
