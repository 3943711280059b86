"""Servers that are odd in sixty ways: how often they are asked, and whose fault is counted; and arms of one model on a
server that is odd now and then."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from aiohttp import web

from benchmarks.server_oddities import ODDITIES, Oddity, OddServer
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.lines import CallBrief
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


@dataclass
class OneSided(OddServer):
    """A server that refuses once in each way, each time another prompt, and of one arm alone, whose prompts lack a
    section."""

    others: str = "# The discard pile"
    """Stands in the prompts of the other arm."""
    left: list[Oddity] = field(default_factory=lambda: refusals())

    async def respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        prompt = json.dumps(body["messages"])
        is_new = not self.prompts.setdefault(("random", prompt), [])
        self.prompts["random", prompt].append(0.0)
        if self.others in prompt or not is_new or not self.left or len(self.prompts) < 6:
            return web.json_response(fake_endpoint.complete(body))
        return self.left.pop(0).respond(body)


def refusals() -> list[Oddity]:
    """Return the oddities that blame a request by its status."""
    schema = {"response_format": {"type": "json_schema", "json_schema": {"enum": []}}}
    return [oddity for oddity in ODDITIES if 400 <= oddity.respond(schema).status < 500]


def test_what_falls_into_one_arm_alone_changes_the_constraint_of_none(tmp_path: Path) -> None:
    served = OneSided()
    assert len(served.left) > 20
    calls = arms_on(served, tmp_path / "run", seeds=2)
    held = {(arm, call.constraint) for arm, call in calls if call.outcome != "failed"}
    assert held == {("full", "moves"), ("bare", "moves")}
    assert not served.left, "every refusal came"


def test_arms_on_a_server_that_is_odd_now_and_then_stay_alike(tmp_path: Path) -> None:
    """No game is lost, and what answers were held to is the same in both arms."""
    games = 30 if FULL else 1
    served = OddServer(rate=0.05 if FULL else 0.1)
    calls = arms_on(served, tmp_path / "run", seeds=games, verify="safety" if FULL else "none")
    assert len(served.done) > (40 if FULL else 2)
    held = Counter((arm, call.constraint) for arm, call in calls if call.ask == 0)
    print(held, served.done.total(), len(served.done))  # the figures of benchmarks/README.md
    assert {constraint for _, constraint in held} == {"moves"} and len(held) == 2


def arms_on(
    served: OddServer, run: Path, *, seeds: int, verify: str = "none"
) -> list[tuple[str, CallBrief]]:
    """Play two arms of one model on a server; return the calls of each, after a look at the report: no game is lost,
    and no difference of constraints is told."""
    with in_a_thread(served.app) as url:
        asked = {
            "name": "odd",
            "graph": "sherlock",
            "verify": verify,
            "players": [2],
            "seeds": {"first": 1, "count": seeds},
            "models": {"default": quick(f"{url}/random/v1", attempts=8)},
            "arms": {
                "full": {"setting": FORM},
                "bare": {"setting": FORM, "without_sections": ["discards"]},
            },
            "baseline": "full",
            "controls": {"noise_floor": False},
            "min_own": 0,
        }
        run_experiment(experiment.parse(yaml.safe_dump(asked)), run)
    rows = run_folder.read_rows(run)
    assert Counter(row.arm for row in rows) == {"full": seeds, "bare": seeds}
    assert not [*confound(read_asked(run, rows).answerers)]
    calls = []
    for row in rows:
        calls += [(row.arm, call) for call in Game.open(run / row.journal).briefs if call.of_model]
    return calls
