"""How many calls a model gets at the same time: kept, halved once a burst, raised again, never lost."""

import asyncio

import pytest
from aiohttp import web

from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import FIRST, Limiter
from hanabi_orchestrator.orchestrator.models.request import messages
from tests.support.prove import FULL
from tests.support.servers import ask, completion, quick, server


async def test_the_limit_is_kept_halved_once_a_burst_and_recovers() -> None:
    limiter = Limiter(8)
    together = most = 0

    async def call(crowded: bool) -> None:
        nonlocal together, most
        async with limiter as began:
            together += 1
            most = max(most, together)
            await asyncio.sleep(0.001)
            together -= 1
        limiter.crowded(began) if crowded else limiter.answered()

    await asyncio.gather(*(call(False) for _ in range(40)))
    assert most == 8 and limiter.limit == 8
    await asyncio.gather(*(call(True) for _ in range(8)))
    assert limiter.limit == 4
    most = 0
    await asyncio.gather(*(call(False) for _ in range(12)))
    assert most <= 6 and 4 < limiter.limit < 8
    await asyncio.gather(*(call(False) for _ in range(60)))
    assert limiter.limit == 8 and limiter.busy == 0


async def test_a_caller_who_goes_away_while_waiting_leaves_his_place_to_the_next() -> None:
    limiter = Limiter(1)
    release = asyncio.Event()

    async def hold() -> None:
        async with limiter:
            await release.wait()

    tasks = [asyncio.create_task(hold()) for _ in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    release.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert limiter.busy == 0 and tasks[2].done() and not tasks[2].cancelled()


SERVICE_S, TIMEOUT_S, CALLS = (3.0, 20.0, 60) if FULL else (0.12, 0.8, 24)
"""A call's time on the server, the time after which the client cuts it, and how many there are."""


async def test_a_server_with_one_slot_has_few_calls_cut() -> None:
    slot = asyncio.Lock()
    begun = 0

    async def queueing(_: web.Request) -> web.StreamResponse:
        nonlocal begun
        begun += 1
        async with slot:
            await asyncio.sleep(SERVICE_S)
        return completion()

    async with fake_endpoint.serving(server(queueing)) as url:
        brain = ModelLayer().brain(quick(url, timeout_s=TIMEOUT_S, max_concurrency=16, attempts=20))
        answers = await asyncio.gather(*(brain(ask(), messages(ask().parts)) for _ in range(CALLS)))
        await brain.aclose()
    cut = sum(len(response.attempts) - 1 for response in answers)
    assert begun >= CALLS and cut <= 0.05 * begun


async def test_a_call_cut_by_the_time_out_halves_the_limit_and_is_no_refusal() -> None:
    async def hanging(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(10)
        return completion()

    layer = ModelLayer()
    async with fake_endpoint.serving(server(hanging)) as url:
        brain = layer.brain(quick(url, timeout_s=0.05, attempts=1))
        with pytest.raises(ModelError, match="did not answer in time"):
            await brain(ask(), messages(ask().parts))
        await brain.aclose()
    (limit,) = layer.limits.values()
    assert isinstance(limit, Limiter) and limit.limit == FIRST / 2 and limit.refused == 0


def test_slow_answers_do_not_raise_the_limit() -> None:
    limiter = Limiter(16)
    assert limiter.limit == FIRST
    for _ in range(5):
        limiter.answered(slow=True)
    assert limiter.limit == FIRST
    for _ in range(20):
        limiter.answered()
    assert limiter.limit == 16
