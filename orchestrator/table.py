"""The game loop: views out, decisions in, legality checked, everything told to a sink."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import structlog

from orchestrator import hle
from orchestrator.cards import COLOURS, Card
from orchestrator.errors import UserError
from orchestrator.events import (
    Call,
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Moved,
    Result,
    SeatCard,
    Sink,
    TurnStarted,
    nowhere,
)
from orchestrator.journal import Journal
from orchestrator.seat import Memory, Seat, Telling, card

VERSIONS = ("hanabi-orchestrator", "hanabi-learning-environment", "langgraph", "langchain-core", "openai", "pydantic")


class Ledger:
    """Counts what a result states of the asks and decisions of a game."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Decided):
            self.counts["forced"] += event.forced
        if not isinstance(event, Call) or event.text is None:
            return
        self.counts["calls"] += 1
        self.counts["fallbacks"] += event.outcome == "fallback"
        self.counts["tokens_in"] += event.tokens_in
        self.counts["tokens_out"] += event.tokens_out


def play(
    seats: Seat | Sequence[Seat],
    *,
    players: int = 3,
    seed: int | None = None,
    deck: Sequence[str] | None = None,
    journal: Path | str | None = None,
    sink: Sink = nowhere,
    max_turns: int | None = None,
) -> Result:
    """Play one game and return how it ended; `play_async` for use inside an event loop.

    `seats`: one seat for everybody, or one per player. `seed`: HLE's own deal, 1 when no deck is given. `deck`: 50
    cards, first dealt first. `journal`: a new file for the events. `sink` hears every event as it happens.
    `max_turns`: stop there, unfinished games included in the count. Raises UserError for what cannot be played,
    TurnError when a turn fails.
    """

    async def whole() -> Result:
        try:
            return await play_async(
                seats, players=players, seed=seed, deck=deck, journal=journal, sink=sink, max_turns=max_turns
            )
        finally:
            for seat in seats if isinstance(seats, Sequence) else (seats,):
                if isinstance(seat, Telling):
                    await seat.aclose()

    return asyncio.run(whole())


async def play_async(
    seats: Seat | Sequence[Seat],
    *,
    players: int = 3,
    seed: int | None = None,
    deck: Sequence[str] | None = None,
    journal: Path | str | None = None,
    sink: Sink = nowhere,
    max_turns: int | None = None,
) -> Result:
    """`play`, inside an event loop; brains stay open."""
    referee = hle.Referee(players, _deck(seed, deck))
    sitting = tuple(seats) if isinstance(seats, Sequence) else (seats,) * players
    if len(sitting) != players:
        raise UserError(f"{players} players need {players} seats, not {len(sitting)}")
    started = _started(players, None if deck else _seed(seed), referee.deck, tuple(card(seat) for seat in sitting))
    if journal is None:
        return await _game(referee, sitting, started, sink, max_turns)
    with Journal(Path(journal)) as written:

        def both(event: Event) -> None:
            written(event)
            sink(event)

        return await _game(referee, sitting, started, both, max_turns)


def _seed(seed: int | None) -> int:
    return 1 if seed is None else seed


def _deck(seed: int | None, deck: Sequence[str] | None) -> Sequence[str]:
    if deck is None:
        return hle.deal(_seed(seed))
    if seed is not None:
        raise UserError(f"give a seed or a deck, not both: a deck leaves nothing for seed {seed} to deal")
    return deck


def _started(players: int, seed: int | None, deck: tuple[Card, ...], seats: tuple[SeatCard, ...]) -> GameStarted:
    plain = [players, deck, [seat.model_dump(mode="json") for seat in seats]]
    return GameStarted(
        players=players,
        seed=seed,
        deck=deck,
        seats=seats,
        config_hash=hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16],
        versions={name: version(name) for name in VERSIONS},
    )


async def _game(
    referee: hle.Referee, seats: Sequence[Seat], started: GameStarted, sink: Sink, max_turns: int | None
) -> Result:
    ledger = Ledger()

    def tell(event: Event) -> None:
        ledger(event)
        sink(event)

    told = tuple(seat.telling(tell) if isinstance(seat, Telling) else seat for seat in seats)
    memories: dict[int, Memory] = {}
    tell(started)
    while not referee.over and (max_turns is None or referee.turn <= max_turns):
        seat = referee.seat
        memories[seat] = await _turn(referee, told[seat], memories.get(seat, {}), tell)
    result = _result(referee, started, ledger)
    tell(GameEnded(result=result))
    return result


async def _turn(referee: hle.Referee, seat: Seat, memory: Memory, tell: Sink) -> Memory:
    """One turn; returns what the seat remembers of it."""
    view = referee.view()
    tell(TurnStarted(turn=view.turn, seat=view.seat, view=view))
    with structlog.contextvars.bound_contextvars(turn=view.turn, seat=view.seat):
        decision = await seat(view, memory)
    ratings = None if decision.ratings is None else dict(decision.ratings)
    tell(
        Decided(
            turn=view.turn,
            seat=view.seat,
            move=decision.move,
            why=decision.why,
            ratings=ratings,
            forced=decision.forced,
            node=decision.node,
            memory=dict(decision.memory),
        )
    )
    tell(Moved(past=referee.apply(decision.move)))
    return decision.memory


def _result(referee: hle.Referee, started: GameStarted, ledger: Ledger) -> Result:
    names = list(dict.fromkeys(seat.graph for seat in started.seats))
    models = list(dict.fromkeys(seat.model for seat in started.seats))
    return Result(
        score_strict=referee.score_strict,
        score_kept=referee.score_kept,
        lives=referee.lives,
        turns=referee.turn - 1,
        end=referee.end or "max_turns",
        players=referee.players,
        seed=started.seed,
        graph="+".join(names),
        model="+".join(models),
        fireworks=dict(zip(COLOURS, referee.fireworks, strict=True)),
        **{key: ledger.counts[key] for key in ("tokens_in", "tokens_out", "calls", "fallbacks", "forced")},
    )
