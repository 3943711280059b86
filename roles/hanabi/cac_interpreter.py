"""CAC's theory-of-mind interpreter: what the others meant, and what to tell them (appendix C.2)."""

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_TOKENS
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions, Rules
from hanabi_orchestrator.roles.hanabi.sections.history import History, OwnActions, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable, State, unmoved
from hanabi_orchestrator.roles.marks import prose_only
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Reply
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import ENGLISH


class Interpretation(Reply):
    """The others' latest moves explained, and what to tell them."""

    labels = {
        "explanation": ("Partner action explanation", "Explanation"),
        "suggestion": ("Clue suggestion", "Hint suggestion", "Suggestion"),
    }
    example = {
        "explanation": "P1 told me of my 1s: every firework is at 0, so one of each colour fits.",
        "suggestion": "hint P1 rank 1: their slot 3 is the red 1, and they do not know it.",
    }

    explanation: str = Field(description="one sentence for each move of the others")
    suggestion: str = Field(description="whom to tell of which colour or rank, and why, or none")


@role(
    reply=Interpretation,
    takes=(Rules, Conventions, *TAKES, NextPlayable, FinalRound, History, OwnActions, Remembered),
    needs=(State,),
    settled=unmoved,
    rests_on=("partner_knowledge",),
    mark=prose_only("Explanation and suggestion are prose."),
)
def cac_interpreter(sections: Sections, notes: Notes) -> Interpretation:
    """Explains the others' moves since the seat's own last one, and says what to tell them (CAC)."""
    position = Position.read(sections)
    lessons = literal_play.lessons(position, literal_play.hints_of_hands(position))
    full = position.tokens == MAX_TOKENS  # then nothing can be discarded
    worth = lessons and (full or lessons[0].worth >= literal_play.WORTHWHILE)
    none = "No hint is worth a token now" if position.tokens else "There is no token for a hint"
    best = f"{lessons[0].hint}: {literal_play.why_hint(lessons[0])}" if worth else none
    explanation = "The past moves are not known."
    if history := sections.get(History):
        moves = [f"P{past.seat}: {past.move}{ENGLISH.result(past)}" for past in history.latest]
        explanation = (
            f"{'; '.join(moves)}. Each is to be taken as it stands."
            if moves
            else "Nobody has moved yet."
        )
    return Interpretation(explanation=explanation, suggestion=f"{best}.")
