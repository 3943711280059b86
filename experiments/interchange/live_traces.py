"""Spans of games that are being played, sent to a collector as their journals grow.

A thread reads the journals, so that no seat and no worker process knows of it: a collector that is
slow or down costs a game nothing but a warning, and spans that were lost can be sent later from the
journals.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from hanabi_orchestrator.experiments.interchange import otlp
from hanabi_orchestrator.experiments.interchange.spans import GameSpans, Span, timed
from hanabi_orchestrator.experiments.record.lines import Lines
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.regular_files import below

EVERY_S = 1.0
"""Seconds between two looks at the journals."""

PATIENCE_S = 3.0
"""Seconds for one request, its retries included; at the end of a run nobody waits longer."""


@dataclass
class _Journal:
    """A journal that grows."""

    spans: GameSpans
    lines: Lines
    old: int = 0
    """Bytes that were there before; their spans were sent then, or were not wanted."""

    @classmethod
    def of(cls, path: Path, content: bool, old: int = 0) -> "_Journal":
        arm = path.parent.name if path.parent.parent.name == GAMES else None
        return cls(GameSpans(arm, content), Lines(path, title=str(path)), old)


@dataclass
class LiveTraces:
    """Use as a context: within it, spans of the journals are sent."""

    sender: otlp.Sender
    journals: Callable[[], Iterable[Path]]
    """The journals that there are now."""
    again: str
    """The command that sends them later."""
    content: bool = False
    lost: int = 0
    """Spans that the collector did not take."""
    sent: int = 0
    _open: dict[Path, _Journal] = field(default_factory=dict)
    _over: set[Path] = field(default_factory=set)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _warned: bool = False

    @classmethod
    def of(cls, url: str, path: Path, *, content: bool = False) -> Self:
        """For the game of one journal, or the games of a run folder, whichever process plays them.

        Raises UserError without the SDK, or for something that is no address.
        """
        # a password in it is not repeated
        if url == otlp.FROM_ENVIRONMENT:
            address = url
        else:
            address = otlp.display_url(url)
        again = f"orchestrator export {path} --to otlp --otlp {address}"
        sender = otlp.Sender(url, timeout_s=PATIENCE_S)
        root = path.absolute()

        def journals() -> Iterable[Path]:
            if path.suffix == ".jsonl":
                return [root] * root.exists()
            return below(root, f"{GAMES}/*/*.jsonl")

        return cls(sender, journals, again, content)

    def __enter__(self) -> Self:
        for path in self.journals():
            self._open[path] = _Journal.of(path, self.content, path.stat().st_size)
        self._thread = threading.Thread(target=self._watch, name="live-traces", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join(2 * PATIENCE_S)

    def _watch(self) -> None:
        try:
            while not self._stop.wait(EVERY_S):
                self._send(self._look())
            last = self._look()
            for journal in self._open.values():
                if journal.lines.end > journal.old:
                    last += journal.spans.close()
            self._send(last)
            self.sender.close()
        except Exception as error:  # whatever it is, the games go on
            self._warn(f"{type(error).__name__}: {error}")

    def _look(self) -> list[Span]:
        """Return the spans that the new lines of the journals complete."""
        spans: list[Span] = []
        for path in self.journals():
            if path not in self._over:
                with suppress(OSError):
                    journal = self._open.setdefault(path, _Journal.of(path, self.content))
                    if path.stat().st_size > max(journal.lines.end, journal.old):
                        first = len(journal.lines.lines)
                        journal.lines.refresh()
                        for line, at, event in timed(journal.lines, first):
                            completed = journal.spans.feed(line, at, event)
                            spans += completed if line.start + line.size > journal.old else []
                if journal.spans.over:
                    self._over.add(path)
                    del self._open[path]
        return spans

    def _send(self, spans: list[Span]) -> None:
        for batch in otlp.batches(spans):
            # it was down before; nobody waits for it at the end
            if self.lost and self._stop.is_set():
                self.lost += len(batch)
            elif why := self.sender.send(batch):
                self.lost += len(batch)
                self._warn(why)
            else:
                self.sent += len(batch)

    def _warn(self, why: str) -> None:
        if not self._warned:
            log.warning(
                "traces are not sent; the games go on",
                why=why,
                to=otlp.display_url(self.sender.url),
                later=self.again,
            )
        self._warned = True
