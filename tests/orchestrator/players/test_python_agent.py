"""Outside agents see what HLE would show them, rebuilt from the View alone, and nothing else."""

import asyncio
from typing import Any, ClassVar

import pytest

from hanabi_orchestrator.orchestrator.errors import IllegalMove, TurnError, UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import Card, check_deck, mask
from hanabi_orchestrator.orchestrator.hanabi.determinize import (
    determinized_deck,
    determinized_game,
    fitting_hand,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import python_agent
from hanabi_orchestrator.orchestrator.players.python_agent import PythonAgent, observed
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from tests.support.positions import random_game, random_views
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)


@pytest.mark.parametrize("players", PLAYERS)
def test_an_observation_is_rebuilt_exactly_from_what_a_seat_saw(players: int) -> None:
    for seed in range(1, 11 if FULL else 2):
        for referee in random_game(players, seed):
            for seat in range(players) if FULL or referee.turn % 4 == 0 else ():
                view = referee.view(seat)
                again = determinized_game(view)
                assert again.encoded(seat) == referee.encoded(seat)
                assert again.view(seat) == view


def test_the_made_up_deck_holds_what_was_seen_and_a_hand_that_hints_allow() -> None:
    for view in random_views(3, 5)[::3]:
        deck = check_deck(determinized_deck(view))
        referee = rebuild(3, deck, [past.move for past in view.history])
        (own,) = [
            hand for hand in referee.view((view.seat + 1) % 3).hands if hand.seat == view.seat
        ]
        assert all(
            mask([card]) & known.mask for card, known in zip(own.cards, view.own, strict=True)
        )


def test_a_hand_is_found_where_the_first_fit_would_not_do() -> None:
    left = [0] * 25
    left[0], left[1] = 1, 1  # one R1, one R2
    both = mask([Card.R1, Card.R2])
    red_one = mask([Card.R1])
    assert fitting_hand([both, red_one], left) == [Card.R2, Card.R1]
    with pytest.raises(ValueError, match="no hand fits"):
        fitting_hand([red_one, red_one], left)


@pytest.mark.parametrize("players", PLAYERS)
def test_an_agent_of_hle_sees_and_plays_here_what_it_sees_and_plays_there(players: int) -> None:
    from tests.support.hle import SimpleAgent, rl_env

    env = rl_env.HanabiEnv({"players": players, "seed": 5, "random_start_player": False})
    there = env.reset()
    done = False
    seat = PythonAgent("python:SimpleAgent", SimpleAgent)
    sitting = [seat.bind(GameContext()) for _ in range(players)]
    referee = Referee(players, deal(5))
    while not done:
        acting = there["current_player"]
        shown = dict(there["player_observations"][acting])
        del shown["pyhanabi"]
        here = observed(determinized_game(referee.view()))
        assert {
            name: value for name, value in here.items() if name != "legal_moves_as_text"
        } == shown
        move = asyncio.run(sitting[acting](referee.view(), {})).move
        action = SimpleAgent({}).act(shown)
        assert python_agent.action(move, referee.view()) == action
        referee.apply(move)
        there, _, done, _ = env.step(action)
    assert referee.over


def test_nothing_is_observed_after_the_end() -> None:
    referee = Referee(2, deal(1))
    while not referee.over:
        referee.apply(referee.legal()[-1] if referee.turn == 1 else _play(referee))
    with pytest.raises(IllegalMove, match="over"):
        referee.encoded(0)
    with pytest.raises(UserError, match="no seat 2"):
        Referee(2, deal(1)).encoded(2)
    assert referee.uids() == {}


def _play(referee: Referee) -> Move:
    return next(move for move in referee.legal() if move.kind == "play")


# Answers

VIEW = random_views(3, 2)[4]


def decided(answer: object, view: View = VIEW) -> Move:
    seat = PythonAgent("python:mine:agent", lambda observation: answer)
    move: Move = asyncio.run(seat(view, {})).move
    return move


def test_a_move_is_answered_by_number_by_text_or_as_an_action() -> None:
    referee = determinized_game(VIEW)
    for number, move in referee.uids().items():
        assert (
            decided(number)
            == decided(str(move))
            == decided(python_agent.action(move, VIEW))
            == move
        )
    assert list(referee.uids().values()) == list(VIEW.legal)


class Whole:
    """An integer of another library."""

    def __index__(self) -> int:
        return next(iter(determinized_game(VIEW).uids()))


def test_another_librarys_integer_is_a_number() -> None:
    assert decided(Whole()) == VIEW.legal[0]


@pytest.mark.parametrize(
    "answer", [-1, 999, True, None, 1.0, "play", "play slot 9", {"action_type": "PLAY"}, {}, []]
)
def test_any_other_answer_is_one_sentence(answer: object) -> None:
    with pytest.raises(
        TurnError, match=r"^turn 5: python:mine:agent answered .*, which is no legal move now"
    ):
        decided(answer)


# Instances


class Noting:
    """Makes the last move of its list and notes what it was shown."""

    made: ClassVar[list["Noting"]] = []

    def __init__(self, players: int, seat: int) -> None:
        self.told = (players, seat)
        self.turns = list[int]()
        self.made.append(self)

    def act(self, observation: dict[str, Any]) -> int:
        self.turns.append(observation["deck_size"])
        return int(observation["legal_moves_as_int"][-1])


def test_every_seat_of_a_game_has_an_instance_that_saw_its_own_turns() -> None:
    Noting.made.clear()
    seat = PythonAgent("python:Noting", Noting)
    sitting = [seat.bind(GameContext()) for _ in range(2)]
    referee = Referee(2, deal(1))
    for _ in range(6):
        referee.apply(asyncio.run(sitting[referee.seat](referee.view(), {})).move)
    assert [one.told for one in Noting.made] == [(2, 0), (2, 1)]
    joining = seat.bind(GameContext())  # as in a game that goes on
    view = referee.view()
    assert asyncio.run(joining(view, {})).move == asyncio.run(sitting[0](view, {})).move
    assert Noting.made[-1].turns == Noting.made[0].turns and len(Noting.made) == 3
