"""The progress of a run on stderr: a live table on a terminal, otherwise a line every ten
seconds."""

import sys
import time
from collections.abc import Iterator

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.document.formats import duration
from hanabi_orchestrator.experiments.document.terminal import console, plain_table
from hanabi_orchestrator.experiments.running.progress import Progress, Status
from hanabi_orchestrator.roles.words import many

TABLE_S = 0.2
"""Seconds between updates on a terminal."""
EVERY_S = 10.0
"""Seconds between lines otherwise."""


class RunProgress(Progress):
    """A run's progress on stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__()
        self.quiet = quiet
        self._live: Live | None = None
        self._shown_at = time.monotonic()

    def line(self, text: str) -> None:
        # the table has these two
        if not self.quiet and not (self._live and text in (self.paused, self.stops)):
            (self._live.console if self._live else console(err=True)).print(
                Text(text), soft_wrap=True
            )

    def tick(self, status: Status) -> None:
        super().tick(status)
        terminal = sys.stderr.isatty()
        if self.quiet or time.monotonic() - self._shown_at < (TABLE_S if terminal else EVERY_S):
            return
        self._shown_at = time.monotonic()
        if terminal:
            if self._live is None:
                self._live = Live(console=console(err=True), auto_refresh=False, transient=True)
                self._live.start()
            self._live.update(self._table(), refresh=True)
        elif not self.paused:
            self.line("; ".join(self.sentences()))

    def end(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def _things(self) -> str:
        if self.task:
            return self.task.things
        return "games"

    def _left(self) -> str:
        if (estimate := self.left()) is None:
            return ""
        seconds, usd = estimate
        return f"about {duration(seconds)}{f' and ${usd:.2f}' if usd else ''} left"

    def sentences(self) -> Iterator[str]:
        """Give what a line says: short however many arms there are, which the table has."""
        if self.status.playing:
            playing = f", {self.status.playing} in play"
        else:
            playing = ""
        if self.status.turns:
            turns = f", {many(self.status.turns, 'turn')}"
        else:
            turns = ""
        yield f"{self.title}: {self.ended} of {self.total} {self._things}{playing}{turns}"
        yield from self.models()
        if rest := self._left():
            yield rest

    def _table(self) -> Group:
        bar = Table.grid(padding=(0, 1))
        if self.status.turns:
            turns = f", {many(self.status.turns, 'turn')}"
        else:
            turns = ""
        units = f"{self.ended}/{self.total} {self._things}{turns}"
        share = ProgressBar(total=max(1, self.total), completed=self.ended, width=40)
        bar.add_row(self.title, share, units, self._left())
        measure = self.task.measure if self.task else ""
        arms = plain_table("arm", self._things, measure, "own", "forced", "refused", words=("arm",))
        for row in self.arms():
            arms.add_row(
                row.arm, str(row.units), row.mean, row.own, str(row.forced), str(row.refused)
            )
        lines = [Text(line, style="dim") for line in self.models()]
        states = [Text(state, style="magenta") for state in (self.paused, self.stops) if state]
        # when there are many arms, the last lines are cut off
        return Group(bar, *states, *lines, arms)
