"""Token counts: the several ways in which servers count are one in a journal, and no cost is negative."""

from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.models.request import ModelResponse, messages
from hanabi_orchestrator.orchestrator.models.usage import Usage
from tests.support.servers import GOOD, ask, quick, server

COUNT = st.integers(0, 10**6)
PRICE = {"input": 2.5, "cached": 0.25, "output": 10}


async def answered(usage: dict[str, Any] | None, text: str = GOOD, **more: Any) -> ModelResponse:
    async def handle(_: web.Request) -> web.Response:
        message = {"content": text, **more}
        return web.json_response(
            {"choices": [{"message": message}]} | ({} if usage is None else {"usage": usage})
        )

    async with fake_endpoint.serving(server(handle)) as url:
        brain = ModelLayer().brain(quick(url, price=PRICE))
        found = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    return found


def cached(tokens: int) -> dict[str, Any]:
    return {"prompt_tokens_details": {"cached_tokens": tokens}}


@pytest.mark.parametrize(
    ("usage", "tokens", "usd"),
    [
        (
            {"prompt_tokens": 2000, "completion_tokens": 10, **cached(1800)},
            (2000, 10, 1800),
            0.00105,
        ),
        (
            {"prompt_tokens": 120, "completion_tokens": 10, **cached(1800)},
            (1920, 10, 1800),
            0.00085,
        ),
        (
            {"prompt_tokens": 2000, "completion_tokens": 10, "total_tokens": 3810, **cached(1800)},
            (3800, 10, 1800),
            0.00555,
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 150},
            (100, 50, 0),
            0.00075,
        ),
        ({"completion_tokens": 10, "total_tokens": 110}, (100, 10, 0), 0.00035),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            (100, 50, 0),
            0.00075,
        ),
    ],
    ids=[
        "within",
        "beside",
        "beside by the total",
        "reasoning by the total",
        "no prompt",
        "reasoning beside",
    ],
)
async def test_each_way_of_counting_costs_what_it_should(
    usage: dict[str, Any], tokens: tuple[int, int, int], usd: float
) -> None:
    found = await answered(usage)
    assert (
        found.tokens_in,
        found.tokens_out,
        found.cached_tokens,
    ) == tokens and not found.estimated
    assert found.usd == pytest.approx(usd)


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (None, (None, None)),
        ({"prompt_tokens": 50}, (50, None)),
        ({"prompt_tokens": 50, "completion_tokens": 0}, (50, None)),
        ({"prompt_tokens": 50, "completion_tokens": -4}, (50, None)),
        ({"completion_tokens": 50}, (None, 50)),
    ],
)
async def test_a_count_that_is_missing_is_estimated_and_marked(
    usage: dict[str, Any] | None, known: tuple[int | None, int | None]
) -> None:
    found = await answered(usage, "x" * 3200, reasoning_content="y" * 320)
    assert found.estimated and (found.tokens_in, found.tokens_out) == (
        known[0] or 2,
        known[1] or 1100,
    )


async def test_an_empty_answer_has_no_tokens_and_is_no_estimate() -> None:
    found = await answered({"prompt_tokens": 50, "completion_tokens": 0}, "")
    assert (found.tokens_in, found.tokens_out, found.estimated) == (50, 0, False)


async def test_models_of_langchain_are_counted_alike() -> None:
    usage = {
        "input_tokens": 120,
        "output_tokens": 10,
        "total_tokens": 130,
        "input_token_details": {"cache_read": 1800},
    }
    message = AIMessage(content=GOOD, usage_metadata=usage)
    brain = ModelLayer().brain(GenericFakeChatModel(messages=iter([message])))
    found = await brain(ask(), messages(ask().parts))
    assert (found.tokens_in, found.tokens_out, found.cached_tokens) == (1920, 10, 1800)


@given(st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT))
def test_parts_are_never_larger_than_their_whole(counts: tuple[int, int, int, int, int]) -> None:
    found = Usage.counted(*counts)
    assert found.cached_tokens <= found.tokens_in and found.reasoning_tokens <= found.tokens_out
    assert found.tokens_in >= counts[0] and found.tokens_out >= counts[1]


@given(tokens_in=COUNT, tokens_out=COUNT, cached=COUNT)
def test_no_cost_is_negative_whatever_a_journal_says_of_cached_tokens(
    tokens_in: int, tokens_out: int, cached: int
) -> None:
    price = Price.model_validate(PRICE)
    assert 0 <= price.usd(tokens_in, tokens_out, cached) <= price.usd(tokens_in, tokens_out)
