"""What a person's browser gets of their game: their seat's View turn by turn, in the fields of
/api/game, and no more.

Everything here is a function of Views, so that nothing hidden can be in it; own cards are null.
"""

from collections.abc import Sequence

from hanabi_orchestrator.experiments.page import spoken
from hanabi_orchestrator.experiments.page.game_page import table
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View


def frames(views: Sequence[View], since: int) -> list[Json]:
    """Return the table before each turn from `since`, with the move that was made; the last one has
    none yet."""
    history = views[-1].history if views else ()
    frames = []
    for view in views[max(since, 1) - 1 :]:
        past = history[view.turn - 1] if view.turn <= len(history) else None
        frames.append(frame(view, past))
    return frames


def frame(view: View, past: Past | None) -> Json:
    """Return the table before a turn as a seat sees it, and what was then done in sight of all."""
    hands = {hand.seat: spoken.cards(hand.cards) for hand in view.hands} | {
        view.seat: [None] * len(view.own)
    }
    knowledge = {hand.seat: hand.known for hand in view.hands} | {view.seat: view.own}
    known = []
    for seat in range(view.players):
        known.append([spoken.knowledge(card) for card in knowledge[seat]])
    return {
        **table(view),
        "turn": view.turn,
        "seat": (view.turn - 1) % view.players,
        "hands": [hands[seat] for seat in range(view.players)],
        "known": known,
        "inferred": None,
        **spoken.past(past),
        "drew": past.drew.value if past and past.drew else None,
        "why": None,
        "refused": [],
    }


def legal(view: View) -> list[Json]:
    """Return the legal moves with their numbers, and the slots that each hint would touch."""
    hands = {hand.seat: hand.cards for hand in view.hands}
    moves = []
    for number, move in enumerate(view.legal):
        data = spoken.move(move) | {"number": number}
        if (to := data.get("to")) is not None:
            kind = "colour" if "colour" in data else "rank"
            data["slots"] = [
                slot for slot, card in enumerate(hands[to]) if getattr(card, kind) == data[kind]
            ]
        moves.append(data)
    return moves
