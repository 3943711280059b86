"""What a run may spend: no call breaks the limit, games stop between their turns, and go on with more."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import ModelError, Suspended, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Moved, TurnStarted
from hanabi_orchestrator.orchestrator.journal.totals import usage_by_turn
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.budget import ANSWER, Accounts, Budget, Metered
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    Part,
    messages,
)
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.conftest import Run
from tests.support.servers import ask, quick, server
from tests.test_games import of

URL = "http://127.0.0.1:9/v1"


class Answering:
    """Answers of a length, after a while."""

    def __init__(self, tokens_out: int) -> None:
        self.tokens_out = tokens_out

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        await asyncio.sleep(0.001)
        return ModelResponse(
            text="x", tokens_in=2, tokens_out=self.tokens_out, reasoning_tokens=self.tokens_out // 2
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def metered(budget: Budget, tokens_out: int, **more: Any) -> Metered:
    return Metered(Answering(tokens_out), budget, settings({"model": f"openai:m@{URL}", **more}))


async def spend(brain: Metered) -> bool:
    """One call; whether there was room for it."""
    try:
        await brain(ask(), messages(ask().parts))
    except ModelError:
        return False
    return True


@given(limit=st.integers(100, 5000), longest=st.integers(1, 400), calls=st.integers(1, 60))
def test_calls_at_the_same_time_never_break_the_limit(limit: int, longest: int, calls: int) -> None:
    budget = Budget(max_tokens=limit)

    async def whole() -> list[bool]:
        brain = metered(budget, longest, max_tokens=longest)
        return await asyncio.gather(*(spend(brain) for _ in range(calls)))

    made = asyncio.run(whole())
    assert budget.accounts.spent.tokens == sum(made) * (2 + longest) <= limit
    assert budget.accounts.held == Usage()


async def test_a_budget_of_money_counts_what_calls_cost() -> None:
    budget = Budget(max_usd=0.01)
    brain = metered(budget, 1000, max_tokens=1000, price={"input": 0, "output": 2})
    assert [await spend(brain) for _ in range(7)] == [True] * 5 + [False] * 2
    assert (budget.accounts.spent.usd or 0) == pytest.approx(0.01)


async def test_a_server_that_counts_nothing_is_counted_by_characters_also_on_the_next_run(
    tmp_path: Path,
) -> None:
    async def silent(request: web.Request) -> web.Response:
        answer = fake_endpoint.complete(await request.json())
        del answer["usage"]
        return web.json_response(answer)

    path = tmp_path / "game.jsonl"
    price = {"input": 1, "output": 1}
    async with fake_endpoint.serving(server(silent)) as url:
        for _ in range(2):  # the second run knows what the first one spent
            budget = Budget(max_usd=0.004)
            seat = graphs.seat(
                "watson", quick(url, price=price, max_tokens=100), layer=ModelLayer(budget=budget)
            )
            budget.remember(usage_by_turn(journal.read(path) if path.exists() else ()))
            with pytest.raises(Suspended, match="the budget is reached"):
                await play_async(seat, players=2, seed=1, journal=path, gate=budget)
            await seat.aclose()
    calls = of(journal.read(path), Call)
    assert all(call.estimated and call.tokens_in > 500 for call in calls)
    assert 0.002 < sum(call.usd or 0 for call in calls) <= 0.004


def test_what_was_played_without_a_price_counts_at_the_price_of_now() -> None:
    budget = Budget(max_usd=1)
    budget.check(settings({"model": f"openai:m@{URL}", "price": {"input": 100, "output": 100}}))
    call = Call(
        turn=1,
        seat=0,
        node="n",
        role="r",
        model="m",
        text="t",
        prompt_hash="p",
        tokens_in=900,
        tokens_out=100,
    )
    budget.remember(usage_by_turn([call]))
    assert budget.accounts.spent.tokens == 1000 and (
        budget.accounts.spent.usd or 0
    ) == pytest.approx(0.1)


async def test_a_failed_call_gives_its_room_back() -> None:
    class Failing(Answering):
        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            raise ModelError("down")

    budget = Budget(max_tokens=5000)
    assert not await spend(Metered(Failing(1), budget, settings(f"openai:m@{URL}")))
    assert (budget.accounts.held, budget.accounts.spent) == (Usage(), Usage())


async def test_a_turn_begins_only_while_there_is_room_for_it_beside_those_that_have_begun() -> None:
    """Each game is a task of its own, also when several play the same deal."""
    budget = Budget(max_tokens=1000)
    assert await budget.enter() is None
    await spend(metered(budget, 198, max_tokens=198))  # a turn needs 200, so 250 are taken
    budget.leave()
    done = asyncio.Event()

    async def game(stays: bool) -> str | None:
        why = await budget.enter()
        if stays and why is None:
            await done.wait()
        budget.leave()
        return why

    playing = [asyncio.create_task(game(True)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting = asyncio.create_task(game(False))
    await asyncio.sleep(0.2)
    assert not waiting.done() and len(budget.accounts.turns) == 3
    done.set()
    assert await asyncio.gather(*playing, waiting) == [None] * 4 and not budget.accounts.turns
    await spend(metered(budget, 598, max_tokens=598))
    assert await asyncio.create_task(game(False)) == (
        "the budget is reached: 800 of 1000 tokens are spent, and the turns in play may need 250 more"
    )


def test_money_without_a_price_is_refused_before_the_first_call() -> None:
    layer = ModelLayer(budget=Budget(max_usd=1))
    with pytest.raises(
        UserError,
        match=f"a budget in dollars needs the price of openai:m@{URL} in dollars per million",
    ):
        layer.brain(f"openai:m@{URL}")
    assert layer.brain({"model": f"openai:m@{URL}", "price": {"input": 0, "output": 0}})


async def test_games_stop_at_the_end_of_a_turn_and_go_on_with_more(tmp_path: Path) -> None:
    """Four games at once; none stops within a turn, and the limit holds."""
    limit = 180_000
    async with fake_endpoint.serving(fake_endpoint.app(latency_s=0.001)) as url:

        async def game(seed: int, layer: ModelLayer) -> str | None:
            seat = graphs.seat("moa_sherlock", quick(url, max_tokens=800), layer=layer)
            try:
                await play_async(
                    seat,
                    players=3,
                    seed=seed,
                    journal=tmp_path / f"{seed}.jsonl",
                    gate=layer.budget,
                    max_turns=12,
                )
            except Suspended as error:
                return str(error)
            finally:
                await seat.aclose()
            return None

        layer = ModelLayer(budget=Budget(max_tokens=limit))
        stops = await asyncio.gather(*(game(seed, layer) for seed in range(4)))
        games = [journal.read(path) for path in (tmp_path / f"{seed}.jsonl" for seed in range(4))]
        assert all(stop and stop.startswith("the budget is reached: ") for stop in stops)
        assert all(len(of(events, TurnStarted)) == len(of(events, Moved)) for events in games)
        assert limit / 2 < sum(map(tokens, games)) <= limit
        rich = ModelLayer(budget=Budget(max_tokens=100 * limit))
        assert await asyncio.gather(*(game(seed, rich) for seed in range(4))) == [None] * 4


def tokens(events: list[Event]) -> int:
    return sum(call.tokens_in + call.tokens_out for call in of(events, Call))


def test_the_command_stops_with_3_and_counts_what_was_spent_before(run: Run, endpoint: str) -> None:
    play = ("play", "--json", "--graph", "watson", "--model", f"openai:fake@{endpoint}")
    code, out, err = run(*play, "--budget", "8000tokens")
    assert code == 3 and "the budget is reached: " in err and "of 8000 tokens are spent" in err
    assert err.endswith(". A larger budget continues from there\n")
    path = Path(json.loads(out)["journal"])
    first = tokens(journal.read(path))
    assert 0 < first <= 8000
    assert (
        run(*play, "--budget", "8000tokens")[0] == 3 and first <= tokens(journal.read(path)) <= 8000
    )
    assert (
        run(*play, "--budget", "11000tokens")[0] == 3
        and first < tokens(journal.read(path)) <= 11000
    )
    code, out, _ = run(*play)
    assert code == 0 and json.loads(out)["forced"] == 0
    code, _, err = run(*play, "--seed", "2", "--budget", "10tokens")
    assert code == 3 and "0 of 10 tokens are spent, and the next call may need" in err


# Answers whose length nobody knows


async def test_without_max_tokens_the_first_call_is_made_alone_and_the_others_know_its_length() -> (
    None
):
    """Twelve games ask at once; each answer has 30,000 tokens."""
    budget = Budget(max_tokens=100_000)
    together = list[int]()

    class Counting(Answering):
        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            together.append(budget.accounts.held.tokens)
            return await super().__call__(request, messages)

    brains = [Metered(Counting(30_000), budget, settings(f"openai:m@{URL}")) for _ in range(12)]
    made = await asyncio.gather(*map(spend, brains))
    assert sum(made) == 2 and budget.accounts.spent.tokens == 2 * 30_002
    assert together == [ANSWER + 2, 60_002]  # one at a time, counted at twice the first one
    assert budget.accounts.held == Usage()


async def test_a_first_call_that_fails_lets_another_one_be_the_first() -> None:
    class FailingOnce(Answering):
        failed = False

        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            if not self.failed:
                self.failed = True
                await asyncio.sleep(0.01)
                raise ModelError("down")
            return await super().__call__(request, messages)

    brain = Metered(FailingOnce(1000), Budget(max_tokens=50_000), settings(f"openai:m@{URL}"))
    assert sorted(await asyncio.gather(*(spend(brain) for _ in range(4)))) == [
        False,
        True,
        True,
        True,
    ]


def test_a_first_call_of_a_process_that_died_is_waited_for_by_nobody() -> None:
    accounts = Accounts(max_tokens=1000)
    assert accounts.expect("m", "dead-3") == (None, 0)
    assert accounts.expect("m", "well-1")[0] and accounts.expect("other", "well-2") == (None, 0)
    accounts.process_ended("dead")
    assert accounts.expect("m", "well-1") == (None, 0)
    accounts.learn("m", "well-1", 70)
    assert accounts.expect("m", "well-4") == (None, 70)


async def test_a_run_that_goes_on_knows_how_long_answers_were() -> None:
    for used in (Usage(10, 30_000), Usage(20, 60_000, calls=2)):
        budget = Budget(max_tokens=70_000)
        if used.calls > 1:
            budget.recall(used)
        else:
            budget.remember([[used]])
        spent = budget.accounts.spent.tokens
        assert not await spend(Metered(Answering(30_000), budget, settings(f"openai:m@{URL}")))
        assert budget.accounts.spent.tokens == spent


async def test_a_call_is_made_if_it_just_fits_and_not_with_one_token_less() -> None:
    for limit, fits in ((202, True), (201, False)):
        budget = Budget(max_tokens=limit)
        assert await spend(metered(budget, 200, max_tokens=200)) == fits
        assert budget.accounts.spent.tokens == (202 if fits else 0)


@pytest.mark.parametrize(
    "more", [{"max_tokens": 500}, {"extra_body": {"max_completion_tokens": 500}}]
)
async def test_a_call_is_counted_at_its_longest_answer_before_any_has_come(
    more: dict[str, Any],
) -> None:
    assert not await spend(metered(Budget(max_tokens=501), 1, **more))
    assert await spend(metered(Budget(max_tokens=502), 1, **more))
    assert not await spend(metered(Budget(max_tokens=ANSWER + 1), 1))
    assert await spend(metered(Budget(max_tokens=ANSWER + 2), 1))


async def test_a_call_is_counted_at_the_full_price_of_its_prompt_and_its_longest_answer() -> None:
    """At a dollar a token; what a provider has cached is known only afterwards."""
    price = {"input": 1e6, "cached": 0, "output": 1e6}
    assert not await spend(metered(Budget(max_usd=201.5), 1, max_tokens=200, price=price))
    assert await spend(metered(Budget(max_usd=202), 1, max_tokens=200, price=price))


async def test_a_turn_of_a_run_that_goes_on_needs_room_for_its_dearest_and_twice_the_longest_answer() -> (
    None
):
    """3,010 tokens are spent; a turn may need a quarter more than those and an answer of 6,000."""
    for limit, fits in ((3010 + 11_262, True), (3010 + 11_261, False)):
        budget = Budget(max_tokens=limit)
        budget.check(settings(f"openai:m@{URL}"))
        budget.remember([[Usage(10, 3000)]])
        assert (await budget.enter() is None) == fits


async def test_a_prompt_in_chinese_is_counted_by_its_characters() -> None:
    chinese = ask(Part("state", "手牌" * 500))
    budget = Budget(max_tokens=1090)
    with pytest.raises(ModelError, match="and the next call may need 1101 more"):
        await metered(budget, 1, max_tokens=1)(chinese, messages(chinese.parts))


async def test_cached_tokens_beside_the_prompt_use_a_budget_of_money_up() -> None:
    async def odd(request: web.Request) -> web.Response:
        answer = fake_endpoint.complete(await request.json())
        answer["usage"] = {"prompt_tokens": 120, "prompt_tokens_details": {"cached_tokens": 1800}}
        return web.json_response(answer)

    price = {"input": 2.5, "cached": 0.25, "output": 10}
    async with fake_endpoint.serving(server(odd)) as url:
        budget = Budget(max_usd=0.012)
        seat = graphs.seat(
            "watson", quick(url, price=price, max_tokens=50), layer=ModelLayer(budget=budget)
        )
        with pytest.raises(Suspended, match="the budget is reached"):
            await play_async(seat, players=2, seed=1, gate=budget)
        await seat.aclose()
    assert 0.004 < (budget.accounts.spent.usd or 0) <= 0.012
