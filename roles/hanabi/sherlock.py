"""Sherlock's mixture of agents (appendix I.5): specialists who fill in rubrics in plain text, and the last agent."""

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, unmask
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Move, Play
from hanabi_orchestrator.roles.hanabi.analysis import in_words
from hanabi_orchestrator.roles.hanabi.history_analyst import insights
from hanabi_orchestrator.roles.hanabi.proposer import WHOLE
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import CardCounts, ProbabilityAdvice, Rules
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, State, unmoved
from hanabi_orchestrator.roles.hanabi.watson import safe_or_proposed
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import prose_only
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, PlainText
from hanabi_orchestrator.roles.sections import Section, Sections

TABLE: tuple[type[Section], ...] = tuple(kind for kind in TAKES if kind is not LegalMoves)
SHARED: tuple[type[Section], ...] = (Rules, *TABLE, FinalRound, CardCounts, ProbabilityAdvice)
"""What all three specialists get: the rules, the table and how to count, but no steps to think by."""

RUBRIC = prose_only("Its rubric is filled in as plain text.")
DASH = "on a line of its own that begins with a dash"


class MoveRubric(PlainText):
    """The rubric filled in for every legal move, then the summary."""

    labels = {
        "moves": ("Moves",),
        "best": ("Best moves", "Best_moves_detailed"),
        "risks": ("Major risks", "Major_risks_detailed"),
        "observations": ("Key observations", "Key_observations"),
    }
    example = {
        "moves": [
            "play slot 2: play, for it is my own card; effect: score +1, for red 1 is next; success: certain, "
            "for it was told red and 1; tokens: 0, for it is no 5; future: P1's red 2 can follow; all in all: the best",
        ],
        "best": "play slot 2 scores for certain, and nothing else does.",
        "risks": "slot 0 may be the last copy of a card.",
        "observations": "white is blocked until a white 1 turns up.",
    }

    moves: tuple[str, ...] = Field(
        description=f"the rubric of each legal move, {DASH} and the move"
    )
    best: str = Field(description="the top moves compared")
    risks: str = Field(description="the greatest dangers")
    observations: str = Field(description="patterns and bottlenecks")


class CardRubric(PlainText):
    """The rubric filled in for every own card, then the summary."""

    labels = {
        "cards": ("Cards",),
        "safest": ("Safest discards", "Safest_discards"),
        "protect": ("Cards to protect", "Cards_to_protect"),
        "distribution": ("Distribution notes", "Distribution_notes"),
    }
    example = {
        "cards": [
            "slot 0: safety 0.9, for it was never hinted; criticality: low, for most that it can be has other copies; "
            "duplicates: 1 of 3 white 1s seen, in P2's slot 1; discard, for it is the card that matters least",
        ],
        "safest": "slot 0, of which other copies are likely left.",
        "protect": "slot 2, which was told to be a 5.",
        "distribution": "red is at 3 and both red 4s are gone, so no red card can score again.",
    }

    cards: tuple[str, ...] = Field(
        description=f"the rubric of each of your slots, {DASH} and the slot"
    )
    safest: str = Field(description="the safest cards to discard, and why")
    protect: str = Field(description="the risky ones, and why")
    distribution: str = Field(
        description="colours and ranks that are used up or down to a single copy"
    )


class Speculations(PlainText):
    """What the past moves reveal of hidden cards."""

    labels = {"speculations": ("Speculations",)}
    example = {
        "speculations": [
            "turn 12: P1 hinted me white and not P2's playable blue 2, so my white card can most likely be played now",
        ]
    }

    speculations: tuple[str, ...] = Field(
        description=f"each {DASH}: whose move of which turn, and what it reveals"
    )


