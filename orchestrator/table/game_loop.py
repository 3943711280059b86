"""The game loop: it shows views to seats, checks their decisions, applies them and emits every event to a sink.

A game with a journal can stop at any moment and be resumed by the same call: what the journal holds has happened, and
the rest is played. Between two turns the journal holds the whole state of the game.
"""

import asyncio
import hashlib
import inspect
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, Protocol

import structlog

from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import (
    Held,
    Left,
    ModelError,
    PlayWarning,
    Suspended,
    Unwritten,
    UserError,
)
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get, of_seats
from hanabi_orchestrator.orchestrator.game.types import AnyReferee, Game
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameEnded,
    GameStarted,
    GameSuspended,
    Memory,
    Moved,
    Result,
    Sink,
    TurnStarted,
    nowhere,
)
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.journal.game_so_far import GameSoFar, differences
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.table.seat import (
    Decision,
    GameContext,
    JournaledSeat,
    Seat,
    Traced,
    at_once,
    describe,
)
from hanabi_orchestrator.orchestrator.versions import versions


class Gate(Protocol):
    """Decides before each turn whether a game may go on, as a budget does."""

    async def enter(self) -> str | None:
        """Called before each turn, in the task of the game; returns why the turn must not begin, or None."""

    def leave(self) -> None:
        """Called when the game is over or suspended."""


class OpenGate:
    """A gate that never stops a game."""

    async def enter(self) -> str | None:
        return None

    def leave(self) -> None:
        """Nothing to do."""


Seats = Seat | Sequence[Seat]

P = ParamSpec("P")


async def play_async(
    seats: Seats,
    *,
    players: int | None = None,
    seed: int | None = None,
    deck: Sequence[str] | None = None,
    label: str | None = None,
    repeat: int = 1,
    game: str | None = None,
    journal: Path | str | None = None,
    sink: Sink = nowhere,
    gate: Gate | None = None,
    max_turns: int | None = None,
    memories: Mapping[int, Memory] | None = None,
    lean: bool = False,
    strict: bool = False,
) -> Result:
    """Play one game and return its result: `await play_async(...)` inside an event loop, `play(...)` outside one.

    `play` closes the seats afterwards.

    `seats`: one seat for everybody, or one per player. `players`: how many; by default as many as the seats of a list,
    and the game's usual number for one seat.
    `seed`: the number of the game's own deal, in Hanabi the seed of HLE's, 1 when no deck is given. `deck`: the deal
    itself, in Hanabi the 50 cards in the order of dealing; `label` names the deck, for the seeds of models and in
    results. `repeat`: 1 is the first game of a deal. `game`: its name; that of the seats where nobody says, and Hanabi
    for plain functions. `journal`: the file for the events; a game that it holds is resumed, a
    finished one is not played again. `sink` gets every event, those of the journal first. `gate` can stop the game
    before its next turn. `max_turns`: stop after this many turns, including those before a resume. `memories`: by
    seat, plain JSON data that is in its memory on every turn. `lean`: write a small journal.
    Warns (PlayWarning) with the `notes` of the Result, such as moves that were forced; `strict`: raise the first of
    them instead. Raises UserError for a game that cannot be played, Suspended when a model gave no answer, a person
    left or the gate stopped the game, and TurnError when a turn fails.
    """
    kind = game_of(seats, game)
    if players is not None:
        count = players
    elif isinstance(seats, Sequence):
        count = len(seats)
    else:
        count = kind.usual
    everybody = seated(seats, count, kind)
    started = start(
        everybody,
        players=count,
        game=kind.name,
        seed=seed,
        deck=deck,
        label=label,
        repeat=repeat,
        memories=memories,
    )
    result = await play_started(
        everybody, started, journal=journal, sink=sink, gate=gate, max_turns=max_turns, lean=lean
    )
    for note in result.notes:
        if strict:
            raise PlayWarning(note)
        warnings.warn(note, PlayWarning, stacklevel=_depth())
    return result


def _depth() -> int:
    """Return the stack level of who called `play` or `play_async`, for a warning."""
    frame = inspect.currentframe()
    depth = 0
    while frame and frame.f_globals["__name__"].partition(".")[0] in (
        __name__.partition(".")[0],
        "asyncio",
    ):
        frame = frame.f_back
        depth = depth + 1
    return depth


