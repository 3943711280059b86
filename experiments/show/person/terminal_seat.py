"""A person's seat in the terminal: shows them their View, reads what they type, and waits while
partners think."""

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.status import Status
from rich.text import Text

from hanabi_orchestrator.experiments.show.person import screen
from hanabi_orchestrator.experiments.show.terminal import Warnings
from hanabi_orchestrator.orchestrator.errors import Left
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.settings import REPLAY
from hanabi_orchestrator.orchestrator.players.person import Person, RecordedPerson
from hanabi_orchestrator.orchestrator.table.seat import Seat

BLOCK = 65536


class TypedLines:
    """Lines of an input, one at a time. An interrupt ends the wait for one at once."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdin
        self._ready: deque[str] = deque()
        self._rest = b""
        self._ended = False

    @property
    def typed(self) -> bool:
        """Whether somebody types them at a terminal."""
        return self._stream.isatty()

    async def next(self) -> str | None:
        """Return the next line without its end; None when the input has ended."""
        while not self._ready and not self._ended:
            block = await self._block()
            self._ended = not block
            *lines, self._rest = (self._rest + block).split(b"\n")
            if self._ended and self._rest:
                lines = [*lines, self._rest]
                self._rest = b""
            self._ready.extend(line.decode("utf-8", "replace").rstrip("\r") for line in lines)
        if self._ready:
            return self._ready.popleft()
        return None

    def drop(self) -> None:
        """Forget what was typed at the terminal before the question was there; what a script pipes
        in stays."""
        if self.typed:
            self._ready.clear()
            self._rest = b""
            with suppress(ImportError):  # a system whose terminals keep nothing
                import termios

                termios.tcflush(self._stream.fileno(), termios.TCIFLUSH)

    async def _block(self) -> bytes:
        """Return what there is to read; nothing at the end."""
        try:
            number = self._stream.fileno()
        except (OSError, ValueError, AttributeError):  # a test's, which has no file behind it
            return self._stream.readline().encode()
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(number, ready.set)
        except PermissionError:  # a file, which never makes anybody wait
            return os.read(number, BLOCK)
        except NotImplementedError:  # Windows
            return await asyncio.to_thread(os.read, number, BLOCK)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(number)
        return os.read(number, BLOCK)


QUIT = ("quit", "exit", "q")
UNDO = ("undo", "back", "u")


class TerminalSeat:
    """Asks the persons of a game at one terminal: the `ask` of their seats."""

    def __init__(self, console: Console, lines: TypedLines, persons: frozenset[int]) -> None:
        self._console = console
        self._lines = lines
        self._persons = persons
        self._last: int | None = None
        """The person who moved last."""
        self.waiting = Waiting(console, persons)

    async def __call__(self, view: View, problem: str | None) -> str:
        """Return the line that names the person's move. Raises Left when they leave, or the input
        ends."""
        self.waiting.stop()
        if problem is not None:
            self._say(Text(problem, style="yellow"))
        else:
            await self._handed_over(view)
            self._lines.drop()
            self._say(screen.turn_screen(view))
        while True:
            self._console.print(
                Text(f"P{view.seat}, your move (? for help): ", style="bold"), end=""
            )
            self._console.file.flush()
            line = await self._lines.next()
            if line is None or not self._lines.typed:
                self._say(Text(line or ""))
            if line is None or line.strip().lower() in QUIT:
                raise Left(f"P{view.seat} left the table")
            if not self._told(line.strip().lower(), view):
                self._last = view.seat
                return line

    async def _handed_over(self, view: View) -> None:
        """Keep the screen empty, where several persons share it, until the next one asks for their
        turn."""
        if len(self._persons) < 2 or self._last == view.seat:
            return
        if self._console.is_terminal:
            self._console.clear()
            self._console.file.write("\x1b[3J")  # what was scrolled away, too
        self._lines.drop()
        self._say(screen.handed_over(view.seat))
        if self._lines.typed and await self._lines.next() is None:
            raise Left(f"P{view.seat} left the table")

    def _told(self, words: str, view: View) -> bool:
        """Answer a line that names no move; whether it was one."""
        match words:
            case "":
                return True
            case "?" | "help" | "h":
                self._say(screen.help_screen(view))
            case "board" | "b":
                self._say(screen.turn_screen(view))
            case "log" | "l":
                self._say(screen.log(view))
            case words if words in UNDO:
                self._say(
                    Text("A move cannot be taken back: the others have seen it.", style="yellow")
                )
            case _:
                return False
        return True

    def _say(self, block: object) -> None:
        self._console.print(block, soft_wrap=isinstance(block, Text))


class Waiting:
    """An event sink that says on a terminal who is to move while no person is, and for how long."""

    def __init__(self, console: Console, persons: frozenset[int]) -> None:
        self._console = console
        self._persons = persons
        self._status: Status | None = None
        self._warn = Warnings(console)

    def __call__(self, event: Event) -> None:
        """Tells nothing of an event but who is to move, and that no language model plays."""
        self._warn(event)
        match event:
            case TurnStarted() if event.seat in self._persons:
                self.stop()
            case TurnStarted() if self._console.is_terminal:
                text = _Since(f"P{event.seat} is thinking")
                if self._status is None:
                    self._status = self._console.status(text)
                    self._status.start()
                else:
                    self._status.update(text)

    def stop(self) -> None:
        """End the line, before anything else is printed."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def __enter__(self) -> "Waiting":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Since:
    """A text with the seconds since it was first shown."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._began = time.monotonic()

    def __rich__(self) -> Text:
        passed = time.monotonic() - self._began
        return Text(f"{self._text}, {passed:.0f} s" if passed >= 1 else self._text, style="dim")


def persons(
    seats: frozenset[int], console: Console, replay: Path | None, models: Iterable[object]
) -> tuple[TerminalSeat | None, Seat | None]:
    """Return what asks the persons of these seats, and their seat; where a recording answers
    models, it moves for persons."""
    if not seats:
        return None, None
    recordings = (
        Path(name.removeprefix(REPLAY)) for name in map(str, models) if name.startswith(REPLAY)
    )
    if recorded := replay or next(recordings, None):
        return None, RecordedPerson(recorded)
    seat = TerminalSeat(console, TypedLines(), seats)
    return seat, Person(seat)
