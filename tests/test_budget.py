"""What a run may spend: no call breaks the limit, games stop between their turns, and go on with more."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphs
from orchestrator import fake_endpoint, journal
from orchestrator.brain import Ask, Message, Place, Said, messages
from orchestrator.budget import Budget, Cost, Metered
from orchestrator.errors import ModelError, Suspended, UserError
from orchestrator.events import Call, Event, Moved, TurnStarted
from orchestrator.models import ModelLayer
from orchestrator.settings import settings
from orchestrator.table import play_async
from tests.servers import ask, quick
from tests.test_cli import Run, endpoint, run  # noqa: F401  # fixtures
from tests.test_games import of

URL = "http://127.0.0.1:9/v1"


class Answering:
    """Answers of a length, after a while."""

    def __init__(self, tokens_out: int, counts: bool = True) -> None:
        self.tokens_out, self.counts = tokens_out, counts

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
        await asyncio.sleep(0.001)
        if not self.counts:
            return Said(text="x" * 4 * self.tokens_out)
        return Said(text="x", tokens_in=2, tokens_out=self.tokens_out, reasoning_tokens=self.tokens_out // 2)

    async def aclose(self) -> None:
        """Nothing to close."""


def metered(budget: Budget, tokens_out: int, counts: bool = True, **more: Any) -> Metered:
    return Metered(Answering(tokens_out, counts), budget, settings({"model": f"openai:m@{URL}", **more}))


async def spend(brain: Metered, place: Place | None = None) -> bool:
    """One call; whether there was room for it."""
    one = ask(place=place)
    try:
        await brain(one, messages(one.parts))
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
    assert budget.spent.tokens == sum(made) * (2 + longest) <= limit
    assert budget.held == Cost()


async def test_a_budget_of_money_counts_what_calls_cost() -> None:
    budget = Budget(max_usd=0.01)
    brain = metered(budget, 1000, max_tokens=1000, price={"input": 0, "output": 2})
    assert [await spend(brain) for _ in range(7)] == [True] * 5 + [False] * 2
    assert budget.spent.usd == pytest.approx(0.01)


async def test_a_server_that_counts_nothing_is_counted_by_characters() -> None:
    budget = Budget(max_tokens=10**6)
    await spend(metered(budget, 250, counts=False))
    assert budget.spent.tokens == len("A table.") // 4 + 250


async def test_a_failed_call_gives_its_room_back() -> None:
    class Failing(Answering):
        async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
            raise ModelError("down")

    budget = Budget(max_tokens=5000)
    assert not await spend(Metered(Failing(1), budget, settings(f"openai:m@{URL}")))
    assert (budget.held, budget.spent) == (Cost(), Cost())


async def test_a_turn_begins_only_while_there_is_room_for_it_beside_those_that_have_begun() -> None:
    budget = Budget(max_tokens=1000)
    assert budget.enter("a") is None
    await spend(metered(budget, 200, max_tokens=198), Place("a", 1, 1))  # a turn needs 200, so 250 are taken
    assert budget.enter("a") is None and budget.enter("b") is None and budget.enter("c") is None
    assert budget.enter("d") == (
        "the budget is reached: 202 of 1000 tokens are spent, and the turns in play may need 1000 more"
    )
    budget.leave("b")
    assert budget.enter("d") is None


def test_money_without_a_price_is_refused_before_the_first_call() -> None:
    layer = ModelLayer(budget=Budget(max_usd=1))
    with pytest.raises(UserError, match=f"--max-usd needs the price of openai:m@{URL} in dollars per million"):
        layer.brain(f"openai:m@{URL}")
    assert layer.brain({"model": f"openai:m@{URL}", "price": {"input": 0, "output": 0}})


async def test_games_stop_at_the_end_of_a_turn_and_go_on_with_more(tmp_path: Path) -> None:
    """Four games at once; none stops within a turn, and the limit holds."""
    limit = 250_000
    async with fake_endpoint.serving(fake_endpoint.app(latency_s=0.001)) as url:

        async def game(seed: int, layer: ModelLayer) -> str | None:
            seat = graphs.seat("moa_sherlock", quick(url, max_tokens=800), layer=layer)
            try:
                await play_async(
                    seat, players=3, seed=seed, journal=tmp_path / f"{seed}.jsonl", gate=layer.budget, max_turns=12
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


def test_the_command_stops_with_3_and_counts_what_was_spent_before(run: Run, endpoint: str) -> None:  # noqa: F811
    play = ("play", "--json", "--graph", "watson", "--model", f"openai:fake@{endpoint}")
    code, out, err = run(*play, "--max-tokens", "9000")
    assert code == 3 and "the budget is reached: " in err and "of 9000 tokens are spent" in err
    path = Path(json.loads(out)["journal"])
    first = tokens(journal.read(path))
    assert 0 < first <= 9000
    assert run(*play, "--max-tokens", "9000")[0] == 3 and first <= tokens(journal.read(path)) <= 9000
    assert run(*play, "--max-tokens", "15000")[0] == 3 and first < tokens(journal.read(path)) <= 15000
    code, out, _ = run(*play)
    assert code == 0 and json.loads(out)["forced"] == 0
    code, _, err = run(*play, "--seed", "2", "--max-tokens", "10")
    assert code == 3 and "0 of 10 tokens are spent, and the next call may need" in err
