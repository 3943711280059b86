"""Search by the code: rollouts are the games of hat players, and the moves that are tried mislead nobody."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.hanabi import rollout_rules as rules
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES, INDEX
from hanabi_orchestrator.orchestrator.hanabi.information import rollout_play
from hanabi_orchestrator.orchestrator.hanabi.information import rollout_table as table
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition, decide
from hanabi_orchestrator.orchestrator.hanabi.information.rollout import CodeRollout
from hanabi_orchestrator.orchestrator.hanabi.information.search import Deals, past_moves
from hanabi_orchestrator.orchestrator.hanabi.information.table import (
    HatTable,
    course,
    start,
    table_of,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act, move, numbered
from hanabi_orchestrator.orchestrator.hanabi.search import best, search
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from tests.orchestrator.hanabi.test_view import disguised, own_places
from tests.support.positions import events_of, partners_game
from tests.support.prove import FULL
from tests.support.rollouts import in_plain_python, random_move
from tests.test_games import check_game

PLAYERS = (2, 3, 4, 5)
SEEDS = range(20_001, 20_031 if FULL else 20_002)
POSITIONS = 20_000 if FULL else 200
LAST_TURN = 20_024
"""Of two players: at the last turn a card may fit."""
PLANNER = graphs.setting(graphs.read("house_planner"), options={"conventions": "information"})


def hands(view: View) -> dict[int, Any]:
    return {hand.seat: hand.cards for hand in view.hands}


def seen_by(view: View) -> HatTable:
    return table_of(view.players, view.seat, hands(view), view.history)


def position(view: View) -> CodePosition:
    return CodePosition(seen_by(view), view.legal)


@cache
def views(players: int, seed: int = 20_001) -> tuple[tuple[Referee, View], ...]:
    """The turns of a game of hat players; the referees cannot go on."""
    return tuple(
        (referee, referee.view())
        for referee in partners_game(("hat",) * players, seed)
        if not referee.over
    )


def at(referee: Referee, view: View) -> Referee:
    """The game of a referee before the turn of a view."""
    return rebuild(view.players, referee.deck, [past.move for past in view.history])


def dealt(players: int, deck: Any) -> CodeRollout:
    cards = numbered(deck)
    size = HAND_SIZES[players]
    game = CodeRollout(start(0, [()] * players), 0, None)
    return game.dealt(
        [cards[seat * size : (seat + 1) * size] for seat in range(players)],
        cards[: players * size - 1 : -1],
    )


def deals(view: View, chance: Random, *, past: bool = True) -> Deals:
    return Deals(position(view), hands(view), view.turns_left, chance, view.history if past else ())


@pytest.mark.parametrize("players", PLAYERS)
def test_a_rollout_is_the_game_of_hat_players_and_all_seats_know_in_it_what_they_know_there(
    players: int,
) -> None:
    for seed in SEEDS:
        game = dealt(players, deal(seed))
        for referee in partners_game(("hat",) * players, seed):
            for seat in range(players):
                known = seen_by(referee.view(seat))
                assert (game.common, game.literal) == (
                    [*map(list, known.common)],
                    [*map(list, known.literal)],
                )
                assert tuple(game.state[table.POOL : table.POOL + 3]) == known.pool.layers
            assert (game.lives, tuple(game.tops)) == (referee.lives, referee.fireworks)
            if not referee.over:
                chosen = decide(position(referee.view()))[0]
                assert move(game.decide()) == chosen
                game.apply(act(chosen))
        assert game.over and game.score == referee.score_strict


@pytest.mark.skipif(not rules.COMPILED, reason="numba is not installed")
def test_compiled_rollouts_are_exactly_those_in_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, _, plain = in_plain_python(monkeypatch, rules, table, rollout_play)
    for number, state in enumerate(islice(states(Random(1)), POSITIONS)):
        fast = np.array(state, dtype=np.int64)
        usual = list(state)
        room = np.zeros(rules.SIZE, dtype=np.int64)
        other = [0] * rules.SIZE
        assert rollout_play.decide(fast) == plain.decide(usual) and fast.tolist() == usual
        if number % 10 == 0:
            chosen = random_move(state, Random(number))
            assert rollout_play.outcome(fast, chosen, room) == plain.outcome(usual, chosen, other)
            assert room.tolist() == other


def states(chance: Random) -> Iterator[list[int]]:
    """Positions of games in which every third move is random."""
    while True:
        game = dealt(chance.randint(2, 5), deal(chance.randrange(10_000)))
        while not game.over:
            yield [int(number) for number in game.state]
            game.apply(
                random_move(game.state, chance) if chance.random() < 1 / 3 else game.decide()
            )


@pytest.mark.parametrize("players", PLAYERS)
def test_a_hand_explains_the_past_moves_that_hat_players_would_have_made_beside_it(
    players: int,
) -> None:
    """The oracle is the game played again from its first move, with that hand in the deck."""
    chance = Random(1)
    unexplained = []
    for referee, view in views(players)[8::9]:
        past = past_moves(course(players, view.seat, hands(view), view.history), view.history)
        for other in (referee, *(disguised(at(referee, view), view, chance) for _ in range(4))):
            hand = [INDEX[other.deck[place]] for place in own_places(referee, view)]
            if all(
                types >> card & 1
                for types, card in zip(position(view).own_hand[0], hand, strict=True)
            ):
                game = dealt(players, other.deck)
                number = 0
                for event in view.history:
                    number += event.seat != view.seat and game.decide() != act(event.move)
                    game.apply(act(event.move))
                assert past.surprises(hand, 99) == number
                unexplained.append(number)
    assert 0 in unexplained


@pytest.mark.parametrize("players", PLAYERS)
def test_after_a_move_that_keeps_the_code_everybody_reads_it_truly_and_notices_no_breach(
    players: int,
) -> None:
    tried = 0
    for referee, view in views(players)[1::4]:
        for chosen in position(view).keeping:
            after = at(referee, view)
            after.apply(chosen)
            tables = [seen_by(after.view(seat)) for seat in range(players)]
            assert not any(known.breach for known in tables)
            assert len({known.common for known in tables}) == 1
            cards = {
                hand.seat: hand.cards
                for view in (after.view(0), after.view(1))
                for hand in view.hands
            }
            for seat, common in enumerate(tables[0].common):
                assert all(
                    types >> INDEX[card] & 1
                    for types, card in zip(common, cards[seat], strict=True)
                )
            tried += chosen != decide(position(view))[0]
    assert tried > 5


@pytest.mark.parametrize("players", PLAYERS)
def test_moves_that_break_the_code_are_not_tried(players: int) -> None:
    """Hints that stand for another number; and with a card that everybody knows to fit, all but plays."""
    wrong = 0
    for _, view in views(players):
        here = position(view)
        tried = (
            deals(view, Random(1), past=False).candidates(decide(here)[0])[1:]
            if view.turns_left != 1
            else []
        )
        hints = [m for m in tried if isinstance(m, Hint)]
        assert all(here.numbers[hint] == here.hint_sum.number for hint in hints)
        wrong += len(here.numbers) - len(hints)
        if not here.table.waits(view.seat):
            assert not any(isinstance(m, Hint | Discard) for m in tried)
    assert wrong > 50


def test_on_the_last_turn_the_card_is_played_that_likelier_fits_than_the_code_tells() -> None:
    """By the code either of two cards fits; the partner's last moves are those of a hat player beside one of them. A
    hat player discards."""
    view = views(2, LAST_TURN)[-1][1]
    here = position(view)
    usual = decide(here)[0]
    fits = here.chances(here.table.piles.playable)
    assert view.turns_left == 1 and isinstance(usual, Discard) and fits == [0, 0.5, 0, 0, 0.5]
    trials = search(deals(view, Random(1)), usual, 400)
    chosen = best(trials)
    assert chosen.move == Play(slot=1) and chosen.gain(trials[0])[0] > 0.9


async def decision(view: View) -> Decision:
    return await graphs.seat(PLANNER).bind(GameContext())(view, {})


async def test_the_same_is_chosen_each_time_and_behind_another_hidden_hand() -> None:
    chance = Random(1)
    changed = 0
    for referee, view in views(3)[4::12]:
        other = disguised(at(referee, view), view, chance)
        changed += other.deck != referee.deck
        assert await decision(view) == await decision(view) == await decision(other.view())
    assert changed > 2


@pytest.mark.parametrize("players", PLAYERS)
async def test_planners_play_whole_games_without_a_breach(players: int) -> None:
    config = graphs.change(PLANNER, planner={"options": {"rollouts": 60}})
    for seed in SEEDS:
        events = await events_of(config, players=players, seed=seed)
        result = check_game(events, players)
        assert result.lives > 0 and result.score_strict >= 20
        last = [event for event in events if event.event == "turn_started"][-1]
        assert not seen_by(last.view).breach


async def test_after_a_breach_the_colleagues_move_stays() -> None:
    house = graphs.seat(graphs.read("house_information")).bind(GameContext())
    off = [
        view
        for referee in partners_game(("hat", "iggi"), 20_001)
        if not referee.over
        for view in (referee.view(),)
    ]
    off = [view for view in off if view.seat == 0 and seen_by(view).breach]
    assert len(off) > 2 and off[0].turn < 10
    for view in (*off[:3], off[-1]):
        for config in (PLANNER, graphs.change(PLANNER, planner={"options": {"past": "ignored"}})):
            planned = await graphs.seat(config).bind(GameContext())(view, {})
            assert planned.move == (await house(view, {})).move and not planned.ratings
