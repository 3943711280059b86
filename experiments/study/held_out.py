"""Whether a partner is held out for an evaluated seat: another player, of a kind that the seat has no model of."""

from collections.abc import Mapping
from typing import Literal

from experiments.study import seat_spec
from experiments.study.file_schema import Model
from experiments.study.player_spec import PlayerSpec
from graphs.config import PROGRAM, GraphConfig
from orchestrator.errors import UserError
from orchestrator.hanabi.convention.hint_convention import Convention, Manner
from orchestrator.hanabi.convention.partner_model import NOTHING_KNOWN
from orchestrator.players.base import PREFIX
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import Conventions

Standing = Literal["held out", "known kind", "itself"]
"""Of a partner: unknown to the evaluated seat; of a kind that the seat's partner model knows; the same player."""

Kind = tuple[Manner, Manner]
"""How hints are given, and how they are read."""


def standing(evaluated: PlayerSpec, partner: PlayerSpec) -> Standing:
    """What a partner is to an evaluated seat.

    A seat with a partner model knows the conventions that the model starts with, and a rule player its own. Of a model
    that is asked, only the program beside it counts: what a language model has learnt is not known.
    """
    if _same(evaluated, partner):
        return "itself"
    kinds_of_partner = kinds(partner)[:1]
    return "known kind" if kinds_of_partner and kinds_of_partner[0] in kinds(evaluated) else "held out"


def kinds(player: PlayerSpec) -> tuple[Kind, ...]:
    """The kinds of players that a player has a model of, its own first; none for one without conventions."""
    if player.config is not None:
        return tuple(map(_kind, NOTHING_KNOWN)) if models_partners(player, player.config) else ()
    if not player.spec.startswith(PREFIX):
        return ()
    convention = getattr(seat_spec.read_seat(player.spec), "convention", None)
    return () if convention is None else (_kind(convention),)


def models_partners(player: PlayerSpec, config: GraphConfig) -> bool:
    """Whether a node of a graph is told how far partners keep to the conventions, or is the program that finds it."""
    return any(_models_partners(config, name, player.models) for name in config.nodes)


def _models_partners(config: GraphConfig, name: str, models: Mapping[str, Model]) -> bool:
    sections, node = dict(config.context_of(name).kinds(config.role(name), config.without_sections)), config.nodes[name]
    if ConventionFacts in sections:
        return True
    agreed = sections.get(Conventions, {"pack": "none"})["pack"] != "none"
    return agreed and node.role == "history_analyst" and models.get(node.model, node.model) == PROGRAM


def _kind(convention: Convention) -> Kind:
    return convention.hints, convention.reads


def _same(player: PlayerSpec, other: PlayerSpec) -> bool:
    try:
        return any(player.essence(n) == other.essence(n) for n in player.players if n in other.players)
    except UserError:  # code that is not there any more
        return player.key == other.key