@role(
    reply=MoveRubric,
    takes=(*SHARED, LegalMoves),
    needs=NEEDS,
    mark=RUBRIC,
    rests_on=("own_hand", "partner_knowledge"),
)
def sherlock_analyst(sections: Sections, notes: Notes) -> MoveRubric:
    """Fills in a rubric for every legal move, in plain text (Sherlock's mixture of agents, agent 3)."""
    position = Position.read(sections)
    move, why = literal_play.best(position)
    harmful = [str(other) for other in position.moves if not literal_play.harmless(position, other)]
    return MoveRubric(
        moves=tuple(f"{other}: {_rubric(position, other)}" for other in position.moves),
        best=f"{move}: {why}.",
        risks=f"Sure to do harm: {', '.join(harmful)}."
        if harmful
        else "No move is sure to do harm.",
        observations=f"{position.reachable} points are within reach; {position.deck_size} cards to draw.",
    )


def _rubric(position: Position, move: Move) -> str:
    if isinstance(move, Play):
        chance = position.slots[move.slot].playable
        effect = "score +1 if it fits, else a life and the card are lost"
        why = f"for it fits in {chance:.0%} of what the hints and the cards in sight allow"
        return f"play; effect: {effect}; success: {in_words(chance)}, {why}; tokens: 0"
    if isinstance(move, Discard):
        slot = position.slots[move.slot]
        risk = "deadly" if slot.critical == 1 else "very safe" if slot.dead == 1 else "risky"
        risk = "safe" if risk == "risky" and slot.critical < 0.2 else risk
        why = f"for it is critical with probability {slot.critical:.2f}"
        return f"discard; effect: none on the score; risk: {risk}, {why}; tokens: +1"
    lesson = literal_play.lesson(position, move)
    value = (
        "immediate play"
        if lesson.plays
        else "critical save"
        if lesson.saves
        else "setup"
        if lesson.points
        else ""
    )
    kind = "colour hint" if isinstance(move, HintColour) else "rank hint"
    why = literal_play.why_hint(lesson)
    return (
        f"{kind}; effect: none on the score; value: {value or 'redundant'}, for {why}; tokens: -1"
    )


@role(reply=CardRubric, takes=SHARED, needs=(State,), mark=RUBRIC, rests_on=("own_hand",))
def sherlock_discard_strategist(sections: Sections, notes: Notes) -> CardRubric:
    """Fills in a rubric for every own card, in plain text (Sherlock's mixture of agents, agent 4)."""
    position = Position.read(sections)
    order = sorted(
        enumerate(position.slots), key=lambda item: (item[1].critical, *literal_play.spare(item[1]))
    )
    critical = [f"slot {i}" for i, slot in enumerate(position.slots) if slot.critical == 1]
    dead = [card.value for card in unmask(position.piles.dead)]
    single = [card.value for card in CARDS if card in unmask(position.piles.critical)]
    return CardRubric(
        cards=tuple(
            f"slot {i}: safety {1 - slot.critical:.2f}, its chance of not being critical; dead with {slot.dead:.2f}"
            for i, slot in enumerate(position.slots)
        ),
        safest=f"slot {order[0][0]}.",
        protect=f"{', '.join(critical) or 'none is known to be critical'}.",
        distribution=f"can never score: {', '.join(dead) or 'none'}; last copies: {', '.join(single) or 'none'}.",
    )


@role(reply=Speculations, takes=(*SHARED, History), needs=(History,), mark=RUBRIC, settled=unmoved)
def sherlock_history_analyst(sections: Sections, notes: Notes) -> Speculations:
    """Speculates on what past moves reveal of hidden cards (Sherlock's mixture of agents, agent 5)."""
    readings = insights(sections[History])
    return Speculations(
        speculations=tuple(f"turn {reading.turn}: {reading.meaning}" for reading in readings)
        or ("Nobody has moved.",)
    )


LAST: tuple[type[Section], ...] = tuple(
    kind for kind in WHOLE if kind not in (CardCounts, ProbabilityAdvice)
)


@role(reply=Choice, takes=LAST, needs=NEEDS)
def sherlock_aggregator(sections: Sections, notes: Notes) -> Choice:
    """Combines the reports into one move (Sherlock's mixture of agents, agent 6).

    Its program reads the proposals alone, since the other reports are free text: see `safe_or_proposed`.
    """
    return safe_or_proposed(sections, notes, literal_play.certain_plays(Position.read(sections)))
