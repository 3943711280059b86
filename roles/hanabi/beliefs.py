"""Beliefs of two orders: about the partners, and about what they believe (Guandan, section 3.3 and appendix B)."""

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.replies.reply import EACH
from hanabi_orchestrator.roles.reply_types import ENTRY, Chance, Reply, Seat, Slot


class Belief(Reply):
    """What one believes about a partner."""

    unique = "seat"

    seat: Seat = Field(description="the player's number")
    knows: str = Field(description="what they know of their own hand")
    pattern: str = Field(description="what their moves so far show of the way they play")
    next_action: str = Field(description="what they mean to do on their next turn, and what for")
    plays: Slot | None = Field(
        default=None, description="the slot that they will then play, or null if it is no play"
    )
    chance: Chance = Field(description="how likely that is")


class FirstOrder(Reply):
    """A belief about each of the others."""

    example = {
        "beliefs": [
            {
                "seat": 1,
                "knows": "Slot 3 was told red and 1, so they know it to be playable; they know nothing else.",
                "pattern": "They have played every card that a hint pointed at, and hint whenever they can.",
                "next_action": "play slot 3, the red 1",
                "plays": 3,
                "chance": 0.9,
            }
        ]
    }

    beliefs: tuple[Belief, ...] = Field(
        description="one entry for EVERY other player", json_schema_extra={EACH: "others"}
    )


class Mirror(Reply):
    """What a partner believes of me."""

    unique = "seat"

    seat: Seat = Field(description="the player's number")
    sees: str = Field(description="what they believe that you know of your own hand")
    expects: str = Field(description="what they believe that you mean to do, and what for")


class MoveReading(Reply):
    """How a move would be read."""

    labels = ENTRY
    unique = "action"

    action: Grounded = Field(description="the legal move, copied from the list")
    reading: str = Field(description="what the others would conclude from it and do next")
    understood: Chance = Field(description="how likely they take it as you mean it")


class SecondOrder(Reply):
    """Oneself in the others' eyes."""

    names_moves = True
    example = {
        "mirrors": [
            {
                "seat": 1,
                "sees": "They told me of my 1s and believe that I know them to be playable.",
                "expects": "They expect me to play slot 0, so that they need not spend a token on it again.",
            }
        ],
        "readings": [
            {
                "action": "play slot 0",
                "reading": "P1 sees the hint understood and goes on to hint the next card.",
                "understood": 0.9,
            }
        ],
    }

    mirrors: tuple[Mirror, ...] = Field(
        description="one entry for EVERY other player", json_schema_extra={EACH: "others"}
    )
    readings: tuple[MoveReading, ...] = Field(description="one entry for EVERY move of the list")
