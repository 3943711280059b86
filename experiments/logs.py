"""Operational logs, set up once: on stderr, so that stdout stays the answer; a line an event, or JSON for machines.

Every line bears the game, turn, seat and node in which it was written, as far as there are any.
"""

import logging
import sys
from typing import Literal

import structlog

Form = Literal["console", "json"]

FORMS: tuple[Form, ...] = ("console", "json")


def set_up(*, verbose: bool = False, quiet: bool = False, form: Form = "console") -> None:
    """`verbose` tells what goes wrong and is mended; `quiet` tells errors alone; else warnings."""
    level = logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
    written: list[structlog.typing.Processor] = (
        [structlog.processors.TimeStamper(fmt="iso"), structlog.processors.JSONRenderer()]
        if form == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, *written],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
