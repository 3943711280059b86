"""Servers that are odd in sixty ways: how often they are asked, and whose fault is counted; and arms of one model on a
server that is odd now and then."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from benchmarks.server_oddities import ODDITIES, Oddity, OddServer
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.report.answerers import confound, read_asked
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Brain,
    Exchange,
    Part,
    Place,
    answer,
)
from hanabi_orchestrator.roles import Choice
from tests.support.prove import FULL
from tests.support.servers import ask, in_a_thread, quick

ATTEMPTS = 5
FORM = {"answer_format": "json_schema"}
LISTED = Part("legal_moves", "0: play slot 0\n1: play slot 1")


@asynccontextmanager
async def odd(oddity: Oddity) -> AsyncIterator[tuple[Brain, OddServer]]:
    served = OddServer()
    async with fake_endpoint.serving(served.app) as url:
        address = f"{url}/{ODDITIES.index(oddity)}/v1"
        brain = ModelLayer().brain(quick(address, attempts=ATTEMPTS))
        try:
            yield brain, served
        finally:
            await brain.aclose()


def test_there_are_sixty_oddities_of_different_names() -> None:
    assert len({oddity.name for oddity in ODDITIES}) == len(ODDITIES) >= 60


@pytest.mark.parametrize("oddity", ODDITIES, ids=lambda oddity: oddity.name)
async def test_each_is_asked_as_often_as_helps_and_counted_as_whose_fault_it_is(
    oddity: Oddity,
) -> None:
    seen: list[Exchange] = []
    async with odd(oddity) as (brain, served):
        try:
            reply: object = await answer(ask(LISTED, place=Place(turn=9)), brain, seen.append)
        except ModelError as stopped:
            reply = stopped
        tries = len(served.tries(ODDITIES.index(oddity)))
    outcomes = [exchange.outcome for exchange in seen]
    match oddity.kind:
        case "read":
            assert isinstance(reply, Choice) and outcomes in (["ok"], ["repaired"]) and tries <= 4
        case "unusable":
            assert isinstance(reply, Absent) and outcomes == ["reasked", "fallback"] and tries == 1
            assert not any("refused the content" in str(exchange.error) for exchange in seen)
        case "content":
            assert isinstance(reply, Absent) and outcomes == ["reasked", "fallback"] and tries == 1
            assert all("the server refused the content" in str(exchange.error) for exchange in seen)
            assert reply.cause == "refused"
        case "absent":
            assert (
                isinstance(reply, Absent)
                and outcomes == ["fallback"]
                and reply.cause == "overflow"
                and tries == 1
            )
        case "refused":
            assert isinstance(reply, ModelError) and outcomes == ["failed"] and tries <= 3
        case "passing":
            assert (
                isinstance(reply, ModelError)
                and outcomes == ["failed"]
                and not reply.final
                and tries == ATTEMPTS
            )


def test_arms_on_a_server_that_is_odd_now_and_then_stay_alike(tmp_path: Path) -> None:
    """No game is lost, and what answers were held to is the same in both arms."""
    games = 30 if FULL else 1
    served = OddServer(rate=0.05 if FULL else 0.1)
    with in_a_thread(served.app) as url:
        asked = {
            "name": "odd",
            "graph": "sherlock",
            "verify": "safety" if FULL else "none",
            "players": [2],
            "seeds": {"first": 1, "count": games},
            "models": {"default": quick(f"{url}/random/v1", attempts=8)},
            "arms": {
                "full": {"setting": FORM},
                "bare": {"setting": FORM, "without_sections": ["discards"]},
            },
            "baseline": "full",
            "controls": {"noise_floor": False},
            "min_own": 0,
        }
        run_experiment(experiment.parse(yaml.safe_dump(asked)), tmp_path / "run")
    rows = run_folder.read_rows(tmp_path / "run")
    assert Counter(row.arm for row in rows) == {"full": games, "bare": games}
    assert len(served.done) > (40 if FULL else 2)
    assert not [*confound(read_asked(tmp_path / "run", rows).answerers)]
    calls = [
        (row.arm, call) for row in rows for call in Game.open(tmp_path / "run" / row.journal).briefs
    ]
    held = Counter((arm, call.constraint) for arm, call in calls if call.of_model and call.ask == 0)
    assert {constraint for _, constraint in held} == {"moves"} and len(held) == 2
