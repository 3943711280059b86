"""Trajectories, as the models of the format's package read them."""

import json
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.conftest import Run
from tests.support.known_games import journal_of

atif = pytest.importorskip("atif", reason="the package atif is not installed")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("atif") / "game.jsonl"
    play(graphs.seat("house", "sim:careless"), players=2, seed=5, journal=path, max_turns=9)
    return path


def trajectories(run: Run, game: Path) -> list[Any]:
    code, out, err = run("export", str(game), "--to", "atif", "--out", "out")
    assert code == 0 and "trajectories  out" in out, err
    paths = sorted(Path("out").rglob("*.json"))
    return [atif.Trajectory.model_validate(json.loads(path.read_text("utf-8"))) for path in paths]


def test_each_seat_is_a_trajectory_of_its_moves_with_its_calls_inside(game: Path, run: Run) -> None:
    events = journal.read(game)
    made = trajectories(run, game)
    assert [one.trajectory_id for one in made] == ["seat0", "seat1"] and {
        one.schema_version for one in made
    } == {"ATIF-v1.7"}
    for seat, one in enumerate(made):
        decided = [e for e in events if isinstance(e, Decided) and e.seat == seat]
        agents = [step for step in one.steps if step.source == "agent"]
        assert [step.message for step in agents] == [e.why for e in decided]
        assert [step.tool_calls[0].function_name for step in agents] == [
            e.move.kind for e in decided
        ]
        assert all(
            step.timestamp and "information token" in step.observation.results[0].content
            for step in agents
        )
        calls = [e for e in events if isinstance(e, Call) and e.seat == seat]
        inside = {sub.trajectory_id: sub for sub in one.subagent_trajectories}
        refs = [
            ref.trajectory_id
            for step in agents
            for ref in step.observation.results[0].subagent_trajectory_ref
        ]
        assert refs == list(inside) and len(refs) == len(calls)
        asked = [call for call in calls if call.of_model]
        assert one.final_metrics.total_prompt_tokens == sum(call.tokens_in for call in asked)
        for call in asked:
            sub = inside[f"turn-{call.turn}/{call.node}/{call.sample}/{call.ask}"]
            assert [step.message for step in sub.steps] == [
                *(m.content for m in call.messages),
                call.text,
            ]
            assert sub.steps[-1].metrics.completion_tokens == call.tokens_out
            copied = [step.is_copied_context for step in sub.steps if step.source == "agent"]
            assert copied == [True] * (len(copied) - 1) + [None]


def test_seats_that_see_a_hand_never_see_their_own(game: Path, run: Run) -> None:
    for seat, one in enumerate(trajectories(run, game)):
        for step in one.steps:
            if step.source == "user":
                seen = json.loads(step.message.partition("What you see: ")[2])
                assert seen["seat"] == seat and [hand["seat"] for hand in seen["hands"]] == [
                    1 - seat
                ]


def test_games_of_programs_and_unfinished_ones_are_written_too(run: Run, tmp_path: Path) -> None:
    journal_of(tmp_path / "five.jsonl", 5, "unfinished")
    lines = (tmp_path / "five.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:5]), "utf-8")
    (only,) = trajectories(run, tmp_path / "cut.jsonl")[:1]
    assert (only.agent.model_name, only.subagent_trajectories, only.extra["result"]) == (
        None,
        None,
        None,
    )
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "cut-seat0.json",
        "cut-seat1.json",
    ]
