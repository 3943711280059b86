"""The public face of roles. The built-in ones register here, by import."""

from roles import (
    aggregator,
    analyst,
    discard_strategist,
    generator,
    history_analyst,
    proposer,
    safety,
    selector,
    self_verifier,
    tom_interpreter,
)
from roles.base import Notes, Role, add, get, names, role
from roles.replies import Choice, Judgement, RatedChoice, Reply, Verdict
from roles.sections import SECTIONS
from roles.told import Section, Told

BUILT_IN = (
    aggregator,
    analyst,
    discard_strategist,
    generator,
    history_analyst,
    proposer,
    safety,
    selector,
    self_verifier,
    tom_interpreter,
)

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
