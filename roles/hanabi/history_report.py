"""A report on the past: what earlier moves reveal, and a position narrowed by it."""

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Card, mask
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import Focus
from hanabi_orchestrator.orchestrator.replies.reply import MOST
from hanabi_orchestrator.roles.hanabi.card_words import Cards
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.reply_types import Chance, Reply, Slot


class Insight(Reply):
    turn: int = Field(ge=1, description="the turn of the move that is explained")
    meaning: str = Field(description="what that player wanted and what it reveals")


class Inference(Reply):
    """What an own slot may be, by what the past reveals."""

    slot: Slot = Field(description="your slot, 0 is the oldest card")
    reason: str = Field(description="which moves say so, and how sure it is")
    cards: Cards = Field(
        description="all that it may be: a list of cards, each a colour's letter and a rank",
        json_schema_extra={MOST: len(CARDS)},
    )


class Believed(Reply):
    """What a player takes one of their cards to be, where that stands nowhere else: where it is more than hints say,
    or where the author's sections do not list what hints say."""

    seat: int = Field(ge=0, le=4)
    slot: Slot
    cards: tuple[Card, ...]


class Trusted(Reply):
    """How far a partner is believed to keep to the conventions."""

    seat: int = Field(ge=0, le=4)
    hints: Focus | None
    """Which touched card their hints point at; None when their hints are taken literally."""
    reads: Focus | None
    """Which touched card they take a hint to point at; None when they take hints literally."""
    waits: bool = False
    """Whether they are taken to warn by waiting, without a token."""
    chance: Chance
    """How likely that is; of one who keeps to no convention, how likely the likeliest convention is."""
    broke: tuple[str, ...] = ()
    """What spoke against the convention assumed at first."""


class HistoryReport(Reply):
    """The latest moves explained, then what they say of the own slots."""

    programmed = ("believed", "trust")
    unsaid = ("believed",)
    conclusion: ClassVar[tuple[str, ...]] = ("inferred", "summary")

    example = {
        "insights": [
            {
                "turn": 12,
                "meaning": "P1 hinted me white rather than P2's playable blue 2: mine is playable.",
            }
        ],
        "inferred": [
            {
                "slot": 3,
                "cards": ["W2"],
                "reason": "white is next at 2 and the hint of turn 12 pointed at it",
            }
        ],
        "summary": "Slot 3 is most likely the white 2.",
    }

    insights: tuple[Insight, ...] = Field(
        description="the moves that matter, the latest first; none if nobody has moved yet"
    )
    inferred: tuple[Inference, ...] = Field(
        description="own slots that the past narrows down; leave out the others",
        json_schema_extra={MOST: "slots"},
    )
    summary: str = Field(description="what matters for the move to be made, in a few sentences")
    believed: tuple[Believed, ...] = ()
    trust: tuple[Trusted, ...] = ()
    """One for each partner, when there are conventions."""


class PastReport(HistoryReport):
    """The past, and what follows from it for the own cards: also which of them may be played."""

    conclusion = ("inferred", "playable", "likeliest", "summary")
    example = {**HistoryReport.example, "playable": [3], "likeliest": 3}

    playable: tuple[Slot, ...] = Field(
        default=(),
        description="your surely playable slots, in the order to play them",
        json_schema_extra={MOST: "slots"},
    )
    likeliest: Slot | None = Field(
        default=None, description="your slot likeliest to be playable, or null"
    )


def by_history(position: Position, notes: Notes) -> Position:
    """A position narrowed by reports on the past, where they leave something possible."""
    for report in of_type(notes, HistoryReport):
        hand, partners = (
            list(position.own),
            {seat: list(hand) for seat, hand in position.known.items()},
        )
        for inference in report.inferred:
            if inference.slot < len(hand):
                hand[inference.slot] &= mask(inference.cards)
        for believed in report.believed:
            if believed.seat == position.seat and believed.slot < len(hand):
                hand[believed.slot] &= mask(believed.cards)
            elif believed.seat in partners and believed.slot < len(partners[believed.seat]):
                partners[believed.seat][believed.slot] = mask(believed.cards)
        narrowed = replace(
            position, own=tuple(hand), known={seat: tuple(hand) for seat, hand in partners.items()}
        )
        position = narrowed if narrowed.possible else replace(narrowed, own=position.own)
    return position
