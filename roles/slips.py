"""Errors of simulated models: what is drawn, and the errors that a reply of any game may have.

A game may register errors of its own (`INJECTORS`); those of every other game are made here: another legal move, an
entry left out, a wrong verdict. Every kind of error has random numbers of its own, so that another rate of one does not
change when the others occur. See docs/simulated.md.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.models.simulated_settings import Rates
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Choice, Judgement, Reply
from hanabi_orchestrator.roles.role_definition import Solve
from hanabi_orchestrator.roles.sections import Sections


@dataclass
class Slips:
    """The errors of one answer: which of them are drawn, and which of those could be made."""

    rates: Rates
    seed: int
    errors: list[str] = field(default_factory=list)

    def strike(self, kind: str) -> random.Random | None:
        """Random numbers to make this error with; None when it is not to be made."""
        dice = random.Random(f"{self.seed} {kind}")
        return dice if dice.random() < getattr(self.rates, kind) else None


Exact = Callable[[], BaseModel]
"""The program's own answer."""
Injector = Callable[[type[Reply], Solve, Exact, Sections, Notes, Slips], Reply]
"""(reply type that is asked for, program, its own answer, sections, notes, slips) -> the answer, errors included."""

INJECTORS: dict[str, Injector] = {}
"""By the name of a game, the errors that are its own."""


def injector(game: str) -> Injector:
    """Return what makes the errors of a game."""
    return INJECTORS.get(game, reply)


def reply(
    kind: type[Reply], solve: Solve, exact: Exact, sections: Sections, notes: Notes, slips: Slips
) -> Reply:
    """Return what a program answers, with the errors that every game has."""
    answer = exact()
    if issubclass(kind, Judgement):
        return judgement(answer, slips)
    assert isinstance(answer, Reply)  # a node checks what its program replies
    if not isinstance(answer, Choice):
        return shortened(answer, slips)
    return rated(another_move(answer, sections, slips), kind, sections)


def another_move(choice: Choice, sections: Sections, slips: Slips) -> Choice:
    """Return another legal move, as often as a position is misread."""
    legal = sections.get(LegalMoves)
    moves = [move for move in legal.moves if move != choice.action] if legal else []
    dice = slips.strike("misread_stack")
    if not moves or dice is None:
        return choice
    slips.errors.append("another_move")
    move = dice.choice(moves)
    return choice.model_copy(update={"action": move, "reason": f"to {move} looks best"})


def rated(choice: Choice, kind: type[Reply], sections: Sections) -> Reply:
    """Return a choice as it is asked for: with ratings where there are any, of which only the chosen move's is high."""
    if "ratings" not in kind.model_fields:
        return choice if isinstance(choice, kind) else kind.model_validate(choice.as_data())
    legal = sections.get(LegalMoves)
    moves = dict.fromkeys((choice.action, *(legal.moves if legal else ())))
    ratings = [{"action": str(move), "rating": float(move == choice.action)} for move in moves]
    return kind.model_validate(choice.model_dump(mode="json") | {"ratings": ratings})


def shortened(answer: Reply, slips: Slips) -> Reply:
    """Return a report without one entry of one of its lists of entries; one entry stays."""
    lists = {name: value for name, value in answer if isinstance(value, tuple) and len(value) > 1}
    lists = {
        name: value
        for name, value in lists.items()
        if all(isinstance(entry, Reply) for entry in value)
    }
    if not lists or not (dice := slips.strike("left_out")):
        return answer
    slips.errors.append("left_out")
    name = dice.choice(sorted(lists))
    index = dice.randrange(len(lists[name]))
    return answer.model_copy(update={name: (*lists[name][:index], *lists[name][index + 1 :])})


def judgement(verdict: BaseModel, slips: Slips) -> Reply:
    """Return a judge's verdict, or the opposite."""
    assert isinstance(verdict, Judgement)
    kind = "wrong_refusal" if verdict.accept else "wrong_accept"
    if not slips.strike(kind):
        return verdict
    slips.errors.append(kind)
    why = (
        "it seems too much of a risk"
        if verdict.accept
        else "it seems safe, and it follows the rules"
    )
    return Judgement(reason=why, accept=not verdict.accept)
