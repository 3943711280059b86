"""/api/game: a whole game turn by turn, without its calls."""

from collections.abc import Iterable
from dataclasses import dataclass

from experiments.page import beliefs, spoken
from experiments.page.spoken import Json
from experiments.record.boards import Board
from experiments.record.game import Game, first_difference
from experiments.record.lines import CallBrief, Line
from orchestrator.hanabi import belief
from orchestrator.hanabi.moves import Discard, Play
from orchestrator.hanabi.view import Past, View
from orchestrator.journal.events import Decided, GameSuspended, Moved, SeatInfo, VerdictGiven
from orchestrator.models.settings import PERSON, PROGRAM
from orchestrator.models.simulated_settings import among


@dataclass(frozen=True)
class Standing:
    """Where a game stands."""

    state: str
    """finished, going, suspended or failed."""
    why: str | None = None


def game(game: Game, standing: Standing) -> Json:
    """Raises UserError for a journal whose moves do not fit."""
    started, parent = game.started, game.started.parent
    fake = any(call.fake for call in game.briefs)
    turns: dict[int, list[Line]] = {}  # what stopped a game between two turns belongs to the one that had not begun
    for line in game.lines.lines:
        turns.setdefault(line.turn, []).append(line)
    return {
        "id": game.name,
        "players": started.players,
        "seed": started.seed,
        "deal": started.deal,
        "repeat": started.repeat,
        "state": standing.state,
        "why": standing.why,
        "parent": {"id": parent.journal.removesuffix(".jsonl"), "turn": parent.turn} if parent else None,
        "seats": [_seat(number, info, fake) for number, info in enumerate(started.seats)],
        "deck": spoken.cards(started.deck),
        "result": game.result.model_dump(mode="json") if game.result else None,
        "turns": [_turn(game, number, board, turns.get(number, [])) for number, board in enumerate(game.boards, 1)],
    }


def seat_labels(model: str, fake: bool) -> list[str]:
    """What played, where it was no language model."""
    if model in (PROGRAM, PERSON):
        return ["programs" if model == PROGRAM else "person"]
    return ["simulated"] * bool(among(model)) + ["fake server"] * fake


def _seat(number: int, info: SeatInfo, fake: bool) -> Json:
    labels = ["cheats: sees its own cards"] * info.own_hand + seat_labels(info.model, fake)
    return {"seat": number, "graph": info.graph, "model": info.model, "labels": labels}


def _turn(game: Game, turn: int, board: Board, lines: list[Line]) -> Json:
    view, events = board.view, [line.event for line in lines]
    past = next((event.past for event in events if isinstance(event, Moved)), None)
    decided = next((event for event in events if isinstance(event, Decided)), None) if past else None
    return {
        "turn": turn,
        "seat": view.seat,
        "hands": [spoken.cards(hand) for hand in board.hands],
        "known": [[spoken.knowledge(card) for card in hand] for hand in board.known],
        "inferred": beliefs.inferred(board),
        "fireworks": list(view.fireworks),
        "tokens": view.tokens,
        "lives": view.lives,
        "deck_size": view.deck_size,
        "discards": spoken.cards(view.discards),
        "turns_left": view.turns_left,
        **_played(game, past, view),
        "why": decided.why if decided else None,
        "forced": decided is not None and decided.forced,
        "node": decided.node if decided else None,
        "refused": [
            {"move": spoken.move(event.move), "by": event.node, "why": event.why}
            for event in events
            if isinstance(event, VerdictGiven) and not event.accepted
        ],
        "suspended": [event.why for event in events if isinstance(event, GameSuspended)],
        **_asked([line.call for line in lines if line.call is not None]),
        "seconds": round(busy(lines), 3),
    }


def _played(game: Game, past: Past | None, view: View) -> Json:
    """The move and what it did; all None at the turn where an unfinished game stands."""
    if past is None:
        return dict.fromkeys(("move", "card", "scored", "drew", "playable", "critical")) | {"slots": []}
    move, left = past.move, view.deck_size
    held = belief.own_hand(view)[move.slot] if isinstance(move, Play | Discard) else None
    return {
        "move": spoken.move(move),
        "card": past.card.value if past.card else None,
        "scored": past.scored,
        "slots": list(past.slots),
        "drew": game.started.deck[-left].value if held and left else None,  # the deck is dealt in its order
        "playable": round(held.playable, 4) if held else None,
        "critical": round(held.critical, 4) if held else None,
    }


def _asked(briefs: list[CallBrief]) -> Json:
    models = [one for one in briefs if one.asked]
    prices = [one.usd for one in models if not one.cached]
    return {
        "calls": len(models),
        "unusable": sum(one.outcome in ("reasked", "fallback") for one in briefs),
        "absent": list(dict.fromkeys(one.node for one in briefs if one.outcome == "fallback")),
        "tokens_in": sum(one.tokens_in for one in models),
        "tokens_out": sum(one.tokens_out for one in models),
        "usd": round(sum(filter(None, prices)), 8) if prices and None not in prices else None,
    }


def busy(lines: Iterable[Line]) -> float:
    """Seconds in which at least one call of a turn was under way; waits between two commands do not count."""
    spans = sorted((line.at - line.call.seconds, line.at) for line in lines if line.call is not None)
    total, until = 0.0, float("-inf")
    for start, end in spans:
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def compared(a: Game, b: Game) -> Json:
    """The first turn at which two games of one deal differ; None where one is the beginning of the other."""
    same = (a.started.players, a.started.deck) == (b.started.players, b.started.deck)
    first = first_difference(a.moves, b.moves) if same else None
    return {"same_deal": same, "first_difference": first, "a": _move(a, first), "b": _move(b, first)}


def _move(game: Game, turn: int | None) -> Json | None:
    return spoken.move(game.moves[turn - 1]) if turn and turn <= len(game.moves) else None
