"""The rule players by name: `partner:NAME` on the command line and in configs."""

from collections.abc import Mapping
from functools import cache

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


@cache
def of_other_games() -> Mapping[str, Partner]:
    """Return the rule players of other games than Hanabi; what they need is imported when one is asked for."""
    from hanabi_orchestrator.orchestrator.players import collab_players

    return {partner.name: partner for partner in collab_players.PARTNERS}


def names() -> list[str]:
    """Return the partners of Hanabi, the weakest families first."""
    return list(PARTNERS)


def get(name: str) -> Partner:
    """Return the partner of a name. Raises UserError with the known names."""
    if name in PARTNERS:
        return PARTNERS[name]
    if name not in of_other_games():
        raise UserError(f"unknown partner {name!r}; {did_you_mean(name, names())}")
    return of_other_games()[name]
