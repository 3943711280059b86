"""One game, as `play` plays it: on which models, in which file, from where it stands to its end."""

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.text import Text

from experiments import story
from graphs.seat import GraphSeat
from orchestrator import journal, settings
from orchestrator.begun import Begun, differences
from orchestrator.budget import Budget
from orchestrator.cache import Cache
from orchestrator.errors import Suspended, UserError
from orchestrator.events import GameStarted, Result, Sink
from orchestrator.models import ModelLayer
from orchestrator.recording import Recording
from orchestrator.settings import ModelSettings
from orchestrator.table import play_async


def models(given: str) -> Mapping[str, str | ModelSettings]:
    """The models of `--model`, by name: a model string is the one called `default`; a YAML file may hold several."""
    if given.endswith((".yaml", ".yml")):
        return settings.read(Path(given))
    return {"default": given}


def layer(*, cache: str, replay: Path | None, max_tokens: int | None, max_usd: float | None) -> ModelLayer:
    """The model layer of a run. Raises UserError for options that cannot be."""
    if max_tokens is not None and max_tokens < 1:
        raise UserError(f"--max-tokens is {max_tokens}; a budget is at least 1")
    if max_usd is not None and max_usd <= 0:
        raise UserError(f"--max-usd is {max_usd:g}; a budget is more than 0")
    limited = max_tokens is not None or max_usd is not None
    return ModelLayer(
        cache=None if cache == "off" else Cache(Path(cache)),
        budget=Budget(max_tokens, max_usd) if limited else None,
        replay=None if replay is None else Recording.of(replay),
    )


def file(folder: Path, name: str, started: GameStarted, *, new: bool) -> Path:
    """Where this game is, finished or not; a new file when it is nowhere yet, or when `new` asks for one.

    Raises UserError when an unfinished game of this name is another one: it might be meant to go on.
    """
    there = [] if new else list(_taken(folder, name))[::-1]
    other: tuple[Path, Begun] | None = None
    for path in there:
        begun = _begun(path)
        if begun is not None and not differences(begun.started, started):
            return path
        if begun is not None and begun.result is None and other is None:
            other = path, begun
    if other:
        changed = "; ".join(differences(other[1].started, started))
        raise UserError(
            f"{other[0]} is an unfinished game, and another one: {changed}. "
            "--force-new leaves it there and begins a new one beside it"
        )
    return next(path for path in _names(folder, name) if not path.exists())


def _names(folder: Path, name: str) -> Iterator[Path]:
    return (folder / f"{name}{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))


def _taken(folder: Path, name: str) -> Iterator[Path]:
    for path in _names(folder, name):
        if not path.exists():
            return
        yield path


def _begun(path: Path) -> Begun | None:
    """None for a file that is no journal that this program reads."""
    try:
        return Begun.of(journal.read(path))
    except UserError:
        return None


class Game:
    """A game and its file; what the file holds has happened."""

    def __init__(self, seat: GraphSeat, started: GameStarted, label: str | None, path: Path, layer: ModelLayer) -> None:
        self.seat = seat
        self.started = started
        self.label = label
        self.path = path
        self.layer = layer
        before = Begun.of(journal.read(path) if path.exists() else ())
        self.over = before.result is not None
        """Whether it was played to its end before."""
        if layer.budget:
            layer.budget.remember(before.events)

    async def on(self, sink: Sink) -> Result:
        """Play on to the end: the server checked before the first move, its connections closed after the last.

        Raises Suspended when it stopped before its end, UserError when the server refuses before it said anything;
        then no file is left.
        """
        try:
            if not self.over:
                await self.layer.check()
            return await self._played(sink)
        except Suspended as suspended:
            if suspended.refused:
                self.path.unlink()
                raise UserError(str(suspended)) from None
            raise Suspended(f"suspended at turn {suspended.turn} of {self.path}: {suspended}", suspended.turn) from None
        finally:
            await self.seat.aclose()
            self.layer.close()

    async def _played(self, sink: Sink) -> Result:
        dealt = self.started.seed is not None
        return await play_async(
            self.seat,
            players=self.started.players,
            seed=self.started.seed,
            deck=None if dealt else self.started.deck,
            label=self.label,
            journal=self.path,
            sink=sink,
            gate=self.layer.budget,
        )


def closing(result: Result, path: Path, screen: Console, *, again: bool) -> None:
    """The result, and what to type next."""
    screen.print(story.summary(result))
    screen.print(Text(f"\njournal  {path}"))
    if again:
        screen.print(Text("         played before; --force-new plays it anew", style="dim"))
    screen.print(Text(f"next     orchestrator show {path} --turn 1", style="dim"))
