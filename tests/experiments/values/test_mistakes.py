"""Mistakes: each known fault on a position made for it, the rules, and no mistake where the move was the best."""

import pytest

from hanabi_orchestrator.experiments.values import turn_values
from hanabi_orchestrator.experiments.values.mistakes import SURE, WORTH, fault, mistake
from hanabi_orchestrator.experiments.values.move_values import TITLES, MoveValue, TurnValues
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from tests.support.positions import dealt
from tests.support.prove import FULL
from tests.support.stories import random_story, story_of

HANDS = ("R1 Y3 G3 W4 B5", "R2 R3 Y4 G4 W5", "B1 B2 B3 R4 Y1")
FAULTS = {
    "a misplay without any hint": ([], "play slot 4", "risky_misplay"),
    "a play without any hint that fits": ([], "play slot 0", None),
    "a hint given twice": (
        ["hint P1 red", "hint P2 blue", "hint P1 yellow"],
        "hint P1 red",
        "empty_hint",
    ),
    "a known play left for a discard": (
        ["hint P1 green", "hint P0 rank 1", "hint P0 yellow"],
        "discard slot 4",
        "missed_play",
    ),
    "a known card played": (
        ["hint P1 green", "hint P0 rank 1", "hint P0 yellow"],
        "play slot 0",
        None,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_where_it_is(name: str) -> None:
    before, text, kind = FAULTS[name]
    referee = dealt(*HANDS, moves=before)
    position = Position(referee.view(), {})
    found = fault(position, referee.apply(parse(text)))
    assert (found and found[0]) == kind
    assert found is None or found[0] in TITLES


@pytest.mark.parametrize(
    ("text", "kind"), [("hint P0 yellow", None), ("hint P0 rank 4", "missed_play")]
)
def test_of_two_players_only_a_hint_that_comes_before_a_play_may_replace_it(
    text: str, kind: str | None
) -> None:
    referee = dealt("Y1 R4 G4 W4 B4", "R1 R3 G2 R1 B5", moves=["hint P1 red"])
    found = fault(Position(referee.view(), {}), referee.apply(parse(text)))
    assert (found and found[0]) == kind


def test_a_last_copy_thrown_away_beside_a_dead_card_is_a_fault() -> None:
    referee = dealt(
        "R1 R1 Y5 G3 W4", "Y1 Y2 Y3 Y4 G4", moves=["hint P1 green", "hint P0 red", "play slot 0"]
    )
    referee.apply(parse("hint P0 rank 1"))
    position = Position(referee.view(), {})
    assert position.by_hints[0].dead == 1.0
    found = fault(position, referee.apply(parse("discard slot 1")))
    assert (
        found
        and found[0] == "critical_discard"
        and "the last Y5" in found[1]
        and "slot 0" in found[1]
    )


def test_a_hint_at_dead_cards_alone_wastes_a_token() -> None:
    referee = dealt("R1 Y3 G3 W4 B4", "R1 R4 Y4 G4 W5", moves=["play slot 0", "hint P0 rank 4"])
    position = Position(referee.view(), {})
    found = fault(position, referee.apply(parse("hint P1 rank 1")))
    assert found and found[0] == "wasted_token"


def values_of(
    position: Position, played: Move, best: Move, loss: float, error: float
) -> TurnValues:
    view = position.view
    moves = tuple(MoveValue(move=move, one_step=0.0, rank=1) for move in (best, played))
    return TurnValues(
        turn=view.turn,
        seat=view.seat,
        basis="",
        metric="strict",
        moves=moves,
        usual=best,
        played=played,
        best=best,
        loss=loss,
        error=error,
    )


@pytest.mark.parametrize(
    ("text", "loss", "error", "kind"),
    [
        ("hint P1 red", WORTH + 0.1, 0.1, "clear_loss"),
        ("hint P1 red", WORTH + 0.1, (WORTH + 0.1) / SURE + 0.01, None),
        ("hint P1 red", WORTH - 0.1, 0.0, None),
        ("play slot 4", WORTH - 0.1, WORTH - 0.2, "risky_misplay"),
        ("play slot 4", 0.1, 0.2, None),
        ("play slot 4", 0.0, 0.0, None),
    ],
)
def test_a_loss_is_a_mistake_when_it_is_clear_or_has_a_known_fault(
    text: str, loss: float, error: float, kind: str | None
) -> None:
    referee = dealt(*HANDS)
    position = Position(referee.view(), {})
    best = parse("hint P2 blue")
    past = referee.apply(parse(text))
    found = mistake(position, past, values_of(position, past.move, best, loss, error))
    assert (found and found.kind) == kind
    if found:
        assert found.better == best and f"{best} was worth {loss:.1f} points more" in found.text


@pytest.mark.parametrize("players", [2, 3, 4, 5] if FULL else [3, 5])
def test_the_best_move_is_no_mistake(players: int) -> None:
    """The move with the best value, had it been played, is none; whatever is one is beaten by another."""
    story = random_story(players, players)
    for number in range(len(story.turns) - 5, len(story.turns), 2):
        found = turn_values(story, number, rollouts=50, every=False)
        if found.mistake:
            assert found.mistake.better == found.best != found.played
            assert found.loss and found.loss == found.mistake.loss > 0
        before = [turn.moved.past.move for turn in story.turns[: number - 1] if turn.moved]
        again = story_of(Referee(players, story.started.deck), [*before, found.best])
        assert turn_values(again, number, rollouts=50, every=False).mistake is None


def test_a_guess_on_the_last_life_is_a_mistake_that_costs_the_game() -> None:
    lives_lost = dealt(*HANDS, moves=["play slot 4", "play slot 4", "hint P1 green"])
    found = turn_values(
        story_of(lives_lost, [parse("play slot 3")]), 4, rollouts=50, every=False
    ).mistake
    assert found and found.kind == "risky_misplay" and found.loss > 5
    assert "cost the last life" in found.text
