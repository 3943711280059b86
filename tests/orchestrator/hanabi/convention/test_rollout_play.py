"""Rollouts on plain integers: the same with numba and without, and held to the games that it abridges."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from hanabi_orchestrator.orchestrator.hanabi import rollout_rules as rules
from hanabi_orchestrator.orchestrator.hanabi.cards import COPIES_OF, HAND_SIZES
from hanabi_orchestrator.orchestrator.hanabi.convention import rollout_play
from hanabi_orchestrator.orchestrator.hanabi.convention import rollout_table as table
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    common_knowledge,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    ADAPTING,
    LITERAL,
    STRANGER,
    Convention,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.past_moves import past_moves
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act, numbered
from hanabi_orchestrator.orchestrator.hanabi.view import View
from tests.orchestrator.hanabi.convention.test_search import NEWEST, conventional, scene
from tests.orchestrator.hanabi.test_view import disguised, own_places
from tests.support.prove import FULL
from tests.support.rollouts import in_plain_python, random_move

MANNERS = (NEWEST, NEWEST, Convention("oldest", "oldest"), LITERAL, ADAPTING, STRANGER)
POSITIONS = 100_000 if FULL else 2_000


def game(chance: Random) -> RolloutGame:
    """A deal at a table of random players."""
    players = chance.randint(2, 5)
    deck = [card for card, copies in enumerate(COPIES_OF) for _ in range(copies)]
    chance.shuffle(deck)
    size = HAND_SIZES[players]
    customs = [chance.choice(MANNERS) for _ in range(players)]
    hands = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
    return RolloutGame(CommonKnowledge.start(customs), 0, None).dealt(hands, deck[players * size :])


def positions(chance: Random) -> Iterator[list[int]]:
    """Positions of games in which every third move is random."""
    for _ in range(POSITIONS):
        dealt = game(chance)
        while not dealt.over:
            yield [int(number) for number in dealt.state]
            dealt.apply(
                random_move(dealt.state, chance) if chance.random() < 1 / 3 else dealt.decide()
            )


@pytest.mark.skipif(not rules.COMPILED, reason="numba is not installed")
def test_compiled_rollouts_are_exactly_those_in_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a change of `rollout_table` alone, numba may find its old players in `__pycache__`: delete it then."""
    (plain_rules, plain_table, plain_play), chance = (
        in_plain_python(monkeypatch, rules, table, rollout_play),
        Random(1),
    )
    assert not plain_rules.COMPILED and plain_play.apply.__code__ is plain_table.apply.__code__
    for number, (position, _) in enumerate(zip(positions(chance), range(POSITIONS), strict=False)):
        move = random_move(position, chance)
        fast = np.array(position, dtype=np.int64)
        room = np.zeros(rules.SIZE, dtype=np.int64)
        usual = list(position)
        other = [0] * rules.SIZE
        assert rollout_play.decide(fast) == plain_play.decide(usual) and fast.tolist() == usual
        assert (
            table.misleads(fast, move, room) == plain_table.misleads(usual, move, other)
            and room.tolist() == other
        )
        if number % 20 == 0:
            assert (
                rollout_play.outcome(fast, move, room) == plain_play.outcome(usual, move, other)
                and room.tolist() == other
            )


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_a_hand_explains_the_past_moves_that_convention_players_would_have_made_beside_it(
    players: int,
) -> None:
    """The oracle is the game played again from its first move, with that hand in the deck."""
    chance = Random(1)
    unexplained = []
    for number, (referee, at, _) in enumerate(conventional(players, 10_020)):
        if number % 9 != 8:
            continue
        view = referee.view()
        for other in [referee, *(disguised(referee, view, chance) for _ in range(4))]:
            hand = own_hand(other, view)
            if not all(
                mask >> card & 1
                for mask, card in zip(at.knowledge.common[view.seat], hand, strict=True)
            ):
                continue
            counted = past_moves(at, view.history).surprises(hand, 99)
            unexplained.append(counted)
            assert counted == replayed(other.deck, players, view.seat, view.history)
    assert 0 in unexplained and max(unexplained) > 0


def own_hand(referee: Referee, view: View) -> list[int]:
    return numbered([referee.deck[place] for place in own_places(referee, view)])


def replayed(deck: Any, players: int, seat: int, history: Any) -> int:
    """How many moves of the partners of a seat a rollout of the whole game would not have made."""
    cards = numbered(deck)
    size = HAND_SIZES[players]
    game = RolloutGame(CommonKnowledge.start((NEWEST,) * players), 0, None)
    game = game.dealt(
        [cards[p * size : (p + 1) * size] for p in range(players)], cards[: players * size - 1 : -1]
    )
    number = 0
    for past in history:
        number += past.seat != seat and game.decide() != act(past.move)
        game.apply(act(past.move))
    return number


@pytest.mark.parametrize("players", (2, 4))
def test_a_move_misleads_if_it_makes_somebody_rule_out_what_a_card_is(players: int) -> None:
    """The oracle is the common knowledge of the whole table after the move."""
    misled = 0
    for number, (referee, _, _) in enumerate(conventional(players, 10_021)):
        view = referee.view()
        at = scene(view, common_knowledge((NEWEST,) * players, view.history))
        game = RolloutGame(at.knowledge, at.seat, at.turns_left).dealt(
            [
                own_hand(referee, view) if seat == at.seat else numbered(at.hands[seat])
                for seat in range(players)
            ],
            numbered(referee.deck)[: -view.deck_size - 1 : -1],
        )
        for move in view.legal if number % 5 == 0 else ():
            after = game.dealt(game.hands, game.deck)
            after.apply(act(move))
            wrong = [
                not after.common[seat][slot] >> card & 1
                for seat in range(players)
                for slot, card in enumerate(game.hands[seat])
                if seat != at.seat
            ]
            assert game.misleads(act(move)) == any(wrong)
            misled += any(wrong)
    assert misled > 5
