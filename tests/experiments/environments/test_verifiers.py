"""The package for verifiers plays whole games and asks for single decisions; skipped without verifiers."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator import play_async
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from tests.experiments.environments.blind import Blind, answer
from tests.support.folders import ROOT

pytest.importorskip("verifiers.v1", reason="needs verifiers")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries among themselves


@pytest_asyncio.fixture
async def context(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """A run's model: the blind one, on a server."""
    from verifiers.v1.clients import EvalClientConfig, ModelContext

    def blind(chat: dict[str, Any], kind: str | None = None) -> dict[str, Any]:
        completion = complete(chat)
        completion["choices"][0]["message"]["content"] = answer(chat["messages"])
        return completion

    complete = fake_endpoint.complete
    monkeypatch.setattr(fake_endpoint, "complete", blind)
    monkeypatch.syspath_prepend(ROOT / "experiments" / "environments" / "hanabi_v1")
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        yield ModelContext(model="blind", client=EvalClientConfig(base_url=url))


async def episodes(
    context: Any, folder: Path, tasks: int, rollouts: int = 1, **config: Any
) -> list[tuple[Any, Game]]:
    """Play a group for each task; an episode with its journal, in the order of play."""
    import hanabi_v1

    taskset = {"id": "hanabi-v1", "first": 7, "players": config.pop("players", 2)}
    env = hanabi_v1.HanabiEnv(hanabi_v1.HanabiEnvConfig(taskset=taskset, journals=folder, **config))
    async with env.serving():
        each = [
            await env.run_episode(task, context)
            for task in env.taskset.take(tasks)
            for _ in range(rollouts)
        ]
    assert all(episode.ok for episode in each), [episode.errors for episode in each]
    return list(zip(each, journals(folder), strict=True))


def journals(folder: Path) -> list[Game]:
    """The games of a folder, as they were played."""
    return [
        Game.open(path)
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    ]


@pytest.mark.parametrize(
    ("players", "reward"),
    [(2, "score_kept"), (3, "score_strict"), (4, "score_change"), (5, "move_value")],
)
async def test_a_whole_game_is_that_of_the_table(
    context: Any, tmp_path: Path, players: int, reward: str
) -> None:
    ((episode, game),) = await episodes(
        context, tmp_path, 1, players=players, reward=reward, penalty=2.0
    )
    events: list[Any] = []
    await play_async(graphs.seat("compact", Blind()), players=players, seed=7, sink=events.append)
    calls = [call for call in Game.of(events).calls if call.text is not None]
    assert game.moves == Game.of(events).moves and game.result and len(calls) > 4
    for trace, call in zip(episode.traces, calls, strict=True):
        sent = [
            {"role": node.message.role, "content": node.message.content} for node in trace.nodes
        ]
        heard = [{"role": message.role, "content": message.content} for message in call.messages]
        assert sent == [*heard, {"role": "assistant", "content": call.text}]
        usable = call.outcome == "ok"
        turn = game.turn(call.turn)
        assert turn.moved and turn.decided
        worth = float(usable and sum(turn.moved.past.fireworks) - sum(turn.view.fireworks))
        if reward in ("score_kept", "score_strict"):
            worth = getattr(game.result, reward)
        if reward == "move_value":
            values = one_step_values(Position.of(game, call.turn).scene)
            low = min(values.values())
            high = max(values.values())
            worth = usable * (values[turn.decided.move] - low) / (high - low)
        assert trace.agent.name == f"player{call.seat}" and list(trace.rewards) == [reward]
        assert trace.reward == pytest.approx(worth - 2.0 * (not usable))
        assert (
            trace.metrics["score_kept"] == game.result.score_kept
            and trace.metrics["usable"] == usable
        )
        assert (
            trace.metrics["legal"] == (call.cause != "illegal")
            and trace.metrics["forced"] == turn.decided.forced
        )
    assert {trace.metrics["usable"] for trace in episode.traces} == {0.0, 1.0}


async def test_a_group_shares_its_deal_and_seats_may_be_frozen_or_programs(
    context: Any, tmp_path: Path
) -> None:
    played = await episodes(
        context, tmp_path, 2, 2, players=3, frozen=[0], seats=["1=partner:piers"]
    )
    assert [game.started.seed for _, game in played] == [7, 7, 8, 8]
    assert played[0][1].started.deck == played[1][1].started.deck != played[2][1].started.deck
    for episode, game in played:
        assert {(trace.agent.name, trace.agent.trainable) for trace in episode.traces} == {
            ("player0", False),
            ("player2", True),
        }
        assert game.started.seats[1].graph == "partner:piers"
        assert not [
            key for key in keys(json.loads(json.dumps(episode.to_record()))) if key.isdigit()
        ]


def keys(record: Any) -> list[str]:
    """The keys of all maps in a record."""
    if isinstance(record, dict):
        return [*record, *(key for value in record.values() for key in keys(value))]
    return [key for value in record for key in keys(value)] if isinstance(record, list) else []


@pytest.mark.parametrize("graph", ["compact", "watson"])
async def test_a_decision_is_worth_its_one_step_value(context: Any, graph: str) -> None:
    import hanabi_decisions_v1

    taskset = {"id": "hanabi-decisions-v1", "graph": graph, "first": 7, "deals": 1}
    env = hanabi_decisions_v1.DecisionsEnv(hanabi_decisions_v1.DecisionsEnvConfig(taskset=taskset))
    fates = set()
    async with env.serving():
        for task in env.taskset.take(12):
            episode = await env.run_episode(task, context)
            assert episode.ok, episode.errors
            (trace,) = episode.traces
            low = min(task.data.values)
            high = max(task.data.values)
            named = [
                n for n, move in enumerate(task.data.legal_moves) if trace.last_reply.endswith(move)
            ]
            usable = trace.metrics["usable"] == 1.0
            assert trace.reward == pytest.approx(
                (task.data.values[named[-1]] - low) / (high - low) if usable else -1.0
            )
            fates.add((usable, trace.metrics["legal"]))
    assert {(True, 1.0), (False, 0.0)} <= fates
