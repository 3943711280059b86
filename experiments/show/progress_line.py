"""How far a command has come, on a line of stderr."""

import sys
import time
from dataclasses import dataclass, field

from rich.text import Text

from experiments.show.terminal import console

EVERY_S = 10.0
"""Seconds between two lines; on a terminal the line is renewed each second."""


@dataclass
class ProgressLine:
    """A line on stderr that says how many of some things are done."""

    title: str
    things: str
    """What is counted, e.g. `answers`."""
    quiet: bool = False
    _shown_at: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int) -> None:
        terminal = sys.stderr.isatty()
        now = time.monotonic()
        if self.quiet or (now - self._shown_at < (1.0 if terminal else EVERY_S) and done < total):
            return
        self._shown_at = now
        end = "\r" if terminal and done < total else "\n"
        console(err=True).print(Text(f"{self.title}: {done} of {total} {self.things}"), end=end, soft_wrap=True)
