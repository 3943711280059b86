"""What a person's browser gets of their game: their seat's View turn by turn, in the fields of /api/game, and no more.

Everything here is a function of Views, so that nothing hidden can be in it; own cards are null.
"""

from collections.abc import Sequence

from experiments.page import spoken
from experiments.page.spoken import Json
from orchestrator.hanabi.view import Past, View


def frames(views: Sequence[View], since: int) -> list[Json]:
    """The table before each turn from `since`, with the move that was made; the last one has none yet."""
    if not views:
        return []
    past = views[-1].history
    return [frame(view, past[view.turn - 1] if view.turn <= len(past) else None) for view in views[max(since, 1) - 1 :]]


def frame(view: View, past: Past | None) -> Json:
    """The table before a turn as a seat sees it, and what was then done in sight of all."""
    hands = {hand.seat: spoken.cards(hand.cards) for hand in view.hands} | {view.seat: [None] * len(view.own)}
    known = {hand.seat: hand.known for hand in view.hands} | {view.seat: view.own}
    return {
        "turn": view.turn,
        "seat": (view.turn - 1) % view.players,
        "hands": [hands[seat] for seat in range(view.players)],
        "known": [[spoken.knowledge(one) for one in known[seat]] for seat in range(view.players)],
        "inferred": None,
        "fireworks": list(view.fireworks),
        "tokens": view.tokens,
        "lives": view.lives,
        "deck_size": view.deck_size,
        "discards": spoken.cards(view.discards),
        "turns_left": view.turns_left,
        **_done(past),
        "why": None,
        "refused": [],
    }


def _done(past: Past | None) -> Json:
    return {
        "move": spoken.move(past.move) if past else None,
        "card": past.card.value if past and past.card else None,
        "scored": past.scored if past else None,
        "slots": list(past.slots) if past else [],
        "drew": past.drew.value if past and past.drew else None,
    }


def legal(view: View) -> list[Json]:
    """The legal moves with their numbers, and the slots that each hint would touch."""
    hands = {hand.seat: hand.cards for hand in view.hands}
    found = []
    for number, move in enumerate(view.legal):
        data = spoken.move(move) | {"number": number}
        if (to := data.get("to")) is not None:
            kind, wanted = ("colour", data["colour"]) if "colour" in data else ("rank", data["rank"])
            data["slots"] = [slot for slot, card in enumerate(hands[to]) if getattr(card, kind) == wanted]
        found.append(data)
    return found
