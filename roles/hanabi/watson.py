"""The specialists of Watson's mixture of agents, who answer in free text (appendix I.4)."""

from collections.abc import Sequence

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, unmask
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.roles.hanabi.analysis import in_words
from hanabi_orchestrator.roles.hanabi.history_analyst import insights
from hanabi_orchestrator.roles.hanabi.proposer import WHOLE
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    ProbabilityAdvice,
    Rules,
)
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.table import Discards, FinalRound, State, unmoved
from hanabi_orchestrator.roles.hanabi.selector import by_frequency, support
from hanabi_orchestrator.roles.marks import prose_only
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import ENTRY, Choice, Reply
from hanabi_orchestrator.roles.sections import Section, Sections

SHARED: tuple[type[Section], ...] = (
    Rules,
    Conventions,
    *TAKES,
    FinalRound,
    History,
    CardCounts,
    ProbabilityAdvice,
)
REMARKS = prose_only("Its remarks are free text.")


class Remark(Reply):
    """One legal move, and what there is to say of it."""

    names_moves = True
    labels = ENTRY
    unique = "action"

    action: Grounded = Field(description="the legal move, copied from the list")
    remark: str = Field(
        description="one word first (play: certain, high, medium, low or impossible; discard: high, medium, low or "
        "very low safety; hint: high, medium or low), then why"
    )


class MoveRemarks(Reply):
    """Every legal move, then the summary."""

    names_moves = True
    labels = {"moves": ("Move analysis", "Moves")}
    example = {
        "moves": [
            {
                "action": "play slot 2",
                "remark": "certain. Told red and 1, and no red card is played yet.",
            },
            {"action": "discard slot 0", "remark": "medium. Never hinted; may be a last copy."},
        ],
        "summary": "Slot 2 scores for certain; nothing else is as good.",
    }

    moves: tuple[Remark, ...] = Field(description="one entry for EVERY legal move")
    summary: str = Field(description="the most promising moves, and what else you noticed, briefly")


class PileReport(Reply):
    """What the discard pile says of discards to come."""

    labels = {
        "pile": ("Discard pile status", "Pile"),
        "lost": ("Critical cards lost", "Lost"),
        "safe": ("Safe discard recommendations", "Safe"),
    }
    example = {
        "pile": "Red: two 1s and a 4; white: a 3; no other colour.",
        "lost": "No 5 yet; the second red 4 is critical.",
        "safe": "Red 1s, and white 1s and 2s, for white stands at 3. Keep any red 4 and every 5.",
    }

    pile: str = Field(description="what is in the discard pile, by colour and rank")
    lost: str = Field(
        description="important cards that are gone, and those of which one copy is left"
    )
    safe: str = Field(
        description="kinds of card that are safe to discard, and those that must not be discarded"
    )


class Insights(Reply):
    """What the latest moves reveal; no move is proposed."""

    labels = {"insights": ("History insights", "Insights")}
    example = {
        "insights": [
            "P1 hinted me rank 1 while every firework stood at 0: my 1s are meant to be played."
        ]
    }

    insights: tuple[str, ...] = Field(
        description="each insight on a line of its own that begins with a dash"
    )


@role(
    reply=MoveRemarks,
    takes=SHARED,
    needs=NEEDS,
    mark=REMARKS,
    rests_on=("own_hand", "partner_knowledge"),
)
def watson_analyst(sections: Sections, notes: Notes) -> MoveRemarks:
    """Comments on every legal move in free text (Watson's mixture of agents, agent 3)."""
    position = Position.read(sections)
    remarks = tuple(Remark(action=move, remark=_remark(position, move)) for move in position.moves)
    move, why = literal_play.best(position)
    return MoveRemarks(moves=remarks, summary=f"{move} looks best: {why}.")


def _remark(position: Position, move: Move) -> str:
    if isinstance(move, Play):
        chance = position.slots[move.slot].playable
        return f"{in_words(chance)}. It fits in {chance:.0%} of what the hints and the cards in sight allow."
    if isinstance(move, Discard):
        slot = position.slots[move.slot]
        safety = (
            "very low"
            if slot.critical == 1
            else "high"
            if slot.dead == 1 or slot.critical < 0.2
            else "medium"
        )
        return (
            f"{safety}. Critical with probability {slot.critical:.2f}, dead with {slot.dead:.2f}."
        )
    lesson = literal_play.lesson(position, move)
    value = "high" if lesson.plays or lesson.saves else "medium" if lesson.points else "low"
    return f"{value}. {literal_play.why_hint(lesson)}."


@role(reply=PileReport, takes=SHARED, needs=(State,), mark=REMARKS)
def watson_discard_strategist(sections: Sections, notes: Notes) -> PileReport:
    """Reads the discard pile: what is lost, what is safe to discard (Watson's mixture of agents, agent 4)."""
    position = Position.read(sections)
    discards = sections.get(Discards)
    by_colour = {
        c: sorted(card.rank for card in discards.cards if card.colour == c)
        for c in COLOURS
        if discards
    }
    pile = "; ".join(
        f"{COLOUR_NAMES[c]}: {', '.join(map(str, ranks))}"
        for c, ranks in by_colour.items()
        if ranks
    )
    critical = [card.value for card in unmask(position.piles.critical)]
    dead = [card.value for card in unmask(position.piles.dead)]
    return PileReport(
        pile=pile or "Nothing is discarded that is known of.",
        lost=f"{position.piles.best_possible} points are within reach; last copies: {', '.join(critical) or 'none'}.",
        safe=f"Can never score: {', '.join(dead) or 'none'}. Keep the last copies.",
    )


@role(reply=Insights, takes=SHARED, needs=(History,), mark=REMARKS, settled=unmoved)
def watson_history_analyst(sections: Sections, notes: Notes) -> Insights:
    """Reads the latest moves; proposes none (Watson's mixture of agents, agent 5)."""
    readings = insights(sections[History])
    return Insights(
        insights=tuple(f"turn {reading.turn}: {reading.meaning}" for reading in readings)
        or ("Nobody has moved yet.",)
    )


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def watson_aggregator(sections: Sections, notes: Notes) -> Choice:
    """Takes a known safe play when there is one, else weighs the reports (Watson's mixture of agents, agent 6).

    Its program reads the proposals alone, since the other reports are free text: see `safe_or_proposed`.
    """
    position = Position.read(sections)
    certain = [
        move
        for move in literal_play.certain_plays(position)
        if len(position.slots[move.slot].cards()) == 1
    ]
    return safe_or_proposed(sections, notes, certain)


def safe_or_proposed(sections: Sections, notes: Notes, safe: Sequence[Play]) -> Choice:
    """The first safe play, else the most frequent proposal that does no certain harm; where there is none, a move by
    the simple rules of `own_rule`."""
    if safe:
        return Choice(action=safe[0], reason=f"slot {safe[0].slot} is a known safe play")
    proposed = of_type(notes, Choice)
    advice = ((move, support(times, len(proposed))) for move, times in by_frequency(proposed))
    return own_rule.advised(sections, Position.read(sections), advice, "no colleague helps")
