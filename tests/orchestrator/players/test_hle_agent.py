"""Our seats in a loop over HLE play what they play at our table, with memory, journal, resume and replay."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import experiments, graphs
from hanabi_orchestrator.orchestrator import (
    Decision,
    HleAgent,
    Memory,
    Result,
    Seat,
    View,
    hle_agent,
    journal,
    play,
)
from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    Scripted,
)
from hanabi_orchestrator.orchestrator.players import partners
from tests.support.hle import pyhanabi, rl_env
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)


@pytest.fixture(params=["house", "cac"])
def seat(request: pytest.FixtureRequest) -> Seat:
    named: Seat = graphs.seat(str(request.param))
    return named


def looped(environment: Any, act: Callable[[Any], Any]) -> None:
    """The usual loop over `rl_env`."""
    observations = environment.reset()
    done = False
    while not done:
        acting = observations["current_player"]
        observations, _, done, _ = environment.step(
            act(observations["player_observations"][acting])
        )


def rl_game(agent: HleAgent, players: int, seed: int) -> Result:
    environment = rl_env.HanabiEnv({"players": players, "seed": seed})
    looped(environment, agent.act)
    return agent.finish(environment.state)


@pytest.mark.parametrize(
    ("seat", "players"),
    [
        (seat, players)
        for seat in ("house", "cac")
        for players in PLAYERS
        if FULL or (seat == "house") == players % 2
    ],
    indirect=["seat"],
)
def test_it_plays_as_at_our_table(seat: Seat, players: int, tmp_path: Path) -> None:
    for seed in range(1, 6 if FULL else 2):
        here = tmp_path / f"here{seed}.jsonl"
        there = tmp_path / f"there{seed}.jsonl"
        result = play(seat, players=players, seed=seed, journal=here)
        with hle_agent(seat, seed=seed, journal=there) as agent:
            assert rl_game(agent, players, seed) == result
        assert journal.comparable(journal.read(there)) == journal.comparable(journal.read(here))


def test_partners_draw_the_same_random_numbers() -> None:
    seats = [partners.get("flawed"), partners.get("outer"), partners.get("random")]
    result = play(seats, players=3, seed=2)
    assert rl_game(hle_agent(seats, seed=2), 3, 2).moves_digest == result.moves_digest


def test_an_agent_for_each_player_in_the_loop_of_hle() -> None:
    """HLE's own example asks every agent on every turn, and those who do not act must say None."""
    environment = rl_env.HanabiEnv({"players": 3, "seed": 4})
    agents = [hle_agent(graphs.seat("house")) for _ in range(3)]
    for agent in agents:
        agent.reset({"players": 3})
    observations = environment.reset()
    done = False
    while not done:
        actions = [
            agent.act(observation)
            for agent, observation in zip(agents, observations["player_observations"], strict=True)
        ]
        acting = observations["current_player"]
        assert [number for number, action in enumerate(actions) if action is not None] == [acting]
        observations, _, done, _ = environment.step(actions[acting])
    expected = play(graphs.seat("house"), players=3, seed=4)
    assert [agent.finish(environment.state).moves_digest for agent in agents] == [
        expected.moves_digest
    ] * 3


@pytest.mark.parametrize(
    "observes", [True, False], ids=["an observation for each", "the state for all"]
)
def test_a_loop_over_pyhanabi(*, observes: bool) -> None:
    game = pyhanabi.HanabiGame({"players": 2, "seed": 6})
    state = game.new_initial_state()
    agents = [hle_agent(graphs.seat("house"), seed=6) for _ in range(2 if observes else 1)]
    while not state.is_terminal():
        acting = state.cur_player()
        if acting == pyhanabi.CHANCE_PLAYER_ID:
            state.deal_random_card()
        else:
            state.apply_move(
                agents[acting].act(state.observation(acting)) if observes else agents[0].act(state)
            )
    expected = play(graphs.seat("house"), players=2, seed=6)
    assert agents[0].finish(state).moves_digest == expected.moves_digest
    assert agents[0].act(state) is None


@dataclass
class Counting:
    """Plays at random and remembers how often it was asked."""

    remembered: list[tuple[int, Any]] = field(default_factory=list)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        self.remembered.append((view.seat, memory.get("turns", 0)))
        move = random.Random(f"{view.turn}").choice(view.legal)
        return Decision(move, memory={"turns": memory.get("turns", 0) + 1})


