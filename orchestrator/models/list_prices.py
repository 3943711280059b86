"""List prices of providers, for estimates where a model has no price of its own.

The package genai-prices holds those of all large providers, and asks no server; a newer release of it has newer prices.
They are never written to a journal as paid.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from hanabi_orchestrator.orchestrator.models import keys
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings

if TYPE_CHECKING:
    from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, TieredPrices

PACKAGE = "genai-prices"
LANGCHAIN = "langchain"
OPENAI = "openai"
AZURE = "azure"
"""How a model's string begins, where it may have a list price."""


@dataclass(frozen=True)
class ListPrice:
    """The price of a model in its provider's list."""

    price: Price
    entry: str
    """The model and the provider as the list names them."""


def list_price(model: ModelSettings) -> ListPrice | None:
    """Return the list price of a model on a provider's own server; None where the list has none."""
    if model.provider or model.azure or model.home:
        return of_name(model.model)
    return _listing(model.name, None, model.url)


def of_name(model: str) -> ListPrice | None:
    """Return the list price of a model by its string, as results state it: `openai:NAME`, `openai:NAME@URL`,
    `azure:DEPLOYMENT` or `langchain:PROVIDER:NAME`."""
    kind, _, name = model.partition(":")
    if kind == LANGCHAIN:
        provider, _, name = name.partition(":")
        return _listing(name, provider, None)
    if kind not in (OPENAI, AZURE):
        return None
    name, _, url = name.partition("@")
    if url and not keys.is_openai(url):
        return _listing(name, None, url)
    return _listing(name, kind, None)


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
        f"{name}: ${item.price.input:g} in, ${item.price.output:g} out, as {item.entry}"
        for name, item in listings.items()
    )
    return (
        f"money is estimated by the list prices of {PACKAGE} {version(PACKAGE)}, per million tokens ({prices}); "
        "check your provider and set `price`"
    )


@cache
def _listing(name: str, provider: str | None, url: str | None) -> ListPrice | None:
    """`provider`: as LangChain or the list names it; or `url`: its server."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        seller, model = get_snapshot().find_provider_model(name, None, provider, url)
    except LookupError:
        return None
    price = _price(_standing(model))
    return None if price is None else ListPrice(price, f"{model.id} of {seller.name}")


def _standing(model: "ModelInfo") -> "ModelPrice":
    """Return the prices of today, whatever the hour: an estimate is the same all day."""
    from genai_prices.types import ModelPrice

    if isinstance(model.prices, ModelPrice):
        return model.prices
    standing = [item for item in model.prices if _stands(item)]
    return (standing or model.prices)[-1].prices


def _stands(item: "ConditionalPrice") -> bool:
    from genai_prices.types import StartDateConstraint

    if item.constraint is None:
        return True
    return isinstance(item.constraint, StartDateConstraint) and item.constraint.active(
        datetime.now(UTC)
    )


def _price(prices: "ModelPrice") -> Price | None:
    """Return what tokens cost in a prompt of usual length; None where a request costs something beside its tokens."""
    tokens_in = _amount(prices.input_mtok)
    tokens_out = _amount(prices.output_mtok)
    if tokens_in is None or tokens_out is None or prices.requests_kcount:
        return None
    return Price(input=tokens_in, cached=_amount(prices.cache_read_mtok), output=tokens_out)


def _amount(price: "Decimal | TieredPrices | None") -> float | None:
    if price is None:
        return None
    return float(price if isinstance(price, Decimal) else price.base)
