"""Marks: replies scored once the truth is known, in games that programs played."""

import math
from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.graphs.recorded import marks, marks_at
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameStarted,
    Moved,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles import Truth, brier
from hanabi_orchestrator.roles.hanabi.analysis import Analysis
from hanabi_orchestrator.roles.hanabi.discard_report import DiscardReport
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.truth import truths
from hanabi_orchestrator.roles.marks import checked
from hanabi_orchestrator.roles.sections import Sections
from tests.support.positions import events_of


def turns_of(events: list[Event]) -> list[tuple[list[Event], Truth]]:
    """Each turn with its truth, rebuilt from the journal's deck and moves."""
    started = events[0]
    assert isinstance(started, GameStarted)
    turns: list[list[Event]] = []
    for event in events:
        if isinstance(event, TurnStarted):
            turns.append([])
        if turns:
            turns[-1].append(event)
    moves = [event.past.move for event in events if isinstance(event, Moved)]
    return list(zip(turns, truths(started.players, started.deck, moves), strict=True))


@pytest.mark.parametrize("players", (2, 5))
async def test_every_turn_of_a_game_is_marked(players: int) -> None:
    turns = turns_of(await events_of("house", players=players, seed=4))
    config = graphs.at(graphs.read("house"), players)
    found = [marks(config, turn, truth) for turn, truth in turns]
    assert all(
        set(marked) == {"history_analyst", "tom_interpreter", "discard_strategist"}
        for marked in found
    )
    numbers = [
        one for marked in found for replies in marked.values() for one in replies if one is not None
    ]
    assert all(math.isfinite(value) for one in numbers for value in one.values())
    reports = [one for marked in found for one in marked["history_analyst"] if one is not None]
    held = [one["inferred_held"] for one in reports if "inferred_held" in one]
    assert held and set(held) == {1.0}  # a literal reading is never wrong
    chances = [
        m["discard_strategist"][0]["safety_brier"] for m in found if m["discard_strategist"][0]
    ]
    assert 0 < sum(chances) / len(chances) < 0.25  # better than a coin


async def test_the_truth_is_the_hand_that_the_moves_show() -> None:
    for turn, truth in turns_of(await events_of("sherlock", players=3, seed=2)):
        (moved,) = [event for event in turn if isinstance(event, Moved)]
        started = next(event for event in turn if isinstance(event, TurnStarted))
        assert truth.piles == Piles(started.view.fireworks, started.view.discards)
        assert len(truth.own) == len(started.view.own)
        if isinstance(moved.past.move, Play | Discard):
            assert truth.own[moved.past.move.slot] == moved.past.card


async def test_a_remembering_graph_is_marked_with_its_memory_and_samples() -> None:
    base = graphs.setting(graphs.read("house"), remembers=["aggregator"])
    config = graphs.change(base, discard_strategist={"samples": 2})
    events = await events_of(config, players=3, seed=1)
    memories = [event.memory for event in events if isinstance(event, Decided)]
    turn, truth = turns_of(events)[8]
    whole = marks(config, turn, truth, memories[5])
    assert memories[5]["turn"] == 6 and whole == marks_at(events, 9)
    assert (
        len(whole["discard_strategist"]) == 2
        and whole["discard_strategist"][0] == whole["discard_strategist"][1] is not None
    )
    with pytest.raises(UserError, match="this journal has no turn 999"):
        marks_at(events, 999)


TRUTH = Truth((Card.R1, Card.Y5, Card.G2, Card.G2), Piles((0, 0, 1, 0, 0), ()))
NOTHING = Sections(())


def marked(role: str, data: dict[str, Any], kind: type[roles.Reply]) -> Any:
    return roles.mark(roles.get(role), kind.model_validate(data), NOTHING, TRUTH)


def test_the_analysts_chances_are_scored_by_what_fits() -> None:
    entry = Analysis.example["moves"][0]
    plays = [
        {**entry, "action": f"play slot {slot}", "chance": chance}
        for slot, chance in enumerate((1.0, 0.5))
    ]
    hint = {**entry, "action": "hint P1 red", "chance": None}
    assert (
        marked("analyst", {**Analysis.example, "moves": [*plays, hint]}, Analysis)["play_brier"]
        == 0.125
    )
    assert marked("analyst", {**Analysis.example, "moves": [hint]}, Analysis) is None


def test_the_strategists_safety_is_scored_by_what_is_critical() -> None:
    card = DiscardReport.example["cards"][0]
    cards = [
        {**card, "slot": slot, "safety": safety} for slot, safety in ((0, 1.0), (1, 1.0), (4, 0.0))
    ]
    found = marked("discard_strategist", {**DiscardReport.example, "cards": cards}, DiscardReport)
    assert (found["safety_brier"], found["cards_judged"]) == (
        0.5,
        0.5,
    )  # the 5 is critical; the hand has no slot 4
    assert found["safety_log"] == pytest.approx(-(math.log(0.99) + math.log(0.01)) / 2)


def test_the_historians_inferences_are_right_or_wrong() -> None:
    said = [
        {"slot": slot, "cards": cards, "reason": "r"}
        for slot, cards in ((0, ["R1", "Y1"]), (2, ["W1"]))
    ]
    report = {**HistoryReport.example, "inferred": said}
    assert marked("history_analyst", report, HistoryReport) == {
        "inferred_held": 0.5,
        "inferred_types": 1.5,
        "inferred_log": pytest.approx(-(math.log(0.99 / 2) + math.log(0.01 / 24)) / 2),
    }
    assert marked("history_analyst", {**report, "inferred": []}, HistoryReport) is None


def test_what_cannot_be_marked_is_not() -> None:
    assert roles.mark(roles.get("analyst"), Absent(reason="x"), NOTHING, TRUTH) is None
    assert (
        roles.mark(
            roles.get("proposer"), roles.Choice(reason="r", action=Play(slot=0)), NOTHING, TRUTH
        )
        is None
    )
    assert brier([(None, True), (0.5, None)]) is None
    with pytest.raises(ValueError, match="mark 'x' of role 'r' is nan, not a finite number"):
        checked("r", {"x": math.nan})
