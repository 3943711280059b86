"""Responses that journals hold already: for a game that is resumed, and for a game that is replayed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hanabi_orchestrator.orchestrator.errors import TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameStarted, SeatInfo
from hanabi_orchestrator.orchestrator.journal.file import read
from hanabi_orchestrator.orchestrator.models.request import (
    RECORDED,
    Brain,
    Key,
    Message,
    ModelRequest,
    ModelResponse,
    prompt_hash,
    takes_schema,
)
from hanabi_orchestrator.orchestrator.regular_files import below
from hanabi_orchestrator.orchestrator.replies.reply import Unreadable


def answered(events: Iterable[Event]) -> dict[Key, Call]:
    """Return the model calls that were answered, by their keys; those that failed are to be made again."""
    calls = (event for event in events if isinstance(event, Call))
    return {call.key: call for call in calls if call.text is not None}


def response_of(call: Call) -> ModelResponse:
    """Return the response of a recorded call; one that was unusable stays so."""
    unusable = None
    if call.outcome in ("reasked", "fallback") and call.error is not None:
        unusable = Unreadable(call.error, call.cause or "schema")
    return ModelResponse(
        call.text or "", unusable=unusable, **{name: getattr(call, name) for name in RECORDED}
    )


@dataclass
class Resumed:
    """A brain in a resumed game: requests that the journal has answered are not sent again."""

    brain: Brain
    calls: Mapping[Key, Call]

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        call = self.calls.get(request.key)
        if call is None:
            return await self.brain(request, messages)
        if call.prompt_hash != prompt_hash(messages):
            raise TurnError(
                f"{_where(request)}: the journal holds an answer to another prompt; {first_difference(call, messages)}"
            )
        return response_of(call)

    def takes_schema(self, request: ModelRequest, /) -> bool:
        call = self.calls.get(request.key)
        return takes_schema(self.brain, request) if call is None else call.form == "json_schema"

    async def aclose(self) -> None:
        await self.brain.aclose()


@dataclass(frozen=True)
class RecordedGame:
    """The answered model calls of a recorded game."""

    path: Path
    started: GameStarted
    calls: Mapping[Key, Call]


@dataclass(frozen=True)
class Recording:
    """The journals of a folder, or one journal."""

    path: Path
    games: Mapping[str, Sequence[RecordedGame]]
    """By the hash of the game, which may have been played more than once."""

    @classmethod
    def read(cls, path: Path) -> "Recording":
        """Return the recording of a folder, or of one journal. Raises UserError when there is none."""
        if not path.exists():
            raise UserError(
                f"there is no recording at {str(path)!r}; give a folder of journals, or a journal"
            )
        games: dict[str, list[RecordedGame]] = {}
        for file in below(path, "*.jsonl", deep=True) if path.is_dir() else [path]:
            events = read(file)
            if events and isinstance(events[0], GameStarted):
                games.setdefault(events[0].game, []).append(
                    RecordedGame(file, events[0], answered(events))
                )
        if not games:
            raise UserError(f"{str(path)!r} holds no recorded game")
        return cls(path, games)

    def of_seat(self, info: SeatInfo) -> "Recording":
        """Return the games that this seat played; if there are none, those of its models, so that a message can say
        what differs; else all games."""
        for same in (
            lambda seat: (seat.config, seat.models) == (info.config, info.models),
            lambda seat: seat.models == info.models,
        ):
            games = {
                game: fitting
                for game, plays in self.games.items()
                if (fitting := [play for play in plays if any(map(same, play.started.everybody))])
            }
            if games:
                return replace(self, games=games)
        return self

    @property
    def seats(self) -> list[SeatInfo]:
        """Everybody who played in it."""
        return [
            seat
            for games in self.games.values()
            for game in games
            for seat in game.started.everybody
        ]

    def check(self, started: GameStarted) -> None:
        """Raise UserError when the game is not in the recording."""
        if started.game not in self.games:
            deals = dict.fromkeys(
                _in_words(game.started) for games in self.games.values() for game in games
            )
            raise UserError(
                f"no game of {_in_words(started)} is recorded in {str(self.path)!r}; there: {'; '.join(deals)}"
            )

    @cached_property
    def model(self) -> tuple[str, Mapping[str, Any]]:
        """The only model in the recording, and the settings that decide its answers. Raises UserError unless there is
        one."""
        models = [
            (name, deciding)
            for games in self.games.values()
            for game in games
            for seat in game.started.everybody
            for name, deciding in seat.models.items()
        ]
        different = [model for number, model in enumerate(models) if model not in models[:number]]
        if len(different) != 1:
            names = ", ".join(f"{name} {deciding}" for name, deciding in different) or "none"
            raise UserError(
                f"replay:{self.path} was recorded with several models or none ({names}); replay one journal of it, or "
                f"give --cache replay:{self.path} beside the --model that was recorded"
            )
        return different[0]


def _in_words(started: GameStarted) -> str:
    return f"{started.players} players, {started.deal}{f', repeat {started.repeat}' if started.repeat > 1 else ''}"


@dataclass
class Replay:
    """A brain that gives recorded responses and nothing else."""

    recording: Recording

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        """Raises TurnError for a request that was not recorded."""
        games = self.recording.games.get(request.place.game, ())
        answers = [(game.path, call) for game in games if (call := game.calls.get(request.key))]
        fitting = [
            (path, call) for path, call in answers if call.prompt_hash == prompt_hash(messages)
        ]
        if len({call.text for _, call in fitting}) > 1:
            names = ", ".join(str(path) for path, _ in fitting)
            raise TurnError(
                f"{_where(request)} was answered in several ways ({names}): replay one journal, not the folder"
            )
        if not fitting:
            why = (
                first_difference(answers[0][1], messages) if answers else "nothing was asked there"
            )
            raise TurnError(
                f"{_where(request)} asks what was not recorded in {str(self.recording.path)!r}: {why}"
            )
        return response_of(fitting[0][1])

    def takes_schema(self, request: ModelRequest, /) -> bool:
        games = self.recording.games.get(request.place.game, ())
        return any(
            call.form == "json_schema" for game in games if (call := game.calls.get(request.key))
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def _where(request: ModelRequest) -> str:
    more = f", sample {request.sample}" if request.sample else ""
    more += f", ask {request.ask}" if request.ask else ""
    return f"turn {request.place.turn}: node {request.node!r}{more}"


def first_difference(call: Call, messages: Sequence[Message]) -> str:
    """Return where two prompts first differ."""
    for old, new in zip(call.messages, messages, strict=False):
        before = {span.name: old.content[span.start : span.end] for span in old.spans}
        after = {span.name: new.content[span.start : span.end] for span in new.spans}
        for name in (*after, *before):
            if before.get(name) != after.get(name):
                return f"the first difference is in the section {name!r}"
        if (old.role, old.content) != (new.role, new.content):
            return f"the first difference is in a message of the {new.role}"
    return "one prompt has more messages than the other"