def test_each_player_has_a_memory_of_their_own_and_games_do_not_share_it() -> None:
    counting = Counting()
    agent = hle_agent(counting)
    for seed in (1, 2):
        looped(rl_env.HanabiEnv({"players": 2, "seed": seed}), agent.act)
    first = counting.remembered.index((0, 0), 1)
    for game in (counting.remembered[:first], counting.remembered[first:]):
        assert game == [(turn % 2, turn // 2) for turn in range(len(game))]
        assert len(game) > 5


def test_the_same_observation_is_not_asked_twice() -> None:
    counting = Counting()
    agent = hle_agent(counting)
    looped(
        rl_env.HanabiEnv({"players": 2, "seed": 1}),
        lambda seen: [agent.act(seen), agent.act(seen)][1],
    )
    turns = len(counting.remembered)
    assert turns > 5 and counting.remembered == [(turn % 2, turn // 2) for turn in range(turns)]


def test_a_journal_of_one_player_shows_their_turns_and_the_moves_of_others(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    environment = rl_env.HanabiEnv({"players": 2, "seed": 3})
    others = hle_agent(graphs.seat("watson"))
    with hle_agent({1: graphs.seat("house")}, label="a deal", journal=path) as ours:
        observations = environment.reset()
        done = False
        while not done:
            acting = observations["current_player"]
            agent = ours if acting == 1 else others
            observations, _, done, _ = environment.step(
                agent.act(observations["player_observations"][acting])
            )
            if acting == 1:
                experiments.Game.open(path)  # it is a journal at any time
        result = ours.finish(environment.state)
    game = experiments.Game.open(path)
    assert game.result == result and (result.graph, result.seed) == ("outside+house", None)
    assert [bool(turn.decided) for turn in game.turns] == [turn.seat == 1 for turn in game.turns]
    assert (
        result.score_kept == sum(environment.state.fireworks()) and len(game.boards) == result.turns
    )


def test_a_stopped_loop_goes_on_from_its_journal_and_asks_nothing_again(tmp_path: Path) -> None:
    path = tmp_path / "stopped.jsonl"
    whole = tmp_path / "whole.jsonl"
    expected = rl_game(hle_agent(Counting(), journal=whole), 2, 5)
    first = Counting()
    second = Counting()
    with hle_agent(first, journal=path) as agent, pytest.raises(IndexError):
        acts = [agent.act] * 6
        looped(
            rl_env.HanabiEnv({"players": 2, "seed": 5}), lambda observation: acts.pop()(observation)
        )
    with hle_agent(second, journal=path) as agent:
        assert rl_game(agent, 2, 5) == expected
    assert len(first.remembered) == 6 and len(second.remembered) == expected.turns - 6
    assert second.remembered[0] == (0, 3)
    assert journal.comparable(journal.read(path)) == journal.comparable(journal.read(whole))
    with (
        hle_agent(Counting(), journal=path) as agent,
        pytest.raises(UserError, match="another game"),
    ):
        looped(rl_env.HanabiEnv({"players": 2, "seed": 6}), agent.act)
    with (
        hle_agent(Counting(), seed=5, journal=path) as agent,
        pytest.raises(UserError, match="the deal was"),
    ):
        looped(rl_env.HanabiEnv({"players": 2, "seed": 5}), agent.act)


def first_legal(request: ModelRequest) -> dict[str, Any]:
    return {"reason": "as good as any", "action": 0}


@dataclass
class FailsOnce:
    """A model that gives no answer once, to the generator on turn 2."""

    scripted: Scripted
    failed: bool = False

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        if (request.role, request.place.turn) == ("generator", 2) and not self.failed:
            self.failed = True
            raise ModelError("the server is down")
        return await self.scripted(request, messages)

    async def aclose(self) -> None:
        """Nothing to close."""


def test_a_turn_without_an_answer_is_asked_again_and_a_journal_replays(tmp_path: Path) -> None:
    path = tmp_path / "paid.jsonl"
    scripted = Scripted(
        {"generator": first_legal, "self_verifier": {"reason": "fine", "accept": True}}
    )
    environment = rl_env.HanabiEnv({"players": 2, "seed": 8})
    observations = environment.reset()
    moves = []
    with hle_agent(graphs.seat("cac", FailsOnce(scripted)), label="d", journal=path) as agent:
        for turn in range(1, 5):
            observation = observations["player_observations"][observations["current_player"]]
            if turn == 2:
                with pytest.raises(ModelError, match="the server is down"):
                    agent.act(observation)
            moves.append(agent.act(observation))
            observations, *_ = environment.step(moves[-1])
    asked = [(request.role, request.place.turn) for request in scripted.asked if request.ask == 0]
    assert asked.count(("cac_interpreter", 2)) == 1, "what the journal holds is not asked again"
    assert asked.count(("generator", 2)) == 1
    environment = rl_env.HanabiEnv({"players": 2, "seed": 8})
    observations = environment.reset()
    replaying = hle_agent(graphs.seat("cac", f"replay:{path}"), label="d")
    for move in moves:
        observation = observations["player_observations"][observations["current_player"]]
        assert replaying.act(observation) == move
        observations, *_ = environment.step(move)


def test_what_cannot_be_is_a_sentence() -> None:
    environment = rl_env.HanabiEnv({"players": 2, "seed": 5})
    (observation, _) = environment.reset()["player_observations"]
    with pytest.raises(UserError, match="other cards than those of seed 6"):
        hle_agent(Counting(), seed=6).act(observation)
    with pytest.raises(UserError, match="no game has begun"):
        hle_agent(Counting()).finish(environment.state)
    config = graphs.read("house")
    cheat = config.model_copy(
        update={"controls": config.controls.model_copy(update={"own_hand": True})}
    )
    with pytest.raises(UserError, match="sees its own hand"):
        hle_agent(graphs.seat(cheat)).act(observation)
    with pytest.raises(UserError, match="2 players need 2 seats, not 1"):
        hle_agent([Counting()]).act(observation)

    async def notebook() -> Any:
        agent = hle_agent(Counting())
        with pytest.raises(UserError, match=r"await agent\.act_async"):
            agent.act(observation)
        return await agent.act_async(observation)

    assert asyncio.run(notebook()) in observation["legal_moves"]