async def play_started(
    everybody: Sequence[Seat],
    started: GameStarted,
    *,
    journal: Path | str | None = None,
    sink: Sink = nowhere,
    gate: Gate | None = None,
    max_turns: int | None = None,
    lean: bool = False,
) -> Result:
    """Play the game that begins with this event, or go on with it, as `play_async` does; one seat for each player."""
    gate = gate or OpenGate()
    try:
        with nullcontext() if journal is None else Journal(Path(journal), lean=lean) as written:
            so_far = GameSoFar.from_events(written.events if written else ())
            flush = written.flush if written else at_once
            if written and (changed := differences(so_far.started, started)):
                raise UserError(f"{written.path} holds another game: {'; '.join(changed)}")
            game = _GameInPlay(
                everybody, started, so_far, sink, written or nowhere, gate, max_turns, flush
            )
            with structlog.contextvars.bound_contextvars(game=started.game):
                around = next((seat.around for seat in everybody if isinstance(seat, Traced)), None)
                return await (around(started, game.played) if around else game.played())
    except Unwritten as error:
        raise Suspended(str(error), 0, held=True, unwritten=True) from None


def _blocking(run: Callable[P, Awaitable[Result]]) -> Callable[P, Result]:
    """`run` for use outside an event loop, with the same parameters; it closes the seats afterwards."""

    async def closing(*args: P.args, **options: P.kwargs) -> Result:
        seats: Seats = inspect.signature(run).bind(*args, **options).arguments["seats"]
        try:
            return await run(*args, **options)
        finally:
            for seat in seats if isinstance(seats, Sequence) else (seats,):
                if isinstance(seat, JournaledSeat):
                    await seat.aclose()

    @wraps(run)
    def play(*args: P.args, **options: P.kwargs) -> Result:
        return event_loop.run(closing(*args, **options), "play_async(...)")

    play.__name__ = play.__qualname__ = "play"
    return play


play = _blocking(play_async)
"""Play one game outside an event loop, with the arguments of `play_async`; closes the seats afterwards."""


def game_of(seats: Seats, name: str | None = None) -> Game:
    """Return the game that seats play; `name`: the one that they must play. Raises UserError for seats of two games."""
    several = seats if isinstance(seats, Sequence) else (seats,)
    named = [seat.info.game for seat in several if isinstance(seat, JournaledSeat)]
    return of_seats(named, name)


def seated(seats: Seats, players: int, game: Game | None = None) -> tuple[Seat, ...]:
    """Return one seat for each player. Raises UserError for another number of seats."""
    (game or game_of(seats)).check_players(players)
    each = tuple(seats) if isinstance(seats, Sequence) else (seats,) * players
    if len(each) != players:
        raise UserError(f"{players} players need {players} seats, not {len(each)}")
    return each


def start(
    seats: Sequence[Seat],
    *,
    players: int,
    seed: int | None = None,
    deck: Sequence[str] | None = None,
    label: str | None = None,
    repeat: int = 1,
    memories: Mapping[int, Memory] | None = None,
    game: str | None = None,
) -> GameStarted:
    """Return the first event of a game, which identifies it. Raises UserError for what cannot be played."""
    kind = game_of(seats, game).name
    if seed is not None and deck is not None:
        raise UserError(
            f"give a seed or a deck, not both: a deck leaves nothing for seed {seed} to deal"
        )
    dealt = None if deck is not None else 1 if seed is None else seed
    cards = _deal(kind, players, dealt, tuple(deck or ()))
    cast = tuple(describe(seat, kind) for seat in seats)
    memories_before = {
        seat: dict(memory) for seat, memory in sorted((memories or {}).items()) if memory
    }
    if stranger := [seat for seat in memories_before if seat not in range(players)]:
        raise UserError(
            f"there is no seat {stranger[0]} to give a memory; the seats are 0 to {players - 1}"
        )
    # the label, never the cards: seeds of models must not depend on what is hidden
    place = [players, f"seed {dealt}" if dealt is not None else f"deck {label}", repeat]
    place += [kind] if kind != DEFAULT else []
    return GameStarted(
        kind=kind,
        players=players,
        seed=dealt,
        deck_name=label if deck is not None else None,
        repeat=repeat,
        game=fingerprint.hashed(place),
        deck=cards,
        seats=cast,
        memories=memories_before,
        config_hash=fingerprint.of_game(
            players,
            cards,
            repeat,
            [seat.model_dump(mode="json") for seat in cast],
            memories_before,
            kind=kind if kind != DEFAULT else None,
        ),
        versions=dict(versions()),
    )


