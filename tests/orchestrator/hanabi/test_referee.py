"""The guarded edge to the engine: what it deals, allows, tells and refuses, in either build."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, DECK_SIZE, INDEX, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED, Referee, deal, rebuild
from tests.support.engines import BUILDS, playing_on
from tests.support.positions import random_game, random_views

PLAYERS = (2, 3, 4, 5)


@pytest.fixture(autouse=True, params=BUILDS)
def build(request: pytest.FixtureRequest) -> Iterator[None]:
    with playing_on(request.param):
        yield


def stacked(*first: str) -> list[Card]:
    """A deck that begins with these cards."""
    rest = [card for card in CARDS for _ in range(card.copies)]
    for card in first:
        rest.remove(Card(card))
    return [*(Card(card) for card in first), *rest]


def test_a_deck_or_a_seat_that_would_abort_the_engine_is_refused() -> None:
    with pytest.raises(UserError, match="a deck has 3 x R1, this one has 50"):
        Referee(2, ["R1"] * 50)
    for seat in (-1, 2, 7):
        with pytest.raises(UserError, match=f"there is no seat {seat}; the seats are 0 to 1"):
            Referee(2, deal(1)).view(seat)


def test_a_seed_is_always_the_same_deal_and_other_seeds_are_others() -> None:
    assert deal(1) == deal(1) and len({deal(seed) for seed in range(1, 21)}) == 20
    assert len(deal(MAX_SEED)) == len(deal(0)) == DECK_SIZE


@pytest.mark.parametrize("seed", [-1, 2**31, 2**63, True, "1", 1.5])
def test_a_seed_that_would_abort_the_engine_is_refused(seed: Any) -> None:
    with pytest.raises(UserError, match=f"a whole number from 0 to 2147483647, not {seed}"):
        deal(seed)


@pytest.mark.parametrize("players", [0, 1, 6])
def test_a_player_count_that_would_abort_the_engine_is_refused(players: int) -> None:
    with pytest.raises(UserError, match=f"2 to 5 players, not {players}"):
        Referee(players, deal(1))


@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_is_rebuilt_from_its_deck_and_moves(players: int) -> None:
    for seed in range(5):
        views = []
        moves = []
        for referee in random_game(players, seed):
            views.append(referee.view())
            moves = [past.move for past in views[-1].history]
        assert rebuild(players, deal(seed), moves).view() == views[-1]


@pytest.mark.parametrize("players", PLAYERS)
def test_only_legal_moves_are_made_and_the_others_named(players: int) -> None:
    every: list[Move] = [
        *(Play(slot=slot) for slot in range(5)),
        *(Discard(slot=slot) for slot in range(5)),
        *(
            HintColour(to=to, colour=colour)
            for to in range(5)
            for colour in ("R", "Y", "G", "W", "B")
        ),
        *(HintRank(to=to, rank=rank) for to in range(5) for rank in range(1, 6)),
    ]
    for referee in random_game(players, 3):
        before = referee.view()
        for move in every:
            if move not in before.legal:
                with pytest.raises(IllegalMove, match="is not legal on turn"):
                    referee.apply(move)
        assert referee.view() == before


def test_three_misplays_lose_the_game_and_nothing_can_be_done_after() -> None:
    referee = Referee(2, stacked("R1", "Y5", "G5", "W5", "B5", "R3", "R4", "Y4", "G4", "W4"))
    for _ in range(4):
        referee.apply(Play(slot=0))
    assert (referee.end, referee.lives, referee.score_kept, referee.score_strict) == (
        "lives_lost",
        0,
        1,
        0,
    )
    assert referee.over and referee.legal() == ()
    assert [referee.view(seat).lives for seat in (0, 1)] == [0, 0]
    with pytest.raises(IllegalMove, match="the game is over"):
        referee.apply(Play(slot=0))
    with pytest.raises(IllegalMove, match="nobody's turn"):
        _ = referee.seat


def peek(referee: Referee) -> Move:
    """The move of a cheat who sees their own hand: play, discard what is dead, hint, discard."""
    view = referee.view()
    mine = next(
        hand.cards
        for hand in referee.view((view.seat + 1) % view.players).hands
        if hand.seat == view.seat
    )
    bits = [1 << INDEX[card] for card in mine]
    plays = [m for m in view.legal if isinstance(m, Play) and bits[m.slot] & view.piles.playable]
    dead = [m for m in view.legal if isinstance(m, Discard) and bits[m.slot] & view.piles.dead]
    spare = [
        m for m in view.legal if isinstance(m, Discard) and not bits[m.slot] & view.piles.critical
    ]
    hints = [m for m in view.legal if isinstance(m, HintColour | HintRank)]
    return (plays or (dead if view.tokens < 4 else hints) or spare or hints or list(view.legal))[0]


def test_a_perfect_game_ends_at_once_with_25() -> None:
    ends = []
    for seed in range(1, 12):
        referee = Referee(3, deal(seed))
        while not referee.over:
            referee.apply(peek(referee))
        ends.append((referee.end, referee.score_strict, referee.score_kept))
    assert ("perfect", 25, 25) in ends
    assert all(strict == kept == 25 for end, strict, kept in ends if end == "perfect")


@pytest.mark.parametrize("players", PLAYERS)
def test_after_the_last_card_everybody_has_one_more_turn(players: int) -> None:
    views = [view for view in random_views(players, 5) if view.deck_size == 0]
    assert [view.turns_left for view in views] == list(range(players, 0, -1))
    assert {view.last_seat for view in views} == {views[-1].seat}
    assert all(view.turns_left is None for view in random_views(players, 5) if view.deck_size)


@pytest.mark.parametrize("players", PLAYERS)
def test_counts_agree_at_every_turn(players: int) -> None:
    for view in random_views(players, 8):
        held = len(view.own) + sum(len(hand.cards) for hand in view.hands)
        assert view.score + len(view.discards) + held + view.deck_size == DECK_SIZE
        assert len(view.history) == view.turn - 1
        assert view.legal


def test_a_stray_header_or_library_in_the_working_folder_is_not_taken_for_hles(
    tmp_path: Path,
) -> None:
    for name in ("pyhanabi.h", "libpyhanabi.so"):
        (tmp_path / name).write_text("not HLE", "utf-8")
    code = "from hanabi_orchestrator.orchestrator.hanabi.referee import deal; print(len(deal(1)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "50"
