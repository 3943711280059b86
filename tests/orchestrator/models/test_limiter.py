"""How many calls a model gets at the same time: kept, halved once a burst, raised again, never lost."""

import asyncio

from orchestrator.models.limiter import Limiter


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
