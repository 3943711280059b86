"""The decision sheet: what the conventions say of each step, in the order of the steps."""

from collections.abc import Collection, Mapping

from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    HOUSE_STEPS,
    PolicyStep,
    Scene,
    discard,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.roles.words import Words


def steps(scene: Scene, legal: Collection[Move], words: Words) -> str:
    """Return the steps of `policy.HOUSE_STEPS` that name legal moves, each move with its reason.

    The best move comes first; of discards it alone has a reason.
    """
    lines = list[str]()
    for step, text in SHEET.items():
        reasons = dict[str, str]()
        for move, reason in step(scene):
            if move in legal:
                reasons.setdefault(str(move), reason)
        if not reasons:
            continue
        first, *moves = reasons
        if step is not discard:  # one reason holds for all that may go
            moves = [f"{move} ({reasons[move]})" for move in moves]
        more = words("; else $moves", moves=words.series(moves)) if moves else ""
        lines.append(f"{len(lines) + 1}. {words(text)} {first} ({reasons[first]}){more}.")
    return "\n".join(lines)


SHEET: Mapping[PolicyStep, str] = dict(
    zip(
        HOUSE_STEPS,
        (
            "Save a critical card that the next player is about to discard:",
            "Warn of it without a token, by a discard in place of the play that everybody expects:",
            "A table of two, 3 tokens or more, and the other takes no card for playable; a hint that makes them play:",
            "A card that fits, for certain or by the conventions:",
            "Playable with 60% or more, where nobody else keeps to the conventions and a life is to spare:",
            "A hint that makes somebody play a playable card, most value first:",
            "To somebody who reads hints literally, something new of playable cards, of the most first:",
            "All 8 tokens are there, and no discard is allowed; a hint that says nothing:",
            "Nearly at the end, with a life to spare, the likeliest play:",
            "Discard, the safest first:",
        ),
        strict=True,
    )
)
"""What the sheet says of each step."""
