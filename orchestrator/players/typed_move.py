"""The move that a person types: its number in the list, a few letters (`p 2`, `h 1 red`), or words.

Every answer that is not taken is refused with a sentence that says why. It is made from the View alone.
"""

import re

from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.move_reading import ground
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Move,
    Play,
    labelled,
)
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.values import whole_number

_REASON = re.compile(r"\s(?:because|since)\s", re.IGNORECASE)
_NUMBER = re.compile(r"#?(\d+)")
_OWN = re.compile(r"(p|play|d|discard)\s*(?:slot|card)?\s*#?(\d+)", re.IGNORECASE)
_HINT = re.compile(
    rf"""
    (?: h | hint | c | clue ) \s*
    (?: p (?:layer)? \s*)? (?P<to>\d)?? [\s,]*
    (?: rank | colou?r )? \s*
    (?P<said> {"|".join(COLOUR_NAMES.values())} | [{"".join(COLOURS)}] | \d )
    """,
    re.VERBOSE | re.IGNORECASE,
)
EXAMPLES = "e.g. `play 2`, `d 0`, `hint P1 red` or `h 1 3`"


def typed_move(text: str, view: View) -> tuple[Move, str]:
    """Return the legal move of a text, and the reason that may follow it after `because`; else an empty reason.

    Raises ValueError with one sentence for anything that is not one legal move of the view.
    """
    move_text, reason = [*_REASON.split(" ".join(text.split()), maxsplit=1), ""][:2]
    if number := _NUMBER.fullmatch(move_text):
        index = whole_number(number[1])
        most = len(view.legal) - 1
        if index is None or index > most:
            raise ValueError(
                f"{number[1][:20]} is not in the list; the legal moves are numbered 0 to {most}"
            )
        return view.legal[index], reason
    if (move := _short(move_text, view)) is not None:
        if problem := _unplayable(move, view):
            raise ValueError(problem)
        return next(legal for legal in view.legal if legal == move), reason
    try:
        return ground(move_text, labelled(view.legal)), reason  # as a model's answer is read
    except ValueError as error:
        if "may mean" in str(error):
            raise ValueError(f"{str(error).partition(';')[0]}; type which one") from None
    raise ValueError(
        f"{move_text[:60]!r} is not a move that can be read; type a number of the list, or {EXAMPLES}"
    )


def _short(text: str, view: View) -> Move | None:
    """Return the move of a few letters, legal or not; None for any other text. Raises ValueError for what cannot be
    one."""
    if match := _OWN.fullmatch(text):
        slot = whole_number(match[2])
        if slot is None or slot >= len(view.own):
            raise ValueError(
                f"you have no slot {match[2][:20]}; your cards are in slots 0 to {len(view.own) - 1}"
            )
        return (Play if match[1].lower().startswith("p") else Discard)(slot=slot)
    if not (match := _HINT.fullmatch(text)):
        return None
    word = match["said"].lower()
    if match["to"] is None and len(view.hands) > 1:
        seats = " or ".join(f"P{seat}" for seat in sorted(hand.seat for hand in view.hands))
        raise ValueError(f"{text!r} does not say who gets the hint: {seats}")
    to = view.hands[0].seat if match["to"] is None else int(match["to"])
    if not word.isdigit():
        colour = next(
            letter for letter in COLOURS if word in (letter.lower(), COLOUR_NAMES[letter])
        )
        return HintColour.model_construct(to=to, colour=colour)
    if not 1 <= int(word) <= 5:
        raise ValueError(f"there is no rank {word}; ranks are 1 to 5")
    return HintRank.model_construct(to=to, rank=int(word))


def _unplayable(move: Move, view: View) -> str | None:
    """Return why a move is not legal now, in one sentence; None for a legal move."""
    if move in view.legal:
        return None
    if isinstance(move, Discard) and view.tokens == MAX_TOKENS:
        return f"you cannot discard while all {MAX_TOKENS} information tokens are there; play a card or give a hint"
    if isinstance(move, Play | Discard):
        return f"{move} is not a legal move now"
    if move.to == view.seat:
        return f"you are P{move.to}; a hint goes to another player"
    if move.to >= view.players:
        return f"there is no P{move.to}; the players are P0 to P{view.players - 1}"
    if not view.tokens:
        return "no information token is left, so you cannot give a hint; play or discard a card"
    kind = COLOUR_NAMES[move.colour] if isinstance(move, HintColour) else f"rank {move.rank}"
    return f"P{move.to} has no {kind} card, and a hint must touch at least one"
