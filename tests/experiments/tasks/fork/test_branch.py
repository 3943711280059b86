"""A game played on from a fork: a whole journal that names its parent, resumes, and pays for no old answer again."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.record import rows, turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.tasks.fork import branch, decision
from hanabi_orchestrator.experiments.tasks.fork.new_seat import Change
from hanabi_orchestrator.experiments.values import turn_values
from hanabi_orchestrator.graphs.graph_seat import seat
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameEnded, GameStarted
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.table.game_loop import play_started
from tests.conftest import Run
from tests.experiments.tasks.fork.conftest import Games

NO_CHANGE = Change()


def onward(
    path: Path, turn: int, out: Path, change: Change = NO_CHANGE, last: int = 99, **more: Any
) -> Path:
    """Play on from a fork, to the end or to a turn; returns the new journal."""

    async def played() -> Path:
        layer = ModelLayer()
        fork = await decision.prepare(path, turn, change, layer=layer)
        begun = branch.branch(fork, path, out, layer, **more)
        await play_started(begun.seats, begun.started, journal=begun.path, max_turns=last)
        return begun.path

    return asyncio.run(played())


def told(events: Sequence[Event]) -> list[dict[str, Any]]:
    """What happened, without how a game begins and ends and whence its answers are."""
    found = comparable(event for event in events if not isinstance(event, GameStarted | GameEnded))
    return [{key: value for key, value in event.items() if key != "fixed"} for event in found]


def test_without_a_change_the_game_goes_on_as_it_did(game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    made = onward(path, 4, tmp_path, last=8)
    old = journal.read(path)
    new = journal.read(made)
    assert told(old) == told(new)
    parent = new[0].parent if isinstance(new[0], GameStarted) else None
    assert parent and (parent.journal, parent.turn, parent.seats, parent.edits) == (
        path.name,
        4,
        {},
        {},
    )
    calls = [event for event in new if isinstance(event, Call) and event.of_model]
    assert all((call.fixed == "recorded") == (call.turn < 4) for call in calls)
    assert not any(call.paid for call in calls if call.turn < 4)


def test_another_graph_sits_there_from_the_turn_on(game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    made = onward(path, 4, tmp_path, Change(graph="watson", model="program"), last=8)
    story = Game.open(made)
    seats = [story.started.seat_at(1, turn).graph for turn in (2, 4)]
    assert seats == ["house", "watson"]
    assert {call.node for call in story.turn(2).calls} > {"aggregator"}
    assert {call.node for call in story.turn(4).calls} == {"proposer"}
    assert str(story.result and story.result.graph) == "house+watson"
    told_of = [row.own is not None for row in turn_rows.turns(Game.open(made), "arm")]
    assert told_of == [turn < 4 or turn % 2 == 1 for turn in range(1, 9)], (
        "its model played up to the fork"
    )
    again = decision.decide(made, 2)
    assert again.new[0].decided == again.old.decided and again.place.info.graph == "house"


def test_a_fork_of_a_fork_knows_who_sat_when(game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    first = onward(path, 4, tmp_path, Change(graph="watson", model="program"), last=8)
    later = onward(first, 6, tmp_path, Change(graph="mycroft", model="program"), last=8)
    earlier = onward(first, 2, tmp_path, Change(graph="mycroft", model="program"), last=8)

    def graphs(made: Path) -> list[str]:
        started = Game.open(made).started
        return [started.seat_at(1, turn).graph for turn in (1, 2, 4, 6)]

    assert graphs(later) == ["house", "house", "watson", "mycroft"]
    assert graphs(earlier) == ["house", "mycroft", "mycroft", "mycroft"]


@pytest.mark.parametrize("kept", [1, 3, 8])
def test_a_killed_fork_goes_on_where_it_was(kept: int, game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    note = tmp_path / "note.yaml"
    note.write_text("reason: because\naction: discard slot 0\n")
    whole = onward(path, 4, tmp_path / "a", Change(edits={"aggregator": note}), last=6)
    lines = whole.read_bytes().splitlines(keepends=True)
    first = next(n for n, event in enumerate(journal.read(whole)) if getattr(event, "turn", 0) == 4)
    cut = tmp_path / "b" / whole.name
    cut.parent.mkdir()
    cut.write_bytes(b"".join(lines[: first + kept]) + lines[first + kept][:20])
    assert onward(path, 4, tmp_path / "b", Change(edits={"aggregator": note}), last=6) == cut
    assert comparable(journal.read(cut)) == comparable(journal.read(whole))
    assert [call.fixed for call in Game.open(cut).turn(4).calls if call.node == "aggregator"] == [
        "edited"
    ]


def test_another_fork_does_not_go_on_with_it(game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    first = onward(path, 4, tmp_path, last=5)
    first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[:-1]))
    moved = tmp_path / f"{path.stem}-t6.jsonl"
    first.rename(moved)
    with pytest.raises(
        UserError, match=r"forked from game.* at turn 4, and this one was forked from .* at turn 6"
    ):
        onward(path, 6, tmp_path, last=7)


def test_a_new_seat_for_the_others_and_a_row_of_a_run(game: Games, tmp_path: Path) -> None:
    path = game("house", 2, "sim:average", turns=8)
    arm = tmp_path / "run" / "games" / "forked"
    made = onward(path, 4, arm, last=6, seats={0: seat("watson")})
    assert made.name == "2p-s2-r1.jsonl"
    (row,) = rows.rows(tmp_path / "run")
    assert (row.arm, row.turns, row.graph) == ("forked", 6, "watson+house")


def test_the_commands_say_what_is_wrong_in_one_sentence(
    run: Run, game: Games, tmp_path: Path
) -> None:
    path = str(game("house", 2, turns=5))
    bad = tmp_path / "note.yaml"
    bad.write_text("reason: because\n")
    (deep := tmp_path / "deep.json").write_text("[" * 50_000, "utf-8")
    wrong = {
        "--turn 9": "the game has turns 1 to 5, not 9",
        "--turn 2 --edit analyst=x": "has no node 'analyst'; its nodes are",
        "--turn 2 --edit aggregator-2=x": "'aggregator-2' gave no note in turn 2, so there is none to replace",
        f"--turn 2 --edit aggregator={bad}": "this is no note of role 'aggregator': action: field required",
        f"--turn 2 --edit aggregator={deep}": "this is no note of role 'aggregator': it holds no complete JSON object",
        "--turn 2 --edit aggregator=missing.yaml": "cannot read the new note of aggregator, 'missing.yaml'",
        "--turn 2 --edit aggregator": "is not NODE=FILE",
        "--turn 2 --note analyst": "node 'analyst' gave no note in turn 2",
        "--turn 2 --continue --samples 2": "leave out --samples",
        "--turn 2 --seat 0=watson": "needs --continue",
    }
    for flags, said in wrong.items():
        code, _, error = run("fork", path, *flags.split())
        assert (code, error.count("\n")) == (2, 1) and said in error


def test_the_printed_note_can_be_read_again(run: Run, game: Games, tmp_path: Path) -> None:
    path = game("house", 2, turns=5)
    file = tmp_path / "note.yaml"
    for node, note in decision.decide(path, 3).old_notes.items():
        file.write_text(run("fork", str(path), "--turn", "3", "--note", node)[1])
        fork = decision.decide(path, 3, edits={node: file})
        assert (
            notes_of(fork.config, fork.new[0].events)[node] == note
            and fork.new[0].decided == fork.old.decided
        )


def test_samples_are_counted_before_the_first_is_shown_and_simulated_errors_are_named(
    run: Run, game: Games
) -> None:
    path = game("house", 2, "sim:careless", turns=6)
    turn = next(turn for turn in Game.open(path).turns if any(call.injected for call in turn.calls))
    out = run("fork", str(path), "--turn", str(turn.number), "--samples", "4")[1]
    counts = out.index("4 decisions, each with its own seeds")
    first = out.index("sample 1 of 4")
    assert counts < out.index("with simulated errors") < first < out.index("simulated errors  ")
    values = {
        v.move: v.one_step for v in turn_values(Game.open(path), turn.number, rollouts=0).moves
    }
    assert turn.decided and re.search(
        rf"one-step value +\{values[turn.decided.move]:+.2f} ", out[first:]
    )
    assert f"the highest here is {max(values.values()):+.2f}" in out
    told = json.loads(run("fork", str(path), "--turn", str(turn.number), "--json")[1])
    assert told["one_step"] == {str(move): value for move, value in values.items()}
    kind = next(call.injected[0] for call in turn.calls if call.injected).replace("_", " ")
    for shown in (out[first:], run("show", str(path))[1]):
        line = next(line for line in shown.splitlines() if "simulated errors" in line)
        assert kind in line
