from .convention_facts import ConventionFacts
from .fixed import CardCounts, Conventions, DeductionRules, ProbabilityAdvice, Rules, StepByStep, Strategy
from .history import History, OwnActions, Remembered
from .past_games import PastGames
from .table import Discards, FinalRound, NextPlayable, OwnDeductions, PartnerDeductions, PartnerKnowledge, State

__all__ = [
    "CardCounts",
    "ConventionFacts",
    "Conventions",
    "DeductionRules",
    "Discards",
    "FinalRound",
    "History",
    "NextPlayable",
    "OwnActions",
    "OwnDeductions",
    "PartnerDeductions",
    "PartnerKnowledge",
    "PastGames",
    "ProbabilityAdvice",
    "Remembered",
    "Rules",
    "State",
    "StepByStep",
    "Strategy",
]
