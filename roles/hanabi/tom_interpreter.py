"""Theory-of-mind interpreter: what the others meant, believe and will do (CAC, section 3 and appendix C.2)."""

from collections.abc import Iterator

from pydantic import Field, field_validator

from orchestrator.hanabi.convention import policy
from orchestrator.hanabi.convention.hint_convention import known, next_discard
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.move_reading import Grounded
from orchestrator.hanabi.moves import Discard, Hint, Move, Play
from orchestrator.replies.reply import BEGINS, BELOW, MOST
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.literal_play import Foreseen
from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import Conventions, Rules
from roles.hanabi.sections.history import History, Remembered
from roles.hanabi.sections.past_games import PastGames
from roles.hanabi.sections.table import FinalRound, NextPlayable, State
from roles.legal_moves import LegalMoves
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Chance, Reply
from roles.sections import Sections
from roles.words import ENGLISH


class Intention(Reply):
    """What a player will most likely do next."""

    unique = "seat"

    seat: int = Field(ge=0, le=4, description="the player's number", json_schema_extra={BELOW: "players"})
    next_action: str = Field(description="what they will most likely do on their next turn if nobody hints them again")
    chance: Chance = Field(description="how likely that is")


class MindReport(Reply):
    """The others' latest moves explained, what they will do, what to tell them."""

    names_moves = True
    conclusion = ("intentions", "suggestion", "hint", "urgent")
    example = {
        "explanation": "P1 told me of my 1s because every firework is still at 0: one of each colour fits.",
        "intentions": [{"seat": 1, "next_action": "discard slot 0, for they know of no play", "chance": 0.7}],
        "suggestion": "P1's slot 3 is the playable red 1 and they do not know it: tell them of their 1s.",
        "hint": "hint P1 rank 1",
        "urgent": False,
    }

    explanation: str = Field(description="what the others' latest moves meant and told, in a sentence each")
    intentions: tuple[Intention, ...] = Field(
        description="one entry for each other player who still has a turn", json_schema_extra={MOST: "others"}
    )
    suggestion: str = Field(description="which information would help the others most now, and why")
    hint: Grounded | None = Field(
        default=None,
        description="the legal hint that gives it, copied from the list, or null",
        json_schema_extra={BEGINS: "hint"},
    )
    urgent: bool = Field(
        default=False, description="true if that cannot wait: without it a card that must not be lost will go"
    )

    @field_validator("hint")
    @classmethod
    def _a_hint(cls, move: Move | None) -> Move | None:
        if isinstance(move, Play | Discard):
            raise ValueError(f"{str(move)!r} is no hint; name a legal hint, or null")
        return move


@role(
    reply=MindReport,
    takes=(Rules, Conventions, ConventionFacts, *TAKES, NextPlayable, FinalRound, History, Remembered, PastGames),
    needs=(State, LegalMoves),
)
def tom_interpreter(sections: Sections, notes: Notes) -> MindReport:
    """Explains the others' latest moves, foresees their next ones and says what to tell them."""
    literally = Position.of(sections)
    position, at = understood(sections, notes)
    legal = set(position.moves)
    urgent = next((found for found in (policy.save(at) if at else ()) if found[0] in legal), None)
    hint, why = urgent or next((found for found in _hints(position, at) if found[0] in legal), (None, NO_HINT))
    return MindReport(
        explanation=_explanation(sections.get(History)),
        intentions=tuple(_intention(literally, at, seat) for seat in position.hands),
        suggestion=why,
        hint=hint,
        urgent=urgent is not None,
    )


NO_HINT = "No hint is worth a token now."


def _hints(position: Position, at: Scene | None) -> Iterator[tuple[Hint, str]]:
    """The hints worth a token, the best first: for partners who keep to the conventions by what it points at,
    for the others by what it says; then, when all tokens are there, one that points at nothing."""
    if at is not None:
        yield from policy.help(at)
    literal = literal_play.lessons(position, [hint for hint in position.hints if at is None or at.literally(hint)])
    yield from (
        (found.hint, literal_play.why_hint(found)) for found in literal if found.worth >= literal_play.WORTHWHILE
    )
    if at is not None:
        yield from policy.dump(at)


def _explanation(history: History | None) -> str:
    if history is None:
        return "The past moves are not known."
    lines = [ENGLISH.say(past, history.seat) for past in history.latest]
    return "; ".join(lines) if lines else "Nobody has moved yet."


def _intention(literally: Position, at: Scene | None, seat: int) -> Intention:
    """What a partner will do by all that they know of their hand; which hint they will give cannot be foretold.

    `literally`: the position by what hints say. It serves for strangers, who keep to no convention, so that what the
    past would mean by the conventions need not be true of them.
    """
    foreseen = literal_play.foresee(literally, seat) if at is None or at.is_stranger(seat) else foresee(at, seat)
    return Intention(seat=seat, next_action=foreseen.say(ENGLISH), chance=foreseen.chance)


def foresee(at: Scene, seat: int) -> Foreseen:
    """What a convention player will do next if nobody gives them another hint."""
    hand = at.knowledge.known[seat]
    fits = [slot for slot, mask in enumerate(hand) if known(mask, at.piles.playable)]
    if fits:
        return Foreseen("play", fits[0], 0.95)
    dead = [slot for slot, mask in enumerate(hand) if known(mask, at.piles.dead)]
    slot = dead[0] if dead else next_discard(hand, at.piles) or 0
    return Foreseen("hint or discard", slot, 0.7) if at.knowledge.tokens else Foreseen("discard", slot, 0.9)
