"""Selector: picks one of K candidates (Best-of-K, appendix E.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.roles.hanabi.proposer import WHOLE, proposer
from hanabi_orchestrator.roles.hanabi.reasoning import own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, Position
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Sections


def only(sections: Sections, notes: Notes) -> Choice | None:
    """The one candidate, when there is one, which the table still allows: nothing is left to select."""
    moves = of_type(notes, Choice)
    legal = sections.get(LegalMoves)
    return moves[0] if len(moves) == 1 and legal and moves[0].action in legal.moves else None


def by_frequency(choices: Iterable[Choice]) -> Iterator[tuple[Move, int]]:
    """The moves that were chosen and how often, the most frequent first."""
    counts = Counter(str(choice.action) for choice in choices)
    yield from ((parse(text), times) for text, times in counts.most_common())


def support(times: int, proposed: int) -> str:
    """In words, how many of the proposals name a move."""
    return (
        "it is the only proposal" if proposed == 1 else f"{times} of {proposed} proposals name it"
    )


OPTIONS: AllowedValues = {"ratings": ("unsaid", "told")}
"""`ratings`: whether the candidates are shown with the ratings that the answers gave them."""


@role(reply=Choice, takes=WHOLE, needs=NEEDS, settled=only, options=OPTIONS, extends=proposer)
def selector(sections: Sections, notes: Notes) -> Choice:
    """Selects the best of several candidate moves.

    Its program takes the most frequent one that does no certain harm; where there is none, it goes by the simple rules
    of `own_rule`.
    """
    choices = of_type(notes, Choice)
    advice = (
        (move, f"{times} of {len(choices)} answers chose it")
        for move, times in by_frequency(choices)
    )
    return own_rule.advised(sections, Position.read(sections), advice, "no candidate will do")
