"""The cache: what makes a request the same, and what makes it another one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.models.cache import Cache, Cached
from orchestrator.models.request import TOO_LARGE, TOO_LONG, ModelRequest, ModelResponse, Place, Scripted, messages
from orchestrator.models.settings import settings
from tests.support.servers import GOOD, ask

MODEL = {"model": "openai:m@http://127.0.0.1:9/v1", "temperature": 0.5}


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    made = Cache(tmp_path)
    yield made
    made.close()


async def asks(cache: Cache, *requests: ModelRequest, **changed: Any) -> int:
    """How many of these requests reach the model, once its cache has seen the usual one."""
    brain = Scripted({"proposer": GOOD})
    for made, request in [(MODEL, ask()), *((MODEL | changed, request) for request in requests)]:
        await Cached(brain, cache, settings(made))(request, messages(request.parts))
    return len(brain.asked) - 1


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        (ask(), 0),
        (ask(place=Place(game="another", turn=9, seat=1)), 0),
        (ask(place=Place(repeat=2)), 1),
        (ask(sample=1), 1),
        (ask(node="analyst"), 1),
        (replace(ask(), ask=1), 1),
        (ask(replace(ask().parts[0], text="Another table.")), 1),
        (ask(replace(ask().parts[0], speaker="system")), 1),
    ],
    ids=["same", "another game", "repeat", "sample", "node", "second ask", "prompt", "speaker"],
)
async def test_a_repeat_a_sample_and_a_node_have_answers_of_their_own(
    cache: Cache, request_: ModelRequest, asked: int
) -> None:
    assert await asks(cache, request_, request_) == asked


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"temperature": 0.6}, 1),
        ({"max_tokens": 9}, 1),
        ({"extra_body": {"top_k": 2}}, 1),
        ({"response_format": "none"}, 1),
        ({"model": "openai:n@http://127.0.0.1:9/v1"}, 1),
        ({"timeout_s": 9, "max_answer_bytes": 20_000, "price": {"input": 1, "output": 1}}, 0),
    ],
)
async def test_what_decides_an_answer_makes_a_request_another_one(
    cache: Cache, changed: dict[str, Any], asked: int
) -> None:
    assert await asks(cache, ask(), **changed) == asked


@pytest.mark.parametrize("finish", [TOO_LARGE, TOO_LONG])
async def test_an_answer_that_never_came_is_asked_for_again(cache: Cache, finish: str) -> None:
    class Failing(Scripted):
        async def __call__(self, *given: Any) -> ModelResponse:
            return replace(await super().__call__(*given), text="", finish=finish)

    brain = Failing({})
    for _ in range(2):
        await Cached(brain, cache, settings(MODEL))(ask(), messages(ask().parts))
    assert len(brain.asked) == 2
