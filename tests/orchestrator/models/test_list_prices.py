"""List prices: only where a model has no price, of every provider that the docs name, and always called an estimate."""

import re

import pytest

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.list_prices import (
    caution,
    list_price,
    of_name,
    price_of,
)
from hanabi_orchestrator.orchestrator.models.settings import settings
from tests.support.folders import ROOT

LISTED = "openai:gpt-4.1-mini"
SERVERS = ("localhost", "DEPLOYMENT")
"""In the addresses and names of models that no provider lists."""


@pytest.mark.parametrize(
    "name",
    [
        LISTED,
        f"{LISTED}-2025-04-14",
        f"{LISTED}@https://eu.api.openai.com/v1",
        "openai:deepseek-chat@https://api.deepseek.com/v1",
        "openai:grok-4@https://api.x.ai/v1",
        "azure:gpt-4.1-mini",
        "langchain:anthropic:claude-sonnet-4-5-20250929",
        "langchain:anthropic:claude-opus-5-5",
        "langchain:google_genai:gemini-2.5-pro",
    ],
)
def test_a_model_of_a_provider_has_a_list_price(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = list_price(settings(name))
    assert listing is not None and listing.price.output > listing.price.input > 0
    assert listing.price.cached is None or 0 < listing.price.cached < listing.price.input
    assert of_name(settings(name).model) == listing


def test_every_provider_that_the_docs_name_has_list_prices() -> None:
    page = (ROOT / "docs/models.md").read_text("utf-8")
    names = set(re.findall(r"\{model: ((?:openai|azure|langchain):[^,} ]+)", page))
    names = {
        name
        for name in names
        if not any(server in name for server in SERVERS) and "ollama" not in name
    }
    assert len(names) >= 6
    assert not [name for name in names if of_name(name) is None]


@pytest.mark.parametrize(
    "name",
    [f"{LISTED}@http://localhost:8000/v1", "openai:gpt-4.1-mini-unknown", "langchain:ollama:qwen3"],
)
def test_other_servers_and_other_names_have_none(name: str) -> None:
    assert list_price(settings(name)) is None and caution([settings(name)]) is None


@pytest.mark.parametrize("name", ["program", "sim:average", "mixed", "langchain:perplexity:sonar"])
def test_what_asks_no_model_or_costs_by_the_request_has_none(name: str) -> None:
    assert of_name(name) is None


def test_a_price_that_is_set_takes_precedence_and_needs_no_caution() -> None:
    free = settings({"model": LISTED, "price": {"input": 0, "output": 0}})
    assert price_of(free) == free.price and caution([free]) is None
    assert "check your provider" in (caution([free, settings(LISTED)]) or "")


def test_a_budget_in_money_may_use_them_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "hanabi_orchestrator.orchestrator.models.budget.log.warning",
        lambda event, **_: said.append(event),
    )
    budget = Budget(max_usd=1)
    budget.check(settings(LISTED))
    assert re.match(
        "the budget in dollars: money is estimated by the list prices of genai-prices", said[0]
    )
    assert "openai:gpt-4.1-mini: $0.4 in, $1.6 out, as gpt-4.1-mini of OpenAI" in said[0]
    with pytest.raises(UserError, match="a budget in dollars needs the price"):
        budget.check(settings("openai:unlisted"))
