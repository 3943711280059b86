"""An analysis of every legal move, and the words of the analyst's rubric (appendix I.5)."""

from typing import Literal

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.roles.reply_types import ENTRY, Chance, Reply

MoveKind = Literal["play", "discard", "colour-hint", "rank-hint"]
Success = Literal["certain", "high", "medium", "low", "impossible"]
Risk = Literal["very-safe", "safe", "risky", "deadly"]
Value = Literal["immediate-play", "critical-save", "setup", "redundant", "wasted"]


class Assessment(Reply):
    """One legal move, assessed."""

    names_moves = True
    labels = ENTRY
    unique = "action"

    action: Grounded = Field(description="the legal move, copied from the list")
    type: MoveKind = Field(description="what kind of move it is")
    immediate_effect: str = Field(description="what it does at once to score, tokens and lives")
    chance: Chance | None = Field(
        default=None, description="for plays: the probability that the card fits, else null"
    )
    success: Success | None = Field(
        default=None, description="for plays: the same in words, else null"
    )
    discard_risk: Risk | None = Field(default=None, description="for discards, else null")
    hint_value: Value | None = Field(default=None, description="for hints, else null")
    token_change: int = Field(ge=-1, le=1, description="information tokens gained: 1, 0 or -1")
    future_impact: str = Field(description="what it means for the turns after this one")
    rationale: str = Field(description="the factors above weighed together")


class Analysis(Reply):
    """Every legal move, then the summary."""

    names_moves = True
    example = {
        "moves": [
            {
                "action": "play slot 2",
                "type": "play",
                "immediate_effect": "score +1 if it fits, else a life is lost",
                "chance": 1.0,
                "success": "certain",
                "discard_risk": None,
                "hint_value": None,
                "token_change": 0,
                "future_impact": "opens the way for the red 2 that P1 holds",
                "rationale": "told red and 1, and red is at 0: it must fit",
            }
        ],
        "best": ["play slot 2"],
        "comparison": "Only slot 2 scores for certain; a hint to P1 can wait a turn.",
        "risks": "Slot 0 may be the last green 4.",
        "observations": "White is blocked until a white 1 turns up.",
    }

    moves: tuple[Assessment, ...] = Field(
        description="one entry for EVERY legal move, in the order of the list"
    )
    best: tuple[Grounded, ...] = Field(description="the most promising legal moves, best first")
    comparison: str = Field(description="why the best moves rank so")
    risks: str = Field(description="the greatest dangers")
    observations: str = Field(description="patterns and bottlenecks that matter")


def in_words(chance: float) -> Success:
    """A probability of success, certain and impossible only when it is."""
    if chance in (0.0, 1.0):
        return "certain" if chance else "impossible"
    return "high" if chance >= 0.75 else "medium" if chance >= 0.4 else "low"


def risk_of(slot: Slot) -> Risk:
    """What would be lost with a card, deadly and very-safe only when that is certain."""
    if slot.critical == 1.0:
        return "deadly"
    if slot.dead == 1.0:
        return "very-safe"
    return "safe" if slot.critical < 0.2 and slot.playable < 1.0 else "risky"
