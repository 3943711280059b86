"""State judge: how well a player kept track of the game (Sparks of Cooperative Reasoning, appendix E.3).

It is asked of games that are over and sits in no graph. The paper names its four aspects; its prompt is lost, and this
one is ours.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import Field

from hanabi_orchestrator.roles.hanabi.card_words import written
from hanabi_orchestrator.roles.hanabi.list_changes import Aspects, aspects, named
from hanabi_orchestrator.roles.hanabi.list_marks import cards
from hanabi_orchestrator.roles.hanabi.sections.fixed import Rules
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.judged_lists import JudgedLists
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Chance, Reply
from hanabi_orchestrator.roles.sections import Sections

ASPECTS = ("deduction_accuracy", "history_integration", "tracking_quality", "overall")


class StateRating(Reply):
    """A judgement of state tracking: what was seen, then a rating for each aspect."""

    example: ClassVar[dict[str, Any]] = {
        "feedback": "The hints are on the lists, but P1's newer cards were not moved when their slot 1 was played.",
        "key_issues": ["P1 slot 1 still has the list of the card that was played"],
        "strengths": ["what hints ruled out is kept for every player"],
        "deduction_accuracy": 0.8,
        "history_integration": 0.5,
        "tracking_quality": 0.7,
        "overall": 0.67,
    }
    spare = {"key_issues": (), "strengths": ()}

    feedback: str = Field(
        description="what the lists get right and wrong, in a few sentences that name slots"
    )
    key_issues: tuple[str, ...] = Field(
        description="the gravest mistakes, at most five; empty if there are none"
    )
    strengths: tuple[str, ...] = Field(
        description="what was done well, at most five; empty if nothing was"
    )
    deduction_accuracy: Chance = Field(
        description="are the deductions right, positive and negative ones"
    )
    history_integration: Chance = Field(
        description="was all that happened since their last turn taken in"
    )
    tracking_quality: Chance = Field(
        description="are the lists complete and consistent, with nothing invented"
    )
    overall: Chance = Field(description="all three taken together")


@role(reply=StateRating, takes=(Rules, History, JudgedLists), needs=(JudgedLists,), after_game=True)
def state_judge(sections: Sections, notes: Notes) -> StateRating:
    """Judges after a game how well a player kept track of what the hints leave of every card."""
    judged = sections[JudgedLists]
    exact = exact_aspects(judged)
    issues = tuple(_issues(judged))
    shares = [
        f"{name.replace('_', ' ')} {share:.2f}" for name, share in named(judged.changed).items()
    ]
    return StateRating(
        feedback=f"{len(issues)} of {len(cards(judged.hands))} lists differ from what the hints leave.",
        key_issues=issues[:5],
        strengths=(f"since the last turn: {', '.join(shares)}",) if shares else (),
        **{aspect: round(getattr(exact, aspect), 4) for aspect in ASPECTS},
    )


def exact_aspects(judged: JudgedLists) -> Aspects:
    """The exact aspects of the lists that are judged."""
    return aspects(judged.lists, judged.hands, judged.changed)


def _issues(judged: JudgedLists) -> Iterator[str]:
    lists = judged.lists
    for (seat, slot), types in cards(judged.hands).items():
        text_types = lists.get((seat, slot))
        if text_types is None:
            yield f"P{seat} slot {slot}: nothing that can be read; the hints leave {written(types)}"
        elif text_types != types:
            yield f"P{seat} slot {slot}: {written(text_types)}; the hints leave {written(types)}"
