"""Planner and evaluator in one (Guandan, sections 3.2 and 3.3, appendix B.2, which merges them to save a call)."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.roles.hanabi.action_recommender import by_rank
from hanabi_orchestrator.roles.hanabi.beliefs import FirstOrder, SecondOrder
from hanabi_orchestrator.roles.hanabi.first_order import SEEN
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, Position
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import ENTRY, Choice, Reply
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import Words

MISREAD = 0.5
"""A move that is less likely to be understood than this is passed over."""


class Plan(Reply):
    labels = {**ENTRY, "plan": ("Plan", "计划"), "gain": ("Gain", "收益")}
    unique = "action"

    action: Grounded = Field(description="the legal move, copied from the list")
    plan: str = Field(description="how the game goes on from it, step by step")
    gain: float = Field(
        ge=-25,
        le=25,
        description="the expected gain in points: what it adds to the team's final score, by its chances",
    )


class PlannedChoice(Choice):
    """A choice with a plan for every move it was made among."""

    labels = {**Choice.labels, "plans": ("Plans", "计划")}

    example = {
        "plans": [
            {
                "action": "play slot 2",
                "plan": "The red 1 opens the red firework, and P1 then plays the red 2 that they know of.",
                "gain": 2,
            },
            {
                "action": "discard slot 0",
                "plan": "The token goes to P1's hint of my next card; the red 1 waits a round.",
                "gain": 0.5,
            },
        ],
        **Choice.example,
    }

    plans: tuple[Plan, ...] = Field(description="one entry for EVERY move of the list")


@role(reply=PlannedChoice, takes=SEEN, needs=NEEDS)
def plan_evaluator(sections: Sections, notes: Notes) -> PlannedChoice:
    """Makes a plan for each move of the list, estimates its gain and chooses.

    Its program takes the move that the recommender ranks first, unless it does certain harm, first-order beliefs say
    that its hint points at just the card that its owner will play unprompted, or second-order beliefs that it will be
    misread. Without a recommender it takes the move of the highest gain by its own plans, and no play below 0.6.
    """
    position = Position.read(sections)
    plans = tuple(_plan(position, move, sections.words) for move in position.moves)
    move, why = next(_wise(position, notes, plans), None) or own_rule.choose(sections, position)
    return PlannedChoice(plans=plans, reason=why, action=move)


def _wise(position: Position, notes: Notes, plans: Sequence[Plan]) -> Iterator[tuple[Move, str]]:
    """The moves as they are ranked, without those that do certain harm or that the notes speak against."""
    ranked = [
        (e.action, f"rank {e.rank} of the recommender's list: {e.why}") for e in by_rank(notes)
    ]
    for move, why in ranked or _by_gain(position, plans):
        if (
            move in position.moves
            and literal_play.harmless(position, move)
            and not _objection(position, move, notes)
        ):
            yield move, why


def _by_gain(position: Position, plans: Sequence[Plan]) -> Iterator[tuple[Move, str]]:
    """The moves by the gain of their plans; of equal ones plays first, then discards."""
    risky = [
        move
        for move in position.plays
        if move not in [play for play, _ in literal_play.ranked_plays(position)]
    ]
    allowed = [plan for plan in plans if plan.action not in risky]
    order = {Play: 0, Discard: 1}
    for plan in sorted(allowed, key=lambda plan: (-plan.gain, order.get(type(plan.action), 2))):
        yield plan.action, f"its plan gains most: {plan.gain:.2f} points"


def _objection(position: Position, move: Move, notes: Notes) -> bool:
    """Whether a hint points at just the card that its owner will play unprompted, or a move would be misread."""
    readings = (
        entry
        for note in of_type(notes, SecondOrder)
        for entry in note.readings
        if entry.action == move
    )
    if any(reading.understood < MISREAD for reading in readings):
        return True
    if not isinstance(move, Hint):
        return False
    lesson = literal_play.lesson(position, move)
    cards = position.hands[move.to]
    playable = position.piles.playable
    pointed = [slot for slot in lesson.touched if playable >> INDEX[cards[slot]] & 1]
    beliefs = (
        entry
        for note in of_type(notes, FirstOrder)
        for entry in note.beliefs
        if entry.seat == move.to
    )
    return not lesson.saves and any(pointed == [belief.plays] for belief in beliefs)


def _plan(position: Position, move: Move, words: Words) -> Plan:
    """The gain within a round, literally: a play's chance, what a hint lets its owner play, what a discard may lose."""
    if isinstance(move, Play):
        return Plan(
            action=move,
            plan=words("the card joins its firework, if it fits"),
            gain=position.slots[move.slot].playable,
        )
    if isinstance(move, Discard):
        plan = words("the token lets somebody give a hint")
        return Plan(action=move, plan=plan, gain=0.0 - position.slots[move.slot].critical)
    lesson = literal_play.lesson(position, move)
    plan = words("P$seat plays what they can by it, and keeps what they must", seat=move.to)
    return Plan(
        action=move, plan=plan, gain=lesson.plays + 0.5 * lesson.points + 0.5 * lesson.saves
    )