@lru_cache(maxsize=64)  # the arms of an experiment play the same deals
def _deal(kind: str, players: int, seed: int | None, deck: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the deal. Raises UserError for a wrong seed, deck or player count."""
    game = get(kind)
    return game.referee(players, game.deal(seed) if seed is not None else deck).deck


@dataclass
class _GameInPlay:
    """One game, from where its journal ends to the end of the game."""

    seats: Sequence[Seat]
    started: GameStarted
    so_far: GameSoFar
    sink: Sink
    written: Sink
    gate: Gate
    max_turns: int | None
    flush: Callable[[], Awaitable[None]] = at_once
    ledger: Ledger = field(default_factory=Ledger)

    async def played(self) -> Result:
        """Return the result of the game. Raises Suspended when it stopped before its end."""
        for event in self.so_far.events:
            self.ledger(event)
            self.sink(event)
        if self.so_far.result is not None:
            return self.so_far.result
        try:
            return await self._play_on()
        finally:
            self.gate.leave()

    async def _play_on(self) -> Result:
        self._emit(self.started)
        game = get(self.started.kind)
        referee = game.rebuilt(self.started.players, self.started.deck, self.so_far.moves)
        before = self.started.memories
        memories = dict(self.so_far.memories)
        context = GameContext(
            self._emit, self.started.game, self.started.repeat, self.flush, self.so_far.answered
        )
        seats = [
            seat.bind(context) if isinstance(seat, JournaledSeat) else seat for seat in self.seats
        ]
        while not referee.over and (self.max_turns is None or referee.turn <= self.max_turns):
            await asyncio.sleep(0)  # programs never wait, and other games share this event loop
            if why := await self.gate.enter():
                raise self._suspended(why, referee.turn, held=True)
            seat = referee.seat
            memory = {**before.get(seat, {}), **memories.get(seat, {})}
            memories[seat] = await self._turn(referee, seats[seat], memory)
        result = result_of(referee, self.started, self.ledger)
        self._emit(GameEnded(result=result))
        return result

    def _emit(self, event: Event) -> None:
        """Emit an event, unless the journal holds it already."""
        if self.so_far.holds(event):
            return
        self.ledger(event)
        self.written(event)
        self.sink(event)

    async def _turn(self, referee: AnyReferee, seat: Seat, memory: Memory) -> Memory:
        """Play one turn; returns the memory that the seat keeps of it."""
        view = referee.view(own_hand=self.started.sees_own_hand(referee.seat, referee.turn))
        self._emit(TurnStarted(turn=view.turn, seat=view.seat, view=view))
        decided = self.so_far.decided
        if decided is None or decided.turn != view.turn:
            with structlog.contextvars.bound_contextvars(turn=view.turn, seat=view.seat):
                try:
                    decision = await seat(view, memory)
                    decided = decided_event(
                        view.turn, view.seat, decision, self.started.memories.get(view.seat, {})
                    )
                except Left as error:
                    raise self._suspended(str(error), view.turn, held=False) from None
                except ModelError as error:
                    held = isinstance(error, Held)
                    raise self._suspended(
                        str(error), view.turn, held=held, final=error.final
                    ) from None
        past = referee.apply(
            decided.move
        )  # before it is emitted: an illegal decision must not stand in the journal
        self._emit(decided)
        self._emit(Moved(past=past))
        return dict(decided.model_dump(mode="json")["memory"])  # as a resumed game would read it

    def _suspended(
        self, why: str, turn: int, *, held: bool = False, final: bool = False
    ) -> Suspended:
        log.info("suspended", why=why, turn=turn)
        self._emit(GameSuspended(turn=turn, why=why))
        return Suspended(why, turn, held=held, refused=final and not self.ledger.counts["calls"])


def decided_event(turn: int, seat: int, decision: Decision, before: Memory) -> Decided:
    """Return the event of a decision, without the memory that was given before the game."""
    return Decided(
        turn=turn,
        seat=seat,
        move=decision.move,
        why=decision.why,
        ratings=None if decision.ratings is None else dict(decision.ratings),
        forced=decision.forced,
        node=decision.node,
        votes={node: dict(moves) for node, moves in decision.votes.items()},
        rank=decision.rank,
        memory={
            key: value
            for key, value in decision.memory.items()
            if key not in before or before[key] != value
        },
    )


def result_of(referee: AnyReferee, started: GameStarted, ledger: Ledger) -> Result:
    """Return how a game ended, or how it stands; `ledger` has counted its events."""
    moves = tuple(past.move for past in referee.history)
    return Result(
        turns=referee.turn - 1,
        players=referee.players,
        seed=started.seed,
        deck_name=started.deck_name,
        graph=started.graph,
        model=started.model,
        control=started.control,
        moves_digest=hashlib.sha256(" ".join(map(str, moves)).encode()).hexdigest()[:16],
        **ledger.stated,
        **get(started.kind).closing(referee, ledger.refused),
    )
