"""The public face of roles. The built-in ones register here, by import."""

from importlib import import_module

from roles.base import Notes, Role, add, get, names, role
from roles.replies import Choice, Judgement, RatedChoice, Reply, Verdict
from roles.sections import SECTIONS
from roles.told import Section, Told

BUILT_IN = (
    "aggregator",
    "analyst",
    "cac_interpreter",
    "discard_strategist",
    "generator",
    "history_analyst",
    "proposer",
    "safety",
    "selector",
    "self_verifier",
    "tom_interpreter",
    "tracker",
    "watson",
)

for module in BUILT_IN:
    import_module(f"roles.{module}")

__all__ = [
    "SECTIONS",
    "Choice",
    "Judgement",
    "Notes",
    "RatedChoice",
    "Reply",
    "Role",
    "Section",
    "Told",
    "Verdict",
    "add",
    "get",
    "names",
    "role",
]
