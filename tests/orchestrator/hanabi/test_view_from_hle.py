"""A View of a live HLE game is the one that our referee gives of the same game; what cannot be one is a sentence."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.determinize import determinized_game
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from tests.support.hle import hle_game, pyhanabi, rl_env
from tests.support.positions import random_game
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)


def games(players: int, seed: int, **settings: Any) -> Iterator[tuple[Any, Any, Referee]]:
    """A game of `rl_env` and the same game of ours, before each move; most moves are hints and discards."""
    environment = rl_env.HanabiEnv({"players": players, "seed": seed, **settings})
    observations = environment.reset()
    done = False
    referee = Referee(players, deal(seed))
    chance = random.Random(seed)
    while not done:
        yield environment, observations, referee
        legal = observations["player_observations"][observations["current_player"]]["legal_moves"]
        likely = [number for number, move in enumerate(legal) if move["action_type"] != "PLAY"]
        number = chance.choice(likely if chance.random() < 0.95 else range(len(legal)))
        observations, _, done, _ = environment.step(legal[number])
        referee.apply(referee.legal()[number])


@pytest.mark.parametrize("shown", [0, 1, 2], ids=["minimal", "card knowledge", "seer"])
@pytest.mark.parametrize("players", PLAYERS)
def test_every_view_of_a_whole_game_is_that_of_our_referee(players: int, shown: int) -> None:
    for seed in range(1, 6 if FULL else 2):
        before: dict[int, View] = {}
        for environment, observations, referee in games(players, seed, observation_type=shown):
            everybody = FULL or (
                not shown and referee.turn % 5 == 0
            )  # a state is the same, whatever is shown of it
            for player in range(players) if everybody else ():
                assert View.from_hle(environment.state, player) == referee.view(player)
            acting = observations["current_player"]
            observation = observations["player_observations"][acting]
            before[acting] = View.from_hle(observation, before=before.get(acting))
            assert before[acting] == referee.view()


def test_the_own_hand_is_never_in_it() -> None:
    """In games that differ in nothing but what a player cannot see, HLE's states give that player the same View."""
    different = 0
    for referee in random_game(3, 2):
        view = referee.view()
        other = determinized_game(view)
        games = hle_game(other), hle_game(referee)
        assert [View.from_hle(game.state, view.seat) for game in games] == [view, view]
        different += other.view(view.seat, own_hand=True) != referee.view(view.seat, own_hand=True)
    assert different > 20


def test_seats_count_from_the_player_who_moves_first() -> None:
    environment = rl_env.HanabiEnv({"players": 3, "seed": 7, "random_start_player": True})
    firsts = set()
    for _ in range(8):
        observations = environment.reset()
        before = dict[int, View]()
        first = observations["current_player"]
        firsts.add(first)
        for turn in range(1, 8):
            acting = observations["current_player"]
            observation = observations["player_observations"][acting]
            before[acting] = view = View.from_hle(observation, before=before.get(acting))
            assert view == View.from_hle(environment.state)
            assert (view.seat, view.turn) == ((acting - first) % 3, turn)
            observations, *_ = environment.step(observation["legal_moves"][-1])
    assert len(firsts) > 1


def state(**settings: Any) -> tuple[Any, Any]:
    game = pyhanabi.HanabiGame({"players": 2, "seed": 1, **settings})
    dealt = game.new_initial_state()
    while dealt.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
        dealt.deal_random_card()
    return game, dealt


@pytest.mark.parametrize(
    "settings",
    [
        {"colors": 3},
        {"ranks": 4},
        {"hand_size": 4},
        {"max_information_tokens": 7},
        {"max_life_tokens": 2},
    ],
    ids=str,
)
def test_another_game_is_refused(settings: dict[str, int]) -> None:
    _game, dealt = state(**settings)
    with pytest.raises(UserError, match="it is not the game of 50 cards"):
        View.from_hle(dealt)


@pytest.mark.parametrize("player", [-1, 2, True, "0", 1.0])
def test_a_player_who_is_not_there_is_refused_before_hle_aborts(player: Any) -> None:
    _game, dealt = state()
    with pytest.raises(UserError, match="there is no player"):
        View.from_hle(dealt, player)


def test_what_hle_would_crash_on_is_refused() -> None:
    game, dealt = state()
    with pytest.raises(UserError, match="deal_random_card"):
        View.from_hle(game.new_initial_state())
    del game
    with pytest.raises(UserError, match="keep the game in a variable"):
        View.from_hle(dealt)


def test_what_lacks_the_past_is_refused() -> None:
    *_, (_environment, observations, _) = games(2, 1)
    observation = observations["player_observations"][observations["current_player"]]
    for source, lack in (
        (observation, "not the whole history"),
        (
            {name: value for name, value in observation.items() if name != "pyhanabi"},
            "lacks the past moves",
        ),
        (observations, "the observations of all players"),
        ("Life tokens: 3", "str is neither a state nor an observation"),
    ):
        with pytest.raises(UserError, match=lack):
            View.from_hle(source)


def test_a_turn_that_was_left_out_is_noticed() -> None:
    before = None
    for _, observations, referee in games(2, 1):
        if referee.turn == 1:
            before = View.from_hle(observations["player_observations"][0])
        if referee.turn == 5:
            with pytest.raises(UserError, match="not the View of the same player's last turn"):
                View.from_hle(observations["player_observations"][0], before=before)
            return
