"""Operational logs: on stderr, so that stdout holds only results; a line for each event, or JSON
for machines.

Every line names the game, turn, seat and node in which it was written, if any.
"""

import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from hanabi_orchestrator.orchestrator.models import keys

if TYPE_CHECKING:
    import structlog

Form = Literal["console", "json"]

FORMS: tuple[Form, ...] = ("console", "json")


def _to_stderr(*_: object) -> "structlog.PrintLogger":
    """Looked up for each line: a live table replaces it by a stream that prints above the table."""
    import structlog

    return structlog.PrintLogger(sys.stderr)


@dataclass(frozen=True)
class Loudness:
    """How much is logged, and in which format."""

    verbose: bool = False
    """Also log errors that are recovered from."""
    quiet: bool = False
    """Only errors; otherwise warnings, too."""
    form: Form = "console"

    def set_up(self) -> Self:
        import structlog

        from hanabi_orchestrator.orchestrator.logs import renderer

        if self.verbose:
            level = logging.INFO
        elif self.quiet:
            level = logging.ERROR
        else:
            level = logging.WARNING
        written: list[structlog.typing.Processor] = (
            [structlog.processors.TimeStamper(fmt="iso"), structlog.processors.JSONRenderer()]
            if self.form == "json"
            else [renderer()]
        )
        structlog.configure(
            processors=[
                structlog.contextvars.merge_contextvars,
                structlog.processors.add_log_level,
                *written,
            ],
            wrapper_class=structlog.make_filtering_bound_logger(level),
            logger_factory=_to_stderr,
        )
        keys.announce = self._note
        return self

    def _note(self, sentence: str) -> None:
        """Print a sentence that everybody is told who does not want quiet."""
        from hanabi_orchestrator.orchestrator.logs import log

        if self.form == "json":
            log.warning(sentence)
        elif not self.quiet:
            from hanabi_orchestrator.experiments.document.terminal import tell

            tell(f"note: {sentence}")
