"""List prices: only where a model has no price, only on its provider's own server, and always called an estimate."""

import pytest

from orchestrator.errors import UserError
from orchestrator.models.budget import Budget
from orchestrator.models.list_prices import _all, caution, list_price, price_of
from orchestrator.models.settings import settings

LISTED = "openai:gpt-4.1-mini"


@pytest.mark.parametrize(
    "name", [LISTED, f"{LISTED}-2025-04-14", "langchain:anthropic:claude-sonnet-4-5-20250929"]
)
def test_a_model_and_its_dated_versions_are_listed(name: str) -> None:
    found = list_price(settings(name))
    assert (
        found is not None
        and found.price.output > found.price.input > 0
        and found.date.startswith("20")
    )


@pytest.mark.parametrize(
    "name", [f"{LISTED}@http://localhost:8000/v1", "openai:gpt-4.1-mini-unknown", "langchain:x:y"]
)
def test_other_servers_and_other_names_are_not(name: str) -> None:
    assert list_price(settings(name)) is None and caution([settings(name)]) is None


def test_a_price_that_is_set_takes_precedence_and_needs_no_caution() -> None:
    free = settings({"model": LISTED, "price": {"input": 0, "output": 0}})
    assert price_of(free) == free.price and caution([free]) is None
    assert "check your provider" in (caution([free, settings(LISTED)]) or "")


def test_every_list_price_is_whole_and_dated() -> None:
    for found in _all().values():
        price = found.price
        assert price.cached is not None and 0 < price.cached < price.input < price.output
        assert len(found.date) == 10 and found.source


def test_a_budget_in_money_may_use_them_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "orchestrator.models.budget.log.warning", lambda event, **_: said.append(event)
    )
    budget = Budget(max_usd=1)
    budget.check(settings(LISTED))
    assert "money is estimated by list prices" in said[0]
    with pytest.raises(UserError, match="a budget in dollars needs the price"):
        budget.check(settings("openai:unlisted"))
