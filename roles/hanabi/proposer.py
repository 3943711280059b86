"""Proposers: choose a move by themselves."""

from dataclasses import replace

from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.information import policy as information
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import understood
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    ProbabilityAdvice,
    Rules,
    StepByStep,
    Strategy,
)
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Section, Sections

WHOLE: tuple[type[Section], ...] = (
    Rules,
    Conventions,
    ConventionFacts,
    *TAKES,
    NextPlayable,
    Remembered,
    FinalRound,
    Strategy,
    StepByStep,
    CardCounts,
    ProbabilityAdvice,
    History,
)
"""The papers' single agent: everything that its context holds."""
STEPS: AllowedValues = {"steps": ("binding", "advice")}
"""`steps`: whether a model takes the first step that gives a move, as the program does, or may depart from the order
with a reason."""


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def proposer(sections: Sections, notes: Notes) -> Choice:
    """Chooses a move from the position alone (the single agent of Watson and Sherlock)."""
    move, why = literal_play.best(Position.read(sections))
    return Choice(action=move, reason=why)


@role(reply=Choice, takes=WHOLE, needs=NEEDS, extends=proposer)
def rank_proposer(sections: Sections, notes: Notes) -> Choice:
    """A proposer who hints ranks rather than colours where both serve equally (mixture of agents, agent 2)."""
    move, why = literal_play.best(Position.read(sections), prefer_rank=True)
    return Choice(action=move, reason=why)


@role(reply=Choice, takes=WHOLE, needs=NEEDS, options=STEPS)
def convention_player(sections: Sections, notes: Notes) -> Choice:
    """Decides alone, by a sheet of what the conventions would choose."""
    position, at = understood(sections, notes)
    facts = sections.get(ConventionFacts)
    if facts and facts.code:
        move, why = information.decide(replace(facts.code, legal=position.moves))
    else:
        move, why = (
            own_rule.choose(sections, position)
            if at is None
            else policy.decide(at, policy.HOUSE_STEPS)
        )
    return Choice(action=move, reason=why)
