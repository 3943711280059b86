"""Analyst: assesses every legal move (mixture of agents, agent 3; the rubric of appendix I.5)."""

from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import HintEffect, Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Move, Play
from hanabi_orchestrator.roles.hanabi.analysis import Analysis, Assessment, Value, in_words, risk_of
from hanabi_orchestrator.roles.hanabi.marking.analyst_marks import ANALYST
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import understood
from hanabi_orchestrator.roles.hanabi.reasoning.literal_play import Lesson
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    ProbabilityAdvice,
    Rules,
)
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.sections import Sections

TAKES_ALL = (
    Rules,
    Conventions,
    ConventionFacts,
    *TAKES,
    NextPlayable,
    FinalRound,
    CardCounts,
    ProbabilityAdvice,
)


@role(
    reply=Analysis,
    takes=TAKES_ALL,
    needs=NEEDS,
    mark=ANALYST,
    rests_on=("own_hand", "partner_knowledge"),
)
def analyst(sections: Sections, notes: Notes) -> Analysis:
    """Assesses every legal move: success, risk, value, effect on the turns to come."""
    position, at = understood(sections, notes)
    lessons = {str(lesson.hint): lesson for lesson in literal_play.lessons(position)}
    assessed = tuple(_assess(position, at, move, lessons) for move in position.moves)
    deadly = [
        str(a.action) for a in assessed if a.discard_risk == "deadly" or a.success == "impossible"
    ]
    sure = (
        literal_play.certain_plays(position)
        if at is None
        else [play for play, _ in policy.play(at)]
    )
    plays = [*sure, *literal_play.likely_plays(position)]
    hints = [lesson.hint for lesson in lessons.values() if lesson.worth >= literal_play.WORTHWHILE]
    if at is not None:
        hints = [hint for hint, _ in policy.help(at)] + [h for h in hints if at.is_stranger(h.to)]
    discards = literal_play.by_spareness(position)
    return Analysis(
        moves=assessed,
        best=tuple(dict.fromkeys((*plays[:2], *hints[:2], *discards[:1]))),
        comparison="Certain plays first, then likely ones, then hints by what they teach, then the safest discard.",
        risks=f"Must not be made: {', '.join(deadly)}."
        if deadly
        else "No move is sure to do harm.",
        observations=f"{position.reachable} points are within reach; {position.deck_size} cards to draw.",
    )


def _assess(
    position: Position, at: Scene | None, move: Move, lessons: dict[str, Lesson]
) -> Assessment:
    if isinstance(move, Play):
        return _play(position, move, BY_CONVENTION if at else BY_HINTS)
    if isinstance(move, Discard):
        return _discard(position, move)
    if at is None or at.is_stranger(move.to):
        return _hint(move, lessons[str(move)])
    return _pointing(at.effect_of(move), lessons[str(move)])


BY_HINTS = "the hints and the cards in sight"
BY_CONVENTION = "the hints, the conventions and the cards in sight"


def _play(position: Position, move: Play, grounds: str) -> Assessment:
    chance = position.slots[move.slot].playable
    cards = position.slots[move.slot].cards()
    five = chance == 1 and all(card.rank == 5 for card in cards)
    return Assessment(
        action=move,
        type="play",
        immediate_effect="score +1 if it fits; else a life and the card are lost",
        chance=chance,
        success=in_words(chance),
        token_change=1 if five and position.tokens < MAX_TOKENS else 0,
        future_impact="a gap less"
        if chance == 1
        else f"{position.lives - 1} lives left should it fail",
        rationale=f"it fits in {chance:.0%} of the hands that {grounds} allow",
    )


def _discard(position: Position, move: Discard) -> Assessment:
    slot = position.slots[move.slot]
    risk = risk_of(slot)
    return Assessment(
        action=move,
        type="discard",
        immediate_effect="token +1",
        discard_risk=risk,
        token_change=1 if position.tokens < MAX_TOKENS else 0,
        future_impact="the best possible score falls"
        if risk == "deadly"
        else "a token for somebody's hint",
        rationale=f"dead with probability {slot.dead:.2f}, critical with {slot.critical:.2f}",
    )


def _hint(move: Move, lesson: Lesson) -> Assessment:
    if lesson.plays:
        value: Value = "immediate-play"
    elif lesson.saves:
        value = "critical-save"
    elif lesson.points:
        value = "setup"
    else:
        value = "redundant" if lesson.news else "wasted"
    return Assessment(
        action=move,
        type="colour-hint" if isinstance(move, HintColour) else "rank-hint",
        immediate_effect=f"token -1; touches {len(lesson.touched)} of P{lesson.hint.to}'s cards",
        hint_value=value,
        token_change=-1,
        future_impact=f"{lesson.plays} of their cards become known plays, {lesson.saves} critical ones are saved",
        rationale=literal_play.why_hint(lesson),
    )


def _pointing(taught: HintEffect, lesson: Lesson) -> Assessment:
    """A hint to a partner who takes it to point at a card."""
    assessed = _hint(lesson.hint, lesson)
    if lesson.late:
        return assessed
    value: Value = (
        "immediate-play"
        if taught.helps
        else "critical-save"
        if taught.warns and taught.true
        else "setup"
    )
    plain = "a card becomes known to be playable" if taught.plays else "it points at no card"
    says = plain if taught.says is None else f"it would be taken as a {taught.says.why}"
    if taught.says is not None and not taught.true:
        value = "wasted"
        says = f"{says}, and the card is not what that says"
    return assessed.model_copy(update={"hint_value": value, "rationale": says})
