"""Stories of games that the tests make move by move."""

from collections.abc import Iterable, Sequence

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Moved,
    Result,
    SeatInfo,
    TurnStarted,
)
from tests.support.positions import partners_game, random_game


def story_of(referee: Referee, moves: Iterable[Move]) -> Game:
    """What happens from a referee's position on when these moves are made; the turns before it are part of the story,
    and so is the turn that would come next."""
    again = Referee(referee.players, referee.deck)
    made = [*(past.move for past in referee.history), *moves]
    events = list[Event]()
    for move in made:
        events.append(TurnStarted(turn=again.turn, seat=again.seat, view=again.view()))
        past = again.apply(move)
        decided = Decided(turn=past.turn, seat=past.seat, move=move, why="")
        events += [decided, Moved(past=past)]
    if not again.over:
        events.append(TurnStarted(turn=again.turn, seat=again.seat, view=again.view()))
    else:
        events.append(GameEnded(result=result_of(again)))
    seats = (SeatInfo(graph="test", model="program"),) * again.players
    started_game = GameStarted(
        players=again.players,
        seed=None,
        game="",
        deck=again.deck,
        seats=seats,
        config_hash="",
        versions={},
    )
    return Game.of((started_game, *events))


def result_of(referee: Referee) -> Result:
    """How a game ended, or how it stands."""
    return Result(
        score_strict=referee.score_strict,
        score_kept=referee.score_kept,
        lives=referee.lives,
        turns=referee.turn - 1,
        end=referee.end or "max_turns",
        players=referee.players,
        seed=None,
        graph="test",
        model="program",
        fireworks=dict(zip("RYGWB", referee.fireworks, strict=True)),
        tokens_in=0,
        tokens_out=0,
        calls=0,
        fallbacks=0,
        forced=0,
    )


def partners_story(names: Sequence[str], seed: int) -> Game:
    """A whole game of partners, seat by seat."""
    (*_, referee) = partners_game(names, seed)
    return story_of(referee, ())


def random_story(players: int, seed: int) -> Game:
    """A whole game of random moves."""
    (*_, referee) = random_game(players, seed)
    return story_of(referee, ())
