"""What a theory-of-mind interpreter reports of the partner in both Collab games (LLM-Coordination, appendix C.2)."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from hanabi_orchestrator.orchestrator.collab.game import NAMES
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles.collab.sections import CollabPartner
from hanabi_orchestrator.roles.marks import prose_only
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.reply_types import Choice, Reply
from hanabi_orchestrator.roles.sections import Sections


class PartnerReport(Reply):
    """The partner's last action explained, what they need, and what they will do now."""

    labels = {
        "explanation": ("Partner action explanation", "Explanation"),
        "needs": ("Partner needs", "Needs"),
        "forecast": ("Partner forecast", "Forecast"),
    }
    example = {
        "explanation": "Bob moved to room 5 to cut off the thief.",
        "needs": "that you come from the other side",
        "forecast": "move to room 4",
    }

    explanation: str = Field(description="why the partner did what they did in the last round")
    needs: str = Field(description="what the partner needs from you now")
    forecast: str = Field(
        description="what the partner will most likely do in this round, in the words of the list of moves"
    )


UNMARKED = prose_only("Explanation, needs and forecast are prose.")


class Analysed(Choice):
    """A choice after an analysis, as the authors ask for it."""

    labels = {
        **Choice.labels,
        "reason": ("Analysis", *Choice.labels["reason"]),
        "action": ("Action", *(name for name in Choice.labels["action"] if name != "Action")),
    }
    example = {"reason": "The thief must flee to room 3.", "action": "move to room 2"}


def unseen(sections: Sections, notes: Notes) -> Absent | None:
    """Nothing is reported of a partner who is not shown."""
    return None if CollabPartner in sections else Absent(reason="the partner is not shown")


def of_plan(partner: CollabPartner, move: Any, forecast: Any, goal: str) -> PartnerReport:
    """Return the report of a program: the partner's half of the best joint move."""
    name = NAMES[partner.seat]
    explanation = f"{name} has not acted yet."
    if partner.last is not None:
        explanation = f"{name} chose to {partner.last}, and is now in room {partner.room}."
    needs = f"that you {move}: with it {goal}"
    return PartnerReport(explanation=explanation, needs=needs, forecast=str(forecast))


def forecast(notes: Notes, offers: Sequence[Any]) -> Any:
    """Return the one of the partner's possible moves that a report forecasts; None without a report, and in doubt."""
    for report in of_type(notes, PartnerReport):
        text = report.forecast.lower()
        named = [move for move in offers if str(move) in text]
        longest = max((len(str(move)) for move in named), default=0)
        best = [move for move in named if len(str(move)) == longest]  # room 1 is part of room 10
        if len(best) == 1:
            return best[0]
    return None
