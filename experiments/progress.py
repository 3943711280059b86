"""How far a run is, on stderr: a bar on a terminal, else a line now and then."""

import sys
import time

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from experiments.job import Outcome
from experiments.terminal import console

EVERY_S = 10.0
"""Seconds between lines where there is no terminal."""


class Progress:
    """Told of each game that ends.

    Its bar, which has a thread of its own, begins with the first of them: processes that play are forked before.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.what, self.total, self.done = "", 0, 0
        self._bar: Bar | None = None
        self._said = 0.0

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """`done` of `total` were played before."""
        self.end()
        self.what, self.total, self.done = what, total, done
        self._said = time.monotonic()
        if not self.quiet:
            before = f", {done} of them played before" if done else ""
            console(err=True).print(Text(f"{what}: {total} games{before}"))

    def __call__(self, outcome: Outcome) -> None:
        self.done += outcome.result is not None
        if outcome.failed and not self.quiet:
            self._line(f"{outcome.job.name} failed: {outcome.failed}")
        if self.quiet:
            return
        if sys.stderr.isatty():
            self._shown().update(self._shown().task_ids[0], completed=self.done)
        elif time.monotonic() - self._said > EVERY_S:
            self._said = time.monotonic()
            self._line(f"{self.what}: {self.done} of {self.total} games")

    def _shown(self) -> Bar:
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, console=console(err=True), transient=True)
            self._bar.add_task(self.what, total=self.total, completed=self.done)
            self._bar.start()
        return self._bar

    def _line(self, text: str) -> None:
        (self._bar.console if self._bar else console(err=True)).print(Text(text), soft_wrap=True)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
