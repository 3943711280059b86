"""One game, as `play` plays it: its models, its journal, and how it is continued to its end."""

from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.tasks.games.own_moves import MinOwn, OwnMovesGate
from hanabi_orchestrator.graphs.answerers import SimulatedModel
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.state_graph_seat import StateGraphSeat
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import Suspended, TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameStarted, Result, Sink
from hanabi_orchestrator.orchestrator.journal.game_so_far import GameSoFar, differences
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Replay
from hanabi_orchestrator.orchestrator.journal.totals import usage_by_turn
from hanabi_orchestrator.orchestrator.models import settings, simulated_settings
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer, limit_of
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.table.game_loop import play_started
from hanabi_orchestrator.orchestrator.table.seat import JournaledSeat, Seat

Models = Mapping[str, str | ModelSettings | SimSettings]
"""By name: a model string, or its settings."""


def models(configs: Sequence[GraphConfig], name: str) -> Models:
    """Return the models of `--model`, by name: a model string is bound to `default`; a YAML file
    may name several.

    Raises UserError when a graph needs a default and there is none: it must not silently become a
    game of programs.
    """
    if name.endswith((".yaml", ".yml")):
        named = settings.read_models(Path(name))
    else:
        named = {"default": name}
    if "default" not in named and any("default" in config.models for config in configs):
        raise UserError(
            f"{name} names {', '.join(named)}, but not default, which nodes use that name no model"
        )
    return named


FLAGS = {
    "temperature": "--temperature",
    "reasoning_effort": "--effort",
    "max_tokens": "--max-tokens",
}


def resampled(models: Models, **changes: Any) -> Models:
    """Return the models with sampling settings of the command line, which take precedence over
    those of a file.

    A change that is None is none. Raises UserError for a bad value, or when no model is on a
    server.
    """
    sampling = {name: value for name, value in changes.items() if value is not None}
    if not sampling:
        return models
    models = dict(models)
    for name, model in models.items():
        local = isinstance(model, str) and (
            model == settings.PROGRAM or model.startswith(settings.REPLAY)
        )
        if not (local or isinstance(model, SimSettings) or simulated_settings.is_simulated(model)):
            models[name] = settings.settings(
                {**settings.settings(model).model_dump(exclude_unset=True), **sampling}
            )
    if not any(isinstance(model, ModelSettings) for model in models.values()):
        flags = ", ".join(FLAGS[name] for name in sampling)
        names = ", ".join(
            model if isinstance(model, str) else model.model for model in models.values()
        )
        raise UserError(
            f"{flags} needs a model on a server, e.g. --model openai:NAME; the model here is "
            f"{names}"
        )
    return models


