"""The logs of a library: silent on stdout, warnings on stderr, and no change of the host program's logging.

Where structlog is configured, by the host or by our command line, that holds; else ours holds for `log` alone.
Tracebacks show no values of variables: those may be hidden cards or keys.
"""

import sys
from io import StringIO
from typing import Any, TextIO

import structlog
from structlog.typing import ExcInfo

from hanabi_orchestrator.orchestrator.printable import printable


def renderer() -> structlog.dev.ConsoleRenderer:
    """Return what writes an event as a line for people."""
    return _Renderer(colors=sys.stderr.isatty(), exception_formatter=_traceback)


class _Renderer(structlog.dev.ConsoleRenderer):
    """Words of servers and of files move no cursor."""

    def __call__(self, logger: Any, name: str, event_dict: Any) -> str:
        words = {
            key: printable(value) if isinstance(value, str) else value
            for key, value in event_dict.items()
        }
        return super().__call__(logger, name, words)


def _traceback(out: TextIO, error: ExcInfo) -> None:
    text = StringIO()
    structlog.dev.plain_traceback(text, error)
    out.write(printable(text.getvalue()))


class Log:
    """A logger that asks at each line whether somebody has configured structlog."""

    def __getattr__(self, name: str) -> Any:
        return getattr(structlog.get_logger() if structlog.is_configured() else _own(), name)


def _own() -> Any:
    """Return a logger with settings of its own, on the standard error of this moment."""
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            renderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("warning"),
    )


log = Log()
