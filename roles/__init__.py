"""Roles: the questions that a graph's nodes ask about a position, each with a prompt, a reply type and a program.

The files of this folder hold no strategy, though they use Hanabi's moves and cards: what a role is and how its prompt
is put together (`role_definition.py`), the table of roles (`registry.py`), what a role sees (`sections.py`), what it
replies (`reply_types.py`), how notes and cards are worded (`notes_text.py`, `words.py`), and how replies are scored
after a game (`marks.py`). The roles and sections themselves are in `hanabi/`, which imports these files; only this
`__init__.py` imports it back. The folder imports `orchestrator` and `prompts`. Start reading with
`role_definition.py`, then `hanabi/proposer.py`.

Users import everything from here. Importing the folder registers the built-in roles and sections.
"""

import hanabi_orchestrator  # noqa: F401  # ours find each other, whoever else has their names
from orchestrator.hanabi.move_reading import Grounded
from orchestrator.models.request import Absent
from roles.hanabi import conformance
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    DeductionRules,
    ProbabilityAdvice,
    Rules,
    StepByStep,
    Strategy,
)
from roles.hanabi.sections.history import History, OwnActions, Remembered
from roles.hanabi.sections.past_games import PastGames
from roles.hanabi.sections.table import (
    Discards,
    FinalRound,
    NextPlayable,
    OwnDeductions,
    PartnerDeductions,
    PartnerKnowledge,
    State,
)
from roles.hanabi.truth import Truth
from roles.legal_moves import LegalMoves
from roles.marks import Marker, MarkInfo, Marks, Stated, brier, log_score, prose_only
from roles.notes_text import Notes
from roles.registry import add, get, load, mark, names, role, source, stated
from roles.reply_types import Chance, Choice, Judgement, RatedChoice, Reply, Verdict
from roles.role_definition import Role
from roles.role_options import AllowedValues, Options
from roles.sections import SECTIONS, Section, Sections, section
from roles.words import Words

__all__ = [
    "SECTIONS",
    "Absent",
    "AllowedValues",
    "CardCounts",
    "Chance",
    "Choice",
    "ConventionFacts",
    "Conventions",
    "DeductionRules",
    "Discards",
    "FinalRound",
    "Grounded",
    "History",
    "Judgement",
    "LegalMoves",
    "MarkInfo",
    "Marker",
    "Marks",
    "NextPlayable",
    "Notes",
    "Options",
    "OwnActions",
    "OwnDeductions",
    "PartnerDeductions",
    "PartnerKnowledge",
    "PastGames",
    "ProbabilityAdvice",
    "RatedChoice",
    "Remembered",
    "Reply",
    "Role",
    "Rules",
    "Section",
    "Sections",
    "State",
    "Stated",
    "StepByStep",
    "Strategy",
    "Truth",
    "Verdict",
    "Words",
    "add",
    "brier",
    "conformance",
    "get",
    "load",
    "log_score",
    "mark",
    "names",
    "prose_only",
    "role",
    "section",
    "source",
    "stated",
]