def file(folder: Path, name: str, started: GameStarted, *, new: bool) -> Path:
    """Return the journal of this game, finished or not; a new path when there is none, or when
    `new` asks for one.

    Raises UserError when there is an unfinished journal of this name and of another game, which
    might have been meant.
    """
    paths = (folder / f"{name}{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))
    journals = list[Path]()
    unfinished = ""
    while (free := next(paths)).exists():
        journals.append(free)
    for path in [] if new else reversed(journals):
        game = _begun(path)
        if not (changed := differences(game.started, started)):
            return path
        if game.result is None and not unfinished:
            unfinished = (
                f"{path} is an unfinished game, but a different one: {'; '.join(changed)}. {BESIDE}"
            )
    if unfinished:
        raise UserError(unfinished)
    return free


def beside(folder: Path, name: str, path: Path, started: GameStarted) -> str | None:
    """Return why a game is not played in the first file of its name: how it differs from the game
    there; None where it is."""
    first = folder / f"{name}.jsonl"
    if path == first or not first.exists():
        return None
    changed = "; ".join(differences(_begun(first).started, started))
    return f"{first} is another game ({changed}), so this one is kept in {path}"


BESIDE = "--force-new keeps it and starts a new game beside it"


def _begun(path: Path) -> GameSoFar:
    """Return the game of a journal. Raises UserError for a file that is none of this version: it
    might hold a game."""
    try:
        return GameSoFar.from_events(journal.read(path))
    except UserError as error:
        raise UserError(f"{error}. {BESIDE}") from None


def asks_servers(seats: Sequence[Seat]) -> bool:
    """Return whether a server answers any node, so that a game may have answers that were paid
    for."""
    brains = list(
        chain.from_iterable(
            seat.brains.values() for seat in seats if isinstance(seat, GraphSeat | StateGraphSeat)
        )
    )
    return any(limit_of(brain) is not None for brain in brains)


def plays_rollouts(seats: Sequence[Seat]) -> bool:
    """Return whether a program of some seat plays rollouts before it decides, about a second a turn."""
    for seat in seats:
        if not isinstance(seat, GraphSeat):
            continue
        for name, node in seat.config.nodes.items():
            by_program = node.model == settings.PROGRAM or isinstance(
                seat.brains.get(node.model), SimulatedModel
            )
            if by_program and seat.config.options_of(name).get("rollouts"):
                return True
    return False


class SingleGame:
    """A game and its journal, which is continued from its last event."""

    def __init__(
        self, seats: Sequence[Seat], started: GameStarted, path: Path, layer: ModelLayer
    ) -> None:
        self.seats = seats
        self.started = started
        self.path = path
        self.layer = layer
        self.before = GameSoFar.from_events(journal.read(path) if path.exists() else ())
        graphs = {}
        for number, seat in enumerate(seats):
            if isinstance(seat, GraphSeat | StateGraphSeat):
                graphs[number] = seat
        brains = {}
        for number, seat in graphs.items():
            for model, brain in seat.brains.items():
                brains[(number, model)] = brain
        replays = {key: brain for key, brain in brains.items() if isinstance(brain, Replay)}
        for replay in replays.values():
            replay.recording.check(started)
        self.replayed = bool(replays)
        self.paid = asks_servers(seats)
        """Whether a recording answers any node, and whether a server does."""
        if layer.budget:
            paid = [call for call in self._calls if (call.seat, call.model) not in replays]
            layer.budget.remember(usage_by_turn(paid))

    @property
    def _calls(self) -> list[Call]:
        return [event for event in self.before.events if isinstance(event, Call)]

    @property
    def over(self) -> bool:
        """Whether the journal is complete already."""
        return self.before.result is not None

    async def play(self, sink: Sink, min_own: float = 0) -> Result:
        """Play to the end: check the servers before the first move, and close the connections after
        the last.

        Raises Suspended when the game stops before its end, TurnError when a smaller share than
        `min_own` of its moves is the model's own, and UserError when a server refuses before it
        answered any call; then no journal is left.
        """
        gate = OwnMovesGate(MinOwn(min_own), self.layer.budget)
        try:
            if not self.over:
                await self._check()
            return await self._play(sink, gate)
        except Suspended as suspended:
            if suspended.refused and not self.before.events:
                self.path.unlink()
                raise UserError(str(suspended)) from None
            if suspended.unwritten:
                raise
            where = f"suspended at turn {suspended.turn} of {self.path}"
            raise Suspended(f"{where}: {suspended}", suspended.turn, held=suspended.held) from None
        except TurnError as error:
            if self.replayed and self.paid:
                kept = f"the game is kept in {self.path}, and the same command goes on with it"
                raise TurnError(f"{error}; {kept}") from error
            if self.replayed:
                self.path.unlink()  # an incomplete replay is of no use
            raise
        finally:
            for seat in self.seats:
                if isinstance(seat, JournaledSeat):
                    await seat.aclose()
            self.layer.close()

    async def _play(self, sink: Sink, gate: OwnMovesGate) -> Result:
        """Play while enough moves are the model's own. Raises TurnError."""

        def counting(event: Event) -> None:
            gate(event)
            sink(event)

        try:
            return await play_started(
                self.seats, self.started, journal=self.path, sink=counting, gate=gate
            )
        except Suspended as suspended:
            if not gate.closed:
                raise
            onward = (
                f"The game is kept in {self.path}: a smaller --min-own, 0 for none, goes on with it"
            )
            raise TurnError(
                f"stopped before turn {suspended.turn}: {gate.closed}. {onward}"
            ) from None

    async def _check(self) -> None:
        """Ask the servers. One that is unusable is an error before the first answered call;
        afterwards the game is suspended."""
        try:
            await self.layer.check()
        except UserError as error:
            if not any(call.of_model and not call.fixed for call in self._calls):
                raise
            raise Suspended(str(error), len(self.before.moves) + 1) from None
