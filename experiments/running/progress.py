"""The progress of a run on stderr: a live table on a terminal, otherwise a line every ten seconds."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from experiments.document.formats import duration
from experiments.document.terminal import console, plain_table
from experiments.record.rows import Metric, Row
from experiments.running.status import Status
from experiments.study.job import Outcome
from roles.words import percent

TABLE_S = 0.2
"""Seconds between updates on a terminal."""
EVERY_S = 10.0
"""Seconds between lines otherwise."""
TURNS = {2: 68, 3: 65, 4: 64, 5: 59}
"""Turns of a game by player count, until one has ended: those of a game of rule players."""
UNSEEN = 2
"""Games of that length that count beside those that ended."""
LAST = 0.1
"""The share of a game that a game in play has left at least."""
FEWEST = 5
"""Turns that must be played before the time left is estimated."""
SHOWN = 6
"""Arms named in a line; the table has them all."""


@dataclass
class Mean:
    """Mean score of an arm's games so far, or another number of theirs."""

    games: int = 0
    points: float = 0

    def add(self, number: float) -> None:
        self.games += 1
        self.points += number

    @property
    def text(self) -> str:
        return f"{self.points / self.games:.2f}" if self.games else "-"


class Progress:
    """Called with each outcome, and with the status now and then. It uses no thread, so that processes can fork."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.max_usd: float | None = None
        self.max_tokens: int | None = None
        self.metric: Metric = "strict"
        """The score that is shown."""
        self._title, self._total, self._before, self._done = "", 0, 0, 0
        self._means: dict[str, Mean] = {}
        self._status = Status()
        self._waiting: Counter[int] = Counter()
        """Games that are not finished, by player count."""
        self._ended: dict[int, Mean] = {}
        """Turns of the finished games, by player count."""
        self._live: Live | None = None
        self._began = self._shown_at = 0.0
        self._done_turns = 0
        self._stopping = ""
        self._paused = ""
        """What is shown while the run is paused."""
        self._paused_at = 0.0

    def begin(self, title: str, games: Sequence[int], rows: Iterable[Row] = (), arms: Iterable[str] = ()) -> None:
        """`games`: the player count of each; `rows` are those played before; `arms` are shown in their order."""
        self.end()
        before, total = list(rows), len(games)
        self._waiting, self._ended = Counter(games), {}
        self._title, self._total, self._before = title, total, len(before)
        self._done, self._means, self._status = len(before), {arm: Mean() for arm in arms}, Status()
        for row in before:
            self._means.setdefault(row.arm, Mean()).add(row.score(self.metric))
            self._end_of(row.players, row.turns)
        self._began = self._shown_at = time.monotonic()
        self._done_turns = 0
        if not self.quiet:
            played = f", {len(before)} of them played before" if before else ""
            console(err=True).print(Text(f"{title}: {total} games{played}"))

    def __call__(self, outcome: Outcome) -> None:
        if outcome.result:
            self._done += 1
            score = outcome.result.score_strict if self.metric == "strict" else outcome.result.score_kept
            self._means.setdefault(outcome.job.arm, Mean()).add(score)
            self._end_of(outcome.result.players, outcome.result.turns)
            self._done_turns += outcome.result.turns
        elif outcome.failed:
            self.line(f"{outcome.job.name} failed: {outcome.failed}")
        elif outcome.suspended and not outcome.stopped_by_run:
            self.line(f"{outcome.job.name} is suspended: {outcome.suspended}")

    def _end_of(self, players: int, turns: int) -> None:
        self._waiting[players] -= 1
        self._ended.setdefault(players, Mean()).add(turns)

    def tick(self, status: Status) -> None:
        self._status = status
        if self.quiet:
            return
        terminal = sys.stderr.isatty()
        if time.monotonic() - self._shown_at < (TABLE_S if terminal else EVERY_S):
            return
        self._shown_at = time.monotonic()
        if terminal:
            self._display().update(self._table(), refresh=True)
        elif not self._paused:
            self.line("; ".join(self._words()))

    def stopping(self) -> None:
        """It was interrupted."""
        self._stopping = "stopping at the end of the turns in play; Ctrl-C again stops at once"
        if not self._live:
            self.line(self._stopping)

    def pause(self, said: str) -> None:
        """Say so, and let the clock of the time left stand still."""
        self._paused, self._paused_at = said, time.monotonic()
        if not self._live:
            self.line(said)

    def resume(self) -> None:
        if self._paused:
            self._began += time.monotonic() - self._paused_at
            self._paused = ""
            self.line("the run goes on")

    def line(self, text: str) -> None:
        if not self.quiet:
            (self._live.console if self._live else console(err=True)).print(Text(text), soft_wrap=True)

    def end(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _display(self) -> Live:
        if self._live is None:
            self._live = Live(console=console(err=True), auto_refresh=False, transient=True)
            self._live.start()
        return self._live

    def _words(self) -> Iterator[str]:
        playing = f", {self._status.playing} in play" if self._status.playing else ""
        turns = f", {self._status.turns:,} turns" if self._status.turns else ""
        yield f"{self._title}: {self._done} of {self._total} games{playing}{turns}"
        played = [(arm, mean) for arm, mean in self._means.items() if mean.games]
        means = [f"{arm} {mean.text}" for arm, mean in played[:SHOWN]]
        more = len(played) - SHOWN
        if means:
            yield ", ".join([*means, *([f"and {more} more arms"] if more > 0 else [])])
        if own := [f"{arm} {share}" for arm, share in self._own() if share != "-"]:
            yield f"own moves {', '.join(own[:SHOWN])}"
        yield from self._models()
        if left := self._left():
            yield left

    def _own(self) -> Iterator[tuple[str, str]]:
        """By arm: the share of its moves that are its model's own, in the games of this command."""
        for arm in dict.fromkeys((*self._means, *self._status.moves)):
            counts = self._status.moves.get(arm, Counter())
            moves = counts["model_moves"]
            yield arm, percent(counts["own"] / moves) if moves else "-"

    def _models(self) -> Iterator[str]:
        for name, load in self._status.loads.items():
            limited = f", {load.rate_limited} rate-limited (429)" if load.rate_limited else ""
            yield f"{name} {load.busy}/{load.limit} calls{limited}"
        if self._status.loads:
            yield f"{self._status.unusable} unusable answers, {self._status.fallbacks} fallbacks, {self._spent()}"
        if self._status.fake:
            yield "the package's fake server answers, not a language model"

    def _spent(self) -> str:
        tokens = f"{self._status.tokens:,} tokens" + (f" of {self.max_tokens:,}" if self.max_tokens else "")
        if not self._status.priced or not self._status.tokens:
            return tokens
        return f"{tokens}, ${self._status.usd:.2f}" + (f" of ${self.max_usd:g}" if self.max_usd else "")

    def _left(self) -> str:
        """Time and money, from the turns played so far and those that are expected."""
        played = self._status.turns - self._status.earlier
        if played < FEWEST or self._done == self._total or self._paused:
            return ""
        ahead = self._ahead()
        seconds = (time.monotonic() - self._began) / played * ahead
        usd = self._status.usd / self._status.turns * ahead if self._status.priced else 0.0
        return f"about {duration(seconds)}{f' and ${usd:.2f}' if usd else ''} left"

    def _ahead(self) -> float:
        """Turns that are expected of the games that are not finished. A game in play has some of them left, however
        long it is already."""
        whole = sum(number * self._turns(players) for players, number in self._waiting.items())
        behind = self._status.turns - self._done_turns
        share = self._status.playing / (self._waiting.total() or 1)
        return max(whole - behind, whole * (1 - share) + LAST * whole * share)

    def _turns(self, players: int) -> float:
        """Of a game: those that ended, and some that nobody saw, since short games are the first to end."""
        ended = self._ended.get(players, Mean())
        return (ended.points + UNSEEN * TURNS[players]) / (ended.games + UNSEEN)

    def _table(self) -> Group:
        bar = Table.grid(padding=(0, 1))
        games = f"{self._done}/{self._total} games, {self._status.turns:,} turns"
        bar.add_row(
            self._title, ProgressBar(total=max(1, self._total), completed=self._done, width=40), games, self._left()
        )
        arms = plain_table("arm", "games", self.metric, "own", "forced", "refused", words=("arm",))
        for arm, own in self._own():
            mean, counts = self._means.get(arm, Mean()), self._status.moves.get(arm, Counter())
            arms.add_row(arm, str(mean.games), mean.text, own, str(counts["forced"]), str(counts["refused"]))
        lines = [Text(line, style="dim") for line in self._models()]
        states = [Text(one, style="magenta") for one in (self._paused, self._stopping) if one]
        return Group(bar, *states, *lines, arms)  # when there are many arms, the last lines are cut off
