"""A report on other minds: what partners meant and will do, and what to tell them (CAC, section 3 and appendix C.2)."""

from pydantic import Field, field_validator

from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.orchestrator.replies.reply import BEGINS, MOST
from hanabi_orchestrator.roles.reply_types import Chance, Reply, Seat, Slot


class Intention(Reply):
    """What a player will most likely do next."""

    unique = "seat"

    seat: Seat = Field(description="the player's number")
    next_action: str = Field(description="what they will most likely do")
    plays: Slot | None = Field(default=None, description="the slot, if it is a play")
    chance: Chance = Field(description="how likely that is")


class MindReport(Reply):
    """The others' latest moves explained, what they will do, what to tell them."""

    names_moves = True
    conclusion = ("intentions", "suggestion", "hint", "urgent")
    example = {
        "explanation": "P1 told me of my 1s because every firework is still at 0: one of each colour fits.",
        "intentions": [
            {
                "seat": 1,
                "next_action": "play slot 3, which they know to fit",
                "plays": 3,
                "chance": 0.7,
            }
        ],
        "suggestion": "P1's slot 3 is the playable red 1 and they do not know it: tell them of their 1s.",
        "hint": "hint P1 rank 1",
        "urgent": False,
    }

    explanation: str = Field(
        description="what the others' latest moves meant and told, in a sentence each"
    )
    intentions: tuple[Intention, ...] = Field(
        description="one entry for each other player who still has a turn",
        json_schema_extra={MOST: "others"},
    )
    suggestion: str = Field(description="what would help the others most now, and why")
    hint: Grounded | None = Field(
        default=None,
        description="the legal hint that gives it, copied from the list, or null",
        json_schema_extra={BEGINS: "hint"},
    )
    urgent: bool = Field(default=False, description="true if that cannot wait")

    @field_validator("hint")
    @classmethod
    def _a_hint(cls, move: Move | None) -> Move | None:
        if isinstance(move, Play | Discard):
            raise ValueError(f"{str(move)!r} is no hint; name a legal hint, or null")
        return move
