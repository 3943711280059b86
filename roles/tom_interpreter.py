"""Theory-of-mind interpreter: what the others meant, believe and will do (CAC, section 3 and appendix C.2)."""

from pydantic import Field, field_validator

from orchestrator.moves import Discard, Grounded, Move, Play
from roles import literal
from roles.base import Notes, role
from roles.fixed import Conventions, Rules
from roles.past import History, Remembered
from roles.position import TAKES, Position
from roles.replies import Chance, Reply
from roles.sections import FinalRound, LegalMoves, NextPlayable, State
from roles.told import Told
from roles.words import ENGLISH


class Intention(Reply):
    """What a player will most likely do next."""

    seat: int = Field(ge=0, le=4, description="the player's number")
    next_action: str = Field(description="what he will most likely do on his next turn if nobody hints him again")
    chance: Chance = Field(description="how likely that is")


class MindReport(Reply):
    """The others' latest moves explained, what they will do, what to tell them."""

    names_moves = True
    example = {
        "explanation": "P1 told me of my 1s because every firework is still at 0: they can all be played.",
        "intentions": [{"seat": 1, "next_action": "discard slot 0, for he knows of no play", "chance": 0.7}],
        "suggestion": "P1's slot 3 is the playable red 1 and he does not know it: tell him of his 1s.",
        "hint": "hint P1 rank 1",
    }

    explanation: str = Field(description="what the others' latest moves meant and told, in a sentence each")
    intentions: tuple[Intention, ...] = Field(description="one entry for each other player who still has a turn")
    suggestion: str = Field(description="which information would help the others most now, and why")
    hint: Grounded | None = Field(
        default=None, description="the legal hint that gives it, copied from the list, or none"
    )

    @field_validator("hint")
    @classmethod
    def _a_hint(cls, move: Move | None) -> Move | None:
        if isinstance(move, Play | Discard):
            raise ValueError(f"{str(move)!r} is no hint; name a legal hint, or null")
        return move


@role(
    reply=MindReport,
    takes=(Rules, Conventions, *TAKES, NextPlayable, FinalRound, History, Remembered),
    needs=(State, LegalMoves),
)
def tom_interpreter(told: Told, notes: Notes) -> MindReport:
    """Explains the others' latest moves, foresees their next ones and says what to tell them."""
    position = Position.of(told)
    lessons = [found for found in literal.lessons(position) if found.worth >= literal.WORTHWHILE]
    suggestion = literal.why_hint(lessons[0]) if lessons else "No hint is worth a token now."
    return MindReport(
        explanation=_explanation(told.get(History)),
        intentions=tuple(_intention(position, seat) for seat in position.hands),
        suggestion=suggestion,
        hint=lessons[0].hint if lessons else None,
    )


def _explanation(history: History | None) -> str:
    if history is None:
        return "The past moves are not known."
    lines = [ENGLISH.say(past, history.seat) for past in history.latest]
    return "; ".join(lines) if lines else "Nobody has moved yet."


def _intention(position: Position, seat: int) -> Intention:
    """What a literal player does who sees what he sees; his hints cannot be foretold in detail."""
    foreseen = literal.foresee(position, seat)
    return Intention(seat=seat, next_action=foreseen.say(ENGLISH), chance=foreseen.chance)
