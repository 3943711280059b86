"""List prices of well-known models, for estimates where a model has no price of its own.

They stand in `list_prices.yaml`, with the date on which they were read. They are never written to a journal as paid.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import yaml

from orchestrator.models.price import Price
from orchestrator.models.settings import ModelSettings
from orchestrator.values import Frozen

_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
"""The end of a model's name that names a version of it."""


class ListPrice(Frozen):
    """The price of a model in its provider's list."""

    price: Price
    date: str
    """When the list was read, as YYYY-MM-DD."""
    source: str


def list_price(model: ModelSettings) -> ListPrice | None:
    """Return the list price of a model on its provider's own server; None where the list has none."""
    return of_name(model.model) if model.home or model.provider else None


def of_name(model: str) -> ListPrice | None:
    """Return the list price of a model by its string, as results state it: `openai:NAME` or
    `langchain:PROVIDER:NAME`."""
    provider, _, name = model.removeprefix("langchain:").partition(":")
    return _all().get((provider, _DATED.sub("", name)))


def price_of(model: ModelSettings) -> Price | None:
    """Return the price in a model's settings, else its list price; None where neither is known."""
    if model.price is not None:
        return model.price
    listing = list_price(model)
    return listing.price if listing else None


def caution(models: Iterable[ModelSettings]) -> str | None:
    """Say in a sentence that prices are estimates, and name them; None where every model has a price, or no list
    does."""
    listings = {
        model.model: listing
        for model in models
        if model.price is None and (listing := list_price(model))
    }
    if not listings:
        return None
    prices = "; ".join(
        f"{name}: ${item.price.input:g} in, ${item.price.output:g} out, {item.source}, read {item.date}"
        for name, item in listings.items()
    )
    return f"money is estimated by list prices, per million tokens ({prices}); check your provider and set `price`"


@cache
def _all() -> dict[tuple[str, str], ListPrice]:
    """By provider and model."""
    data = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    return {
        (provider, name): ListPrice(price=price, date=str(group["date"]), source=group["source"])
        for provider, group in data.items()
        for name, price in group["models"].items()
    }
