"""Proposers: choose a move by themselves."""

from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import CardCounts, Conventions, ProbabilityAdvice, Rules, StepByStep, Strategy
from roles.hanabi.sections.history import History, Remembered
from roles.hanabi.sections.table import FinalRound, NextPlayable
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Section, Sections

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


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def proposer(sections: Sections, notes: Notes) -> Choice:
    """Chooses a move from the position alone (the single agent of Watson and Sherlock)."""
    move, why = literal_play.best(Position.of(sections))
    return Choice(action=move, reason=why)


@role(reply=Choice, takes=WHOLE, needs=NEEDS, extends=proposer)
def rank_proposer(sections: Sections, notes: Notes) -> Choice:
    """A proposer who hints ranks rather than colours where both serve equally (mixture of agents, agent 2)."""
    move, why = literal_play.best(Position.of(sections), prefer_rank=True)
    return Choice(action=move, reason=why)
