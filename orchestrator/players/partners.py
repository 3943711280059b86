"""The rule players by name: `partner:NAME` on the command line and in configs."""

from collections.abc import Mapping

from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.players import graded, hat, published, smart
from hanabi_orchestrator.orchestrator.players.base import PREFIX as PREFIX
from hanabi_orchestrator.orchestrator.players.base import Partner as Partner

RANDOM = Partner(
    "random",
    lambda view, rng: (rng.choice(view.legal), "any legal move"),
    "a control: any legal move",
)
"""A control: a player that any team should beat."""

PARTNERS: Mapping[str, Partner] = {
    RANDOM.name: RANDOM,
    **{
        partner.name: partner
        for family in (published, graded, smart, hat)
        for partner in family.PARTNERS
    },
}


def names() -> list[str]:
    """Return all partners, the weakest families first."""
    return list(PARTNERS)


def get(name: str) -> Partner:
    """Return the partner of a name. Raises UserError with the known names."""
    if name not in PARTNERS:
        raise UserError(f"unknown partner {name!r}; {did_you_mean(name, names())}")
    return PARTNERS[name]
