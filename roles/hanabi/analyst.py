"""Analyst: assesses every legal move (mixture of agents, agent 3; the rubric of appendix I.5)."""

from typing import Literal

from pydantic import Field

from orchestrator.hanabi.cards import MAX_TOKENS
from orchestrator.hanabi.convention import policy
from orchestrator.hanabi.convention.policy import HintEffect, Scene
from orchestrator.hanabi.move_reading import Grounded
from orchestrator.hanabi.moves import Discard, HintColour, Move, Play
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.literal_play import Lesson
from roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import CardCounts, Conventions, ProbabilityAdvice, Rules
from roles.hanabi.sections.table import FinalRound, NextPlayable
from roles.hanabi.truth import Truth
from roles.marks import Marks, brier
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import ENTRY, Chance, Reply
from roles.sections import Sections

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
    chance: Chance | None = Field(default=None, description="for plays: the probability that the card fits, else null")
    success: Success | None = Field(default=None, description="for plays: the same in words, else null")
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

    moves: tuple[Assessment, ...] = Field(description="one entry for EVERY legal move, in the order of the list")
    best: tuple[Grounded, ...] = Field(description="the most promising legal moves, best first")
    comparison: str = Field(description="why the best moves rank so")
    risks: str = Field(description="the greatest dangers")
    observations: str = Field(description="patterns and bottlenecks that matter")


TAKES_ALL = (Rules, Conventions, ConventionFacts, *TAKES, NextPlayable, FinalRound, CardCounts, ProbabilityAdvice)


def foreseen(analysis: Analysis, sections: Sections, truth: Truth) -> Marks | None:
    """`play_brier`: of the chances that plays fit; lower is better."""
    plays = ((found.action, found.chance) for found in analysis.moves)
    score = brier((c, truth.within(p.slot, truth.piles.playable)) for p, c in plays if isinstance(p, Play))
    return None if score is None else {"play_brier": score}


@role(reply=Analysis, takes=TAKES_ALL, needs=NEEDS, mark=foreseen)
def analyst(sections: Sections, notes: Notes) -> Analysis:
    """Assesses every legal move: success, risk, value, effect on the turns to come."""
    position, at = understood(sections, notes)
    lessons = {str(found.hint): found for found in literal_play.lessons(position)}
    assessed = tuple(_assess(position, at, move, lessons) for move in position.moves)
    deadly = [str(a.action) for a in assessed if a.discard_risk == "deadly" or a.success == "impossible"]
    return Analysis(
        moves=assessed,
        best=_best(position, at, list(lessons.values())),
        comparison="Certain plays first, then likely ones, then hints by what they teach, then the safest discard.",
        risks=f"Must not be made: {', '.join(deadly)}." if deadly else "No move is sure to do harm.",
        observations=f"{position.reachable} points are within reach; {position.deck_size} cards to draw.",
    )


def _best(position: Position, at: Scene | None, lessons: list[Lesson]) -> tuple[Move, ...]:
    sure = literal_play.certain_plays(position) if at is None else [play for play, _ in policy.play(at)]
    plays: list[Move] = [*sure, *literal_play.likely_plays(position)]
    hints = [found.hint for found in lessons if found.worth >= literal_play.WORTHWHILE]
    if at is not None:
        hints = [hint for hint, _ in policy.help(at)] + [h for h in hints if at.literally(h)]
    discards: list[Move] = [*literal_play.by_spareness(position)[:1]]
    return tuple(dict.fromkeys((*plays[:2], *hints[:2], *discards)))


def _assess(position: Position, at: Scene | None, move: Move, lessons: dict[str, Lesson]) -> Assessment:
    if isinstance(move, Play):
        return _play(position, move, BY_CONVENTION if at else BY_HINTS)
    if isinstance(move, Discard):
        return _discard(position, move)
    if at is None or at.literally(move):
        return _hint(move, lessons[str(move)])
    return _pointing(at.effect_of(move), lessons[str(move)])


BY_HINTS = "the hints and the cards in sight"
BY_CONVENTION = "the hints, the conventions and the cards in sight"


def _play(position: Position, move: Play, grounds: str) -> Assessment:
    chance = position.slots[move.slot].playable
    return Assessment(
        action=move,
        type="play",
        immediate_effect="score +1 if it fits; else a life and the card are lost",
        chance=chance,
        success=in_words(chance),
        token_change=1 if chance == 1 and position.tokens < MAX_TOKENS and _is_five(position, move) else 0,
        future_impact="a gap less" if chance == 1 else f"{position.lives - 1} lives left should it fail",
        rationale=f"it fits in {chance:.0%} of the hands that {grounds} allow",
    )


def _is_five(position: Position, move: Play) -> bool:
    return all(card.rank == 5 for card in position.slots[move.slot].cards())


def in_words(chance: float) -> Success:
    """A probability of success, certain and impossible only when it is."""
    if chance in (0.0, 1.0):
        return "certain" if chance else "impossible"
    return "high" if chance >= 0.75 else "medium" if chance >= 0.4 else "low"


def _discard(position: Position, move: Discard) -> Assessment:
    slot = position.slots[move.slot]
    if slot.critical == 1.0:
        risk: Risk = "deadly"
    elif slot.dead == 1.0:
        risk = "very-safe"
    else:
        risk = "safe" if slot.critical < 0.2 and slot.playable < 1.0 else "risky"
    return Assessment(
        action=move,
        type="discard",
        immediate_effect="token +1",
        discard_risk=risk,
        token_change=1 if position.tokens < MAX_TOKENS else 0,
        future_impact="the best possible score falls" if risk == "deadly" else "a token for somebody's hint",
        rationale=f"dead with probability {slot.dead:.2f}, critical with {slot.critical:.2f}",
    )


def _hint(move: Move, found: Lesson) -> Assessment:
    if found.plays:
        value: Value = "immediate-play"
    elif found.saves:
        value = "critical-save"
    elif found.points:
        value = "setup"
    else:
        value = "redundant" if found.news else "wasted"
    return Assessment(
        action=move,
        type="colour-hint" if isinstance(move, HintColour) else "rank-hint",
        immediate_effect=f"token -1; touches {len(found.touched)} of P{found.hint.to}'s cards",
        hint_value=value,
        token_change=-1,
        future_impact=f"{found.plays} of their cards become known plays, {found.saves} critical ones are saved",
        rationale=literal_play.why_hint(found),
    )


def _pointing(taught: HintEffect, found: Lesson) -> Assessment:
    """A hint to a partner who takes it to point at a card."""
    assessed = _hint(found.hint, found)
    value: Value = "immediate-play" if taught.helps else "critical-save" if taught.warns and taught.true else "setup"
    plain = "a card becomes known to be playable" if taught.plays else "it points at no card"
    says = plain if taught.says is None else f"it would be taken as a {taught.says.why}"
    if taught.says is not None and not taught.true:
        value, says = "wasted", f"{says}, and the card is not what that says"
    return assessed.model_copy(update={"hint_value": value, "rationale": says})
