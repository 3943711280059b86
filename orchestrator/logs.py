"""The logs of a library: silent on stdout, warnings on stderr, until somebody configures structlog.

Tracebacks show no values of variables: those may be hidden cards or keys.
"""

import sys

import structlog

if not structlog.is_configured():
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("warning"),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

log = structlog.get_logger()
