"""The program that answers questions on Hanabi positions, from the text of the position alone."""

import re

from experiments.tasks.question_task import NoAnswer
from experiments.tasks.questions import state_facts, state_moves, state_text
from experiments.tasks.questions.questions import HANABI, Question
from experiments.tasks.questions.state_text import NotAPosition, Position


def answer(question: Question) -> tuple[int, str]:
    """Return the number of the option that the program chooses, and why. Raises NoAnswer."""
    if question.game != HANABI:
        raise NoAnswer(f"programs answer the questions on {HANABI} alone")
    try:
        position = state_text.position(question.stem)
        chosen = _chosen(question, position)
    except NotAPosition as problem:
        raise NoAnswer(f"the text is no position: {problem}") from None
    except ValueError as problem:  # a position that cannot be: its hints and cards contradict each other
        raise NoAnswer(f"the position cannot be: {problem}") from None
    if chosen is None:
        raise NoAnswer(f"the program has no rule for this question: {question.asked}")
    number, why = chosen
    return number, "; ".join((why, *(f"the text says nothing of {card}" for card in position.lacks)))


def _chosen(question: Question, position: Position) -> tuple[int, str] | None:
    if question.kind == "ec":
        return state_facts.answer(question.asked, position, question.options)
    if question.kind == "jp":
        return state_moves.plan(position, question.options)
    if re.search(r"\binfer\b", question.asked, re.IGNORECASE):
        return state_moves.inferred(position, question.options)
    return state_moves.reveal(question.asked, position, question.options)
