"""A turn decided again: with nothing changed it is the same turn; with a change, only what reads it is asked."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.tasks.fork import fork_report
from hanabi_orchestrator.experiments.tasks.fork.decision import Fork, decide
from hanabi_orchestrator.graphs.graph_seat import Model
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.errors import OverBudget, UserError
from hanabi_orchestrator.orchestrator.journal.events import Event, Moved
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    Scripted,
)
from hanabi_orchestrator.orchestrator.players.partners import get
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.experiments.tasks.fork.conftest import Games
from tests.support.prove import FULL

GAMES: dict[str, tuple[str, int, Model, Mapping[str, Any]]] = {
    "house": ("house", 3, "program", {}),
    "cac": ("cac", 4, "program", {}),
    "mycroft, which remembers": ("mycroft", 2, "program", {}),
    "moa_watson": ("moa_watson", 5, "program", {}),
    "watson on a simulated model": ("watson", 3, "sim:average", {}),
    "house on a simulated model": ("house", 2, "sim:average", {}),
    "a lean journal": ("house", 3, "program", {"lean": True}),
    "a lean journal of a simulated model": ("house", 2, "sim:careless", {"lean": True}),
}


def of_turn(events: list[Event] | tuple[Event, ...]) -> list[dict[str, Any]]:
    return comparable(event for event in events if not isinstance(event, Moved))


@pytest.mark.parametrize("name", GAMES)
def test_with_nothing_changed_every_turn_is_what_it_was(name: str, game: Games) -> None:
    graph, players, model, more = GAMES[name]
    story = Game.open(game(graph, players, model, turns=None if FULL else 4, **more))
    for turn in story.turns:
        fork = decide(story, turn.number)
        assert of_turn(fork.new[0].events) == of_turn(fork.old.events)
        assert fork.old.decided == turn.decided and not fork.warnings


def test_a_recording_answers_as_the_model_did(game: Games) -> None:
    path = game("house", 2, "sim:careless", turns=6)
    story = Game.open(path)
    for turn in story.turns:
        fork = decide(path, turn.number, model=f"replay:{path}")
        assert of_turn(fork.new[0].events) == of_turn(turn.events)


def asked(fork: Fork) -> set[str]:
    return {call.node for call in fork.new[0].calls if call.fixed is None}


def test_an_empty_note_is_decided_as_no_note_and_keeps_all_others(game: Games) -> None:
    story = Game.open(game("house", 3, "program", turns=6))
    for turn in (2, 5):
        empty = decide(story, turn, settings=["tom_interpreter=padded"])
        removed = decide(story, turn, without=["tom_interpreter"])
        assert empty.new[0].decided == removed.new[0].decided and empty.kept == removed.kept
        (call,) = [call for call in empty.new[0].calls if call.node == "tom_interpreter"]
        assert (call.fixed, call.reply) == ("padded", None) and call.padding > 20
        placebo = decide(story, turn, settings=["tom_interpreter=placebo"])
        assert placebo.kept == removed.kept and not placebo.stopped


def test_a_changed_note_asks_only_what_reads_it(game: Games, tmp_path: Path) -> None:
    path = game("house", 3, "sim:average", turns=6)
    story = Game.open(path)
    note = decide(story, 5).old_notes["discard_strategist"]
    fork = decide(story, 5, edits={"discard_strategist": note})
    before = {(call.node, call.sample): call for call in fork.old.calls}
    assert asked(fork) == {"aggregator", "safety"} and fork.edited == {"discard_strategist"}
    for call in fork.new[0].calls:
        if call.fixed == "recorded":
            assert call.model_copy(update={"fixed": None}) == before[call.node, call.sample]
    assert fork.new[0].decided == fork.old.decided, "the same note changes nothing"


def test_a_note_of_a_file_is_read_as_an_answer_would_be(game: Games, tmp_path: Path) -> None:
    path = game("cac", 2, turns=4)
    file = tmp_path / "choice.yaml"
    place = decide(path, 1)
    other = next(
        move
        for move in place.place.view.legal
        if place.old.decided and move != place.old.decided.move
    )
    file.write_text(f"reason: because\naction: {other}\n")
    fork = decide(path, 1, edits={"generate": file})
    (note,) = notes_of(fork.config, fork.new[0].events)["generate"]
    assert str(getattr(note, "action", None)) == str(other) and "generate" not in asked(fork)
    assert fork.kept == {"interpret"}


def test_a_recorded_turn_with_a_refusal_is_decided_again_with_its_redo(game: Games) -> None:
    path = game("cac", 2, "sim:careless", turns=14)
    story = Game.open(path)
    turn = next(
        turn for turn in story.turns if any(call.node == "generate-2" for call in turn.calls)
    )
    number = turn.number
    assert of_turn(decide(story, number).new[0].events) == of_turn(turn.events)
    note = decide(story, number).old_notes["check"]
    fork = decide(story, number, edits={"check": note})
    assert {"interpret", "generate"} <= fork.kept and "generate-2" in asked(fork)
    assert fork.new[0].decided == turn.decided, "the same verdict, the same redo"


def test_another_model_of_one_node_asks_it_and_what_reads_it(game: Games) -> None:
    path = game("house", 3, "sim:average", turns=6)
    fork = decide(path, 4, nodes={"tom_interpreter": "program"})
    assert fork.kept == {"history_analyst", "discard_strategist"}
    assert {call.node: call.model for call in fork.new[0].calls if call.fixed is None} == {
        "tom_interpreter": "program",
        "aggregator": "sim:average",
        "safety": "program",
    }


def test_a_model_s_note_is_compared_in_what_a_model_could_write(game: Games) -> None:
    path = game("house", 3, turns=6)
    fork = decide(path, 6, nodes={"history_analyst": "sim:careful"})
    (old,), (new,) = fork.old.replies["history_analyst"], fork.new[0].replies["history_analyst"]
    assert old and new and old["trust"] and not new["trust"], "only the program fills it"
    (change,) = (change for change in fork_report.changes(fork) if change.node == "history_analyst")
    assert (
        change.status == "same"
        and change.old == change.new
        and "trust" not in (change.old[0] or {})
    )
    by_programs = decide(path, 6, graph="house")
    (kept,) = (
        change for change in fork_report.changes(by_programs) if change.node == "history_analyst"
    )
    assert kept.old == (old,)


def test_a_new_node_is_asked_and_what_reads_it(game: Games) -> None:
    fork = decide(game("house", 3, "sim:average", turns=6), 4, settings=["added:proposer"])
    assert asked(fork) == {"proposer", "aggregator", "safety"}
    assert fork.kept == {"history_analyst", "tom_interpreter", "discard_strategist"}


def test_a_node_taken_away_asks_what_read_it(game: Games) -> None:
    fork = decide(game("house", 3, "sim:average", turns=6), 4, without=["discard_strategist"])
    assert "discard_strategist" not in {call.node for call in fork.new[0].calls}
    assert asked(fork) == {"aggregator", "safety"}


def test_samples_have_seeds_of_their_own_and_programs_need_one(game: Games) -> None:
    several = decide(game("watson", 3, "sim:careless", turns=6), 5, samples=8)
    assert (
        sum(several.moves.values()) == 8 and len({turn.calls[0].text for turn in several.new}) > 1
    )
    one = decide(game("house", 3, turns=5), 3, samples=8)
    assert len(one.new) == 1 and one.same and "programs" in one.same


def test_an_open_turn_is_decided_and_a_seat_that_is_no_graph_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    play([graphs.seat("house"), get("smart")], players=2, seed=2, journal=path, max_turns=3)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"game_ended"' not in line))
    fork = decide(path, 4, graph="watson")
    assert fork.old.decided is None and fork.new[0].decided and fork.place.view.turn == 4
    with pytest.raises(UserError, match=r"partner:smart is no graph.*give --graph"):
        decide(path, 4)
    with pytest.raises(UserError, match="turns 1 to 4, not 5"):
        decide(path, 5)


def test_a_changed_prompt_or_reader_is_said(game: Games, tmp_path: Path) -> None:
    path = game("watson", 3, "sim:average", turns=6)
    assert not decide(path, 2).warnings
    old = tmp_path / "old.jsonl"
    old.write_text(
        path.read_text()
        .replace("You are", "Thou art")
        .replace('"prompt_hash": "', '"prompt_hash": "0')
    )
    (said,) = decide(old, 2).warnings
    assert "prompts of these nodes changed: proposer" in said


def test_a_fork_knows_no_more_than_the_seat_did(game: Games) -> None:
    """Another deck with the same cards in sight gives the same prompts, whatever the seat holds itself."""
    path = game("house", 3, "sim:average", turns=6)
    story = Game.open(path)
    deck = list(story.started.deck)
    deck[-1], deck[-2] = deck[-2], deck[-1]
    other = Game.of((story.started.model_copy(update={"deck": tuple(deck)}), *story.events[1:]))
    for graph in (None, "mycroft"):
        one, two = (decide(told, 5, graph=graph, model="sim:average") for told in (story, other))
        assert [call.messages for call in one.new[0].calls] == [
            call.messages for call in two.new[0].calls
        ]


def test_a_budget_ends_the_samples_and_what_was_paid_is_counted(game: Games) -> None:
    path = game("watson", 3, "sim:average", turns=6)
    model = Scripted(
        {"proposer": lambda request: {"reason": "x", "action": str(request.moves["0"])}}
    )

    async def limited(request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        if len(model.asked) == 3:
            raise OverBudget("the budget is reached")
        return replace(await model(request, messages), tokens_in=7)

    limited.aclose = model.aclose  # type: ignore[attr-defined]
    fork = decide(path, 2, model=cast(Model, limited), samples=5)
    assert (len(fork.new), len(fork.undecided), fork.stopped) == (3, 2, "the budget is reached")
    assert fork_report.usage(fork)["tokens_in"] == 21 and sum(fork.moves.values()) == 3
