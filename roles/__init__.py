"""The public face of roles. The built-in ones register here, by import."""

from importlib import import_module

from roles.hanabi.sections.table import SECTIONS, section
from roles.marks import Truth, brier
from roles.registry import Notes, Role, add, get, load, mark, names, role, source
from roles.replies import Choice, Judgement, RatedChoice, Reply, Verdict
from roles.sections import Section, Sections

BUILT_IN = (
    "action_recommender",
    "aggregator",
    "analyst",
    "cac_interpreter",
    "discard_strategist",
    "first_order",
    "first_ranked",
    "generator",
    "history_analyst",
    "plan_evaluator",
    "planner",
    "proposer",
    "safety",
    "second_order",
    "selector",
    "self_verifier",
    "tom_interpreter",
    "tracker",
    "watson",
)

for module in BUILT_IN:
    import_module(f"roles.hanabi.{module}")

__all__ = [
    "SECTIONS",
    "Choice",
    "Judgement",
    "Notes",
    "RatedChoice",
    "Reply",
    "Role",
    "Section",
    "Sections",
    "Truth",
    "Verdict",
    "add",
    "brier",
    "get",
    "load",
    "mark",
    "names",
    "role",
    "section",
    "source",
]
