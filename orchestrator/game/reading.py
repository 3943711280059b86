"""The legal move that an answer means, for games whose moves need no reading of their own: by its label, by its text,
or by words that fit one option alone. In doubt the answer is refused, which costs one more request."""

import re
from collections.abc import Mapping
from typing import Any

from hanabi_orchestrator.orchestrator.replies.reply import NotAnOption

Listed = Mapping[str, Any]
"""Legal moves by their labels; see `labelled`."""

LONGEST = 300
"""Characters; a longer answer does not name a move."""

_LABEL = re.compile(
    r"(?:(?:option|action|move|number)\s+)?[#(\[]?\s*([A-Za-z]{1,2}|\d{1,3})\s*(?:[)\].:,-]+\s*(?P<text>.*))?",
    re.DOTALL | re.IGNORECASE,
)
_ARTICLES = frozenset(["a", "an", "the", "my", "your", "i", "will", "to", "now", "please"])
_NEGATED = re.compile(
    r"\b(?:not|no|never|avoid|without|except|instead|rather|unless|if|but|or|either|neither|cannot"
    r"|refuse|refused|wrong|worse|bad|than|otherwise|before|after|until|maybe|perhaps)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def labelled(moves: Any, *, letters: bool = False) -> dict[str, Any]:
    """Return moves by their labels: numbers from 0, or letters from A."""
    return {letter(number) if letters else str(number): move for number, move in enumerate(moves)}


def letter(number: int) -> str:
    """Return the label of the n-th move, from 0: A to Z, then AA."""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def ground(answer: object, legal: Listed) -> Any:
    """Return the legal move that an answer means. Raises NotAnOption, with a sentence for a model."""
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    moves = list(legal.values())
    if not isinstance(answer, str | int) or isinstance(answer, bool):
        if answer in moves:
            return answer
        raise _refused(answer)
    text = str(answer).strip("\"'`*<> \n").rstrip(". ")
    for move in moves:
        if str(move).lower() == text.lower():
            return move
    if len(text) > LONGEST:
        raise _refused(text)
    match = _LABEL.fullmatch(text)
    if match and match[1].upper() in legal:
        return _by_label(match, legal)
    if match and match[1].isdigit() and not match["text"]:
        raise NotAnOption(f"{text} does not name a legal move; the list has {', '.join(legal)}")
    return _by_words(text, legal)


def _by_label(match: re.Match[str], legal: Listed) -> Any:
    """Return the move of `B` or `B: move to room 2`; a label and a text of another move are refused."""
    move = legal[match[1].upper()]
    words = match["text"]
    if words and _by_words(words, legal) != move:
        raise NotAnOption(f"{match[1]} is {str(move)!r}, not {words[:60]!r}; answer with one move")
    return move


def _by_words(text: str, legal: Listed) -> Any:
    """Return the only move all of whose words occur in a text that negates nothing."""
    words = _words(text)
    if _NEGATED.search(text):
        raise _refused(text)
    fitting = [move for move in legal.values() if _words(str(move)) <= words]
    if len(fitting) != 1:
        raise _refused(text, fitting)
    numbers = {word for move in legal.values() for word in _words(str(move)) if word.isdigit()}
    if {word for word in words if word.isdigit()} & numbers - _words(str(fitting[0])):
        raise _refused(text)
    return fitting[0]


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _ARTICLES}


def _refused(answer: object, fitting: Any = ()) -> NotAnOption:
    names = " or ".join(str(move) for move in fitting[:3])
    which = f"may mean {names}" if fitting else "is not a legal move now"
    sentence = "answer with one of the legal moves, copied exactly"
    return NotAnOption(f"{str(answer)[:80]!r} {which}; {sentence}")
