"""Players that ask no model: rule players (`partner:NAME`) and agents written for HLE (`python:module:object`).

This folder may import `table` and everything below it. Start with `base`, which says what a partner is, then `smart`, a
player of the hint convention in a few lines. PARTNERS lists them all.
"""

from collections.abc import Mapping

from orchestrator.errors import UserError
from orchestrator.players import chance, graded, production, smart
from orchestrator.players.base import PREFIX as PREFIX
from orchestrator.players.base import Partner as Partner
from orchestrator.players.base import Rule as Rule
from orchestrator.players.hat import player

PARTNERS: Mapping[str, Partner] = {
    made.name: made for family in (chance, production, graded, smart, player) for made in family.PARTNERS
}


def names() -> list[str]:
    """All partners, the weakest families first."""
    return list(PARTNERS)


def get(name: str) -> Partner:
    """The partner of a name. Raises UserError with the known names."""
    if name not in PARTNERS:
        raise UserError(f"unknown partner {name!r}; known: {', '.join(names())}")
    return PARTNERS[name]
