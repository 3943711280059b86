"""Roles: the questions that a graph's nodes ask about a position, each with a prompt, a reply type and a program.

The files of this folder hold no strategy, though they use Hanabi's moves and cards: what a role is and how its prompt
is put together (`role_definition.py`), the table of roles (`registry.py`), what a role sees (`sections.py`), what it
replies (`reply_types.py`), how notes and cards are worded (`notes_text.py`, `words.py`), and how replies are scored
after a game (`marks.py`); `conformance.py` checks a role for its author. The roles and sections themselves are in
`hanabi/` and `collab/`, which import these files; only this `__init__.py` imports them back. The folder imports
`orchestrator` and `prompts`. Start reading with `role_definition.py`, then `hanabi/proposer.py`.

Users import everything from here. Importing the folder registers the built-in roles and sections.
"""

if __name__ == "roles":
    raise ImportError("roles is part of one package: from hanabi_orchestrator import roles")
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles import collab as collab
from hanabi_orchestrator.roles import conformance
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    DeductionRules,
    ProbabilityAdvice,
    Rules,
    StepByStep,
    Strategy,
    convention,
)
from hanabi_orchestrator.roles.hanabi.sections.history import History, OwnActions, Remembered
from hanabi_orchestrator.roles.hanabi.sections.past_games import PastGames
from hanabi_orchestrator.roles.hanabi.sections.table import (
    Discards,
    FinalRound,
    NextPlayable,
    OwnDeductions,
    PartnerDeductions,
    PartnerKnowledge,
    State,
)
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import (
    Marker,
    MarkInfo,
    Marks,
    Stated,
    brier,
    log_score,
    prose_only,
)
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import add, get, load, mark, names, role, source, stated
from hanabi_orchestrator.roles.reply_types import (
    Chance,
    Choice,
    Judgement,
    RatedChoice,
    Reply,
    Verdict,
)
from hanabi_orchestrator.roles.role_definition import Role
from hanabi_orchestrator.roles.role_options import AllowedValues, Options
from hanabi_orchestrator.roles.sections import SECTIONS, Section, Sections, section
from hanabi_orchestrator.roles.words import Words

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
    "convention",
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
