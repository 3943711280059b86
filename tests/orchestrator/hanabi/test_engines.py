"""Games are the same on either build of the engine, and seeds are HLE's deals on every system."""

import importlib.util
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi import engine
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES, Card
from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED, Referee, deal
from hanabi_orchestrator.orchestrator.journal.file import comparable
from tests.support.engines import BUILDS, HAS_HLE, playing_on
from tests.support.positions import GRAPHS, events_of
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)
needs_both = pytest.mark.skipif(not HAS_HLE, reason="HLE is not installed")


@needs_both
@pytest.mark.parametrize("players", PLAYERS)
def test_a_seed_is_the_deck_that_hle_deals_at_every_player_count(players: int) -> None:
    from tests.support.hle import pyhanabi

    for seed in (*range(3000 if FULL else 50), MAX_SEED):
        game = pyhanabi.HanabiGame({"players": players, "seed": seed})
        state = game.new_initial_state()
        while state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
            state.deal_random_card()
        hands = [[Card(str(card)) for card in hand] for hand in state.player_hands()]
        size = HAND_SIZES[players]
        assert hands == [
            list(deal(seed)[seat * size : (seat + 1) * size]) for seat in range(players)
        ]


@needs_both
def test_a_seed_is_the_whole_deck_that_hle_deals() -> None:
    from tests.support.hle import pyhanabi

    for seed in (*range(3000 if FULL else 100), MAX_SEED):
        game = pyhanabi.HanabiGame({"players": 2, "hand_size": 25, "seed": seed})
        state = game.new_initial_state()
        while state.deck_size():
            state.deal_random_card()
        assert deal(seed) == tuple(
            Card(str(card)) for hand in state.player_hands() for card in hand
        )


def told(referee: Referee, seat: int) -> tuple[Any, ...]:
    """All that a game tells before a turn."""
    facts = (referee.uids(), referee.observed(), referee.lives, referee.fireworks)
    return (*facts, referee.view(seat), referee.encoded(seat))


def pairs(count: int) -> Iterator[tuple[Referee, Referee, Random]]:
    """The same deals on both builds."""
    for number in range(count):
        chance = Random(number)
        players = PLAYERS[number % len(PLAYERS)]
        referees = []
        for build in (engine.HLE, engine.OPENSPIEL):
            with playing_on(build):
                referees.append(Referee(players, deal(number)))
        yield referees[0], referees[1], chance


@needs_both
def test_random_games_are_the_same_on_both_builds() -> None:
    ends = set()
    for ours, theirs, chance in pairs(10_000 if FULL else 24):
        bold = chance.random()  # some games end early, some by the last card
        while not ours.over:
            seat = chance.randrange(ours.players)
            assert told(ours, seat) == told(theirs, seat)
            legal = ours.legal()
            calm = [move for move in legal if move.kind != "play"]
            move = chance.choice(calm if calm and chance.random() > bold else legal)
            assert ours.apply(move) == theirs.apply(move)
        assert theirs.over and theirs.end == ours.end
        assert (theirs.score_kept, theirs.legal(), theirs.view(0)) == (
            ours.score_kept,
            (),
            ours.view(0),
        )
        ends.add(ours.end)
    assert {"lives_lost", "deck_exhausted"} <= ends


GAMES = [(name, players) for name in GRAPHS for players in graphs.read(name).players]


@needs_both
@pytest.mark.parametrize(("graph", "players"), GAMES if FULL else GAMES[::9])
async def test_graphs_play_the_same_games_on_both_builds(graph: str, players: int) -> None:
    for seed in range(1, 1 + -(-400 // len(GAMES)) if FULL else 2):
        journals = []
        for build in BUILDS:
            with playing_on(build):
                events = comparable(await events_of(graph, players=players, seed=seed))
            assert events[0]["versions"].pop(engine.DISTRIBUTIONS[build])
            journals.append(events)
        assert journals[0] == journals[1] and len(journals[0]) > 10


def test_a_build_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANABI_ENGINE", "rlcard")
    with pytest.raises(
        UserError, match="HANABI_ENGINE is 'rlcard'; it may be 'hle' or 'openspiel'"
    ):
        Referee(2, deal(1))
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    engine._chosen.cache_clear()
    monkeypatch.setenv("HANABI_ENGINE", "hle")
    with pytest.raises(UserError, match="'hle', which is not installed; `CMAKE_POLICY"):
        Referee(2, deal(1))
    monkeypatch.delenv("HANABI_ENGINE")
    with pytest.raises(
        UserError, match="no engine of Hanabi is installed; `pip install open_spiel`"
    ):
        Referee(2, deal(1))
    monkeypatch.setattr(
        engine,
        "find_spec",
        lambda name: importlib.util.find_spec("json") if "spiel" in name else None,
    )
    assert engine.distribution() == "open_spiel"
    engine._chosen.cache_clear()
