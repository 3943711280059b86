"""What refused moves would have done at once, against the referee, who really makes them."""

import random
from collections.abc import Sequence

from hanabi_orchestrator.orchestrator.hanabi.first_choices import Effect, compared
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.hanabi.referee import deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from tests.support.positions import random_game


def test_every_other_move_has_the_effect_that_the_referee_finds() -> None:
    chance = random.Random(1)
    for players, seed in ((2, 3), (4, 5)):
        choices = {
            referee.turn: chance.choice(referee.legal()) for referee in random_game(players, seed)
        }
        moves = [past.move for past in history_of(players, seed)]
        record = Record(players=players, deck=deal(seed), moves=tuple(moves))
        found = list(compared(record, choices))
        assert [turn.turn for turn in found] == list(choices)
        for turn in found:
            before = moves[: turn.turn - 1]
            assert turn.first == really(players, seed, before, choices[turn.turn])
            assert turn.played == really(players, seed, before, moves[turn.turn - 1])
        assert {turn.first for turn in found} == {Effect(0, 0), Effect(1, 0), Effect(0, -1)}


def history_of(players: int, seed: int) -> tuple[Past, ...]:
    (*_, referee) = random_game(players, seed)
    return referee.history


def really(players: int, seed: int, before: Sequence[Move], move: Move) -> Effect:
    referee = rebuild(players, deal(seed), before)
    points = referee.score_kept
    lives = referee.lives
    referee.apply(move)
    return Effect(referee.score_kept - points, referee.lives - lives)


def test_where_every_first_choice_was_made_nothing_is_compared() -> None:
    assert list(compared(Record(players=2, deck=deal(1), moves=()), {})) == []
