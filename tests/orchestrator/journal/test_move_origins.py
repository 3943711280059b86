"""Whose a move is: what happens in a turn, and what a game's result then says of it."""

import pytest

from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    SeatInfo,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigin, origins
from hanabi_orchestrator.orchestrator.models.request import FAKE


def started(*models: str) -> GameStarted:
    seats = tuple(SeatInfo(graph="g", model=model) for model in models)
    return GameStarted(
        players=2, seed=1, game="x", deck=(), seats=seats, config_hash="x", versions={}
    )


def call(
    node: str = "proposer", *, ask: int = 0, copied: bool = False, usable: bool = True
) -> Call:
    reply = {"action": "play slot 0"} if usable else None
    answered = {"text": "...", "prompt_hash": "x", "reply": reply, "copied": copied}
    return Call(turn=1, seat=0, node=node, role="proposer", ask=ask, model="openai:m", **answered)


def verdict(node: str, slot: int, *, accepted: bool = False) -> VerdictGiven:
    return VerdictGiven(turn=1, seat=0, node=node, move=Play(slot=slot), accepted=accepted, why="w")


def decided(node: str | None = "proposer") -> Decided:
    return Decided(turn=1, seat=0, move=Discard(slot=1), why="w", forced=node is None, node=node)


def origin(*events: Event, model: str = "openai:m") -> MoveOrigin:
    (found,) = origins((started(model, "program"), *events))
    return found


def test_a_first_accepted_choice_is_the_models_own() -> None:
    assert origin(call(), verdict("safety", 1, accepted=True), decided()) == MoveOrigin(1, True)
    assert origin(call(), decided()).counts["own"] == 1
    assert origin(call(), decided(), model="program").counts["own"] == 0, "no model is asked"


@pytest.mark.parametrize(
    ("events", "own", "said"),
    [
        ((call(usable=False), call(ask=1), decided()), True, {"second_ask": 1}),
        ((call(copied=True), decided()), False, {"copied_moves": 1}),
        ((call(usable=False), call(ask=1, usable=False), decided(None)), False, {"forced": 1}),
        (
            (
                call(),
                verdict("safety", 2),
                call("proposer-2"),
                verdict("safety-2", 3, accepted=True),
                decided("proposer-2"),
            ),
            True,
            {"refused": 1, "refused_by_rule": 1, "refused_turns": 1, "after_refusal": 1},
        ),
        (
            (call(), verdict("check", 2), call("proposer-2"), verdict("check-2", 3), decided(None)),
            False,
            {"refused": 2, "refused_turns": 1, "forced": 1},
        ),
        ((call("analyst", ask=1, copied=True), call(), decided()), True, {}),
    ],
)
def test_what_comes_before_a_move_is_counted(
    events: tuple[Event, ...], own: bool, said: dict[str, int]
) -> None:
    found = origin(*events)
    counts = {
        name: number
        for name, number in found.counts.items()
        if number and name not in ("model_moves", "own")
    }
    assert (found.chosen, counts) == (own, said)


def test_the_first_refused_choice_is_the_first_choice_and_turns_do_not_mix() -> None:
    refused = verdict("check", 2), verdict("safety-2", 4)
    first, second = origins(
        (started("openai:m", "program"), *refused, decided(), call(), decided())
    )
    assert first.refused == (Play(slot=2), Play(slot=4)) and first.refused_by_rule == 1
    assert second.refused == () and second.chosen


def test_the_fake_server_is_told_by_its_fingerprint_whatever_model_is_asked() -> None:
    assert call().model_copy(update={"fingerprint": FAKE}).fake and not call().fake
