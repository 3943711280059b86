"""What can be told of a model without a request: settings, key, address and price."""

from experiments.doctor.checklist import Checklist
from orchestrator.errors import UserError
from orchestrator.models import layer, list_prices
from orchestrator.models.settings import ModelSettings
from orchestrator.models.transport import Transport


def model(checklist: Checklist, settings: ModelSettings) -> Transport | None:
    """Return the model's client; None where it cannot be made. Its key is looked for and never printed."""
    sampling = ", ".join(f"{name} {value}" for name, value in settings.sampling.items())
    where = settings.url or settings.provider
    checklist.ok("model", f"{settings.name} at {where}; sent with every request: {sampling or 'no sampling settings'}")
    try:
        client = layer.transport(settings)
        keys = client.secrets
    except UserError as error:
        checklist.fail("key", str(error))
        return None
    if settings.provider is None:
        checklist.ok("key", "the environment has one" if keys else "none is set; most servers of your own need none")
    return client


def price(checklist: Checklist, settings: ModelSettings) -> None:
    """Check that a price is known."""
    if settings.price is not None:
        checklist.ok("price", f"${settings.price.input:g} in, ${settings.price.output:g} out per million tokens")
    elif caution := list_prices.caution([settings]):
        checklist.warn("price", caution)
    else:
        checklist.warn(
            "price",
            "unknown: money is not counted and --max-usd cannot be used; set `price: {input: X, output: Y}`, 0 for a "
            "server of your own",
        )
