"""The logs of a library: silent on stdout, warnings on stderr, until somebody configures structlog."""

import sys

import structlog

if not structlog.is_configured():
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger("warning"),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

log = structlog.get_logger()
