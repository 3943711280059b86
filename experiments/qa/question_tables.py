"""What the terminal shows of runs of questions."""

import sys
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from experiments.qa import question_report
from experiments.qa.question_report import COLUMNS, CORRELATED, Report
from experiments.show.terminal import console, plain_table


def show(report: Report, screen: Console) -> None:
    """The table, the correlations and the notes."""
    table = plain_table(*COLUMNS, words=("who", "game"), fixed=COLUMNS)
    for row in question_report.rows(report):
        table.add_row(*row, style="dim" if row[0] == question_report.GUESSING else None)
    screen.print(table)
    if report.correlations:
        correlated = plain_table(*CORRELATED, words=CORRELATED[:1])
        for line in question_report.correlation_rows(report):
            correlated.add_row(*line)
        screen.print()
        screen.print(correlated)
    screen.print()
    for note in dict.fromkeys(question_report.notes(report)):
        screen.print(Text(note, style="magenta" if "no language model" in note else "dim"))


EVERY_S = 10.0
"""Seconds between two lines; on a terminal the line is renewed each second."""


@dataclass
class Progress:
    """A line on stderr that says how many trials are done."""

    title: str
    quiet: bool = False
    _shown_at: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int) -> None:
        terminal = sys.stderr.isatty()
        now = time.monotonic()
        if self.quiet or (now - self._shown_at < (1.0 if terminal else EVERY_S) and done < total):
            return
        self._shown_at = now
        end = "\r" if terminal and done < total else "\n"
        console(err=True).print(Text(f"{self.title}: {done} of {total} answers"), end=end, soft_wrap=True)
