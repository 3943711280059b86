"""/api/game: a whole game turn by turn, without its calls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.page import beliefs, spoken
from experiments.page.line_index import CallBrief, Line
from experiments.page.recorded_game import Position, RecordedGame
from experiments.page.spoken import Json
from experiments.record.story import first_difference
from orchestrator.hanabi import belief
from orchestrator.hanabi.moves import Discard, Play
from orchestrator.journal.events import SeatInfo
from orchestrator.models.settings import PERSON, PROGRAM
from orchestrator.models.simulated_settings import among


@dataclass(frozen=True)
class Standing:
    """Where a game stands."""

    state: str
    """finished, going, suspended or failed."""
    why: str | None = None


def game(recorded: RecordedGame, standing: Standing) -> Json:
    """Raises UserError for a journal whose moves do not fit."""
    started, result = recorded.started, recorded.result
    positions = recorded.positions()
    inside = _inside(recorded)
    return {
        "id": recorded.id,
        "players": started.players,
        "seed": started.seed,
        "deal": started.deal,
        "repeat": started.repeat,
        "state": standing.state,
        "why": standing.why,
        "parent": parent(recorded),
        "seats": [_seat(number, one, recorded) for number, one in enumerate(started.seats)],
        "deck": spoken.cards(started.deck),
        "result": result.model_dump(mode="json") if result else None,
        "turns": [_turn(recorded, turn, one, inside.get(turn, [])) for turn, one in enumerate(positions, 1)],
    }


def parent(recorded: RecordedGame) -> Json | None:
    """The game that this one was forked from, and at which turn; None for a game of its own."""
    found = recorded.started.parent
    return {"id": found.journal.removesuffix(".jsonl"), "turn": found.turn} if found else None


def seat_labels(model: str, fake: bool) -> list[str]:
    """What played, where it was no language model."""
    if model in (PROGRAM, PERSON):
        return ["programs" if model == PROGRAM else "person"]
    return ["simulated"] * bool(among(model)) + ["fake server"] * fake


def _seat(number: int, one: SeatInfo, recorded: RecordedGame) -> Json:
    labels = ["cheats: sees its own cards"] * one.own_hand + seat_labels(one.model, recorded.fake)
    return {"seat": number, "graph": one.graph, "model": one.model, "labels": labels}


def _inside(recorded: RecordedGame) -> Mapping[int, list[Line]]:
    """The lines of each turn. What stopped a game between two turns belongs to the one that had not begun."""
    found: dict[int, list[Line]] = {}
    for line in recorded.index.lines:
        found.setdefault(line.turn, []).append(line)
    return found


def _turn(recorded: RecordedGame, turn: int, position: Position, lines: list[Line]) -> Json:
    view, briefs = position.view, [line.call for line in lines if line.call is not None]
    decided = recorded.decided.get(turn) if turn <= len(recorded.moves) else None
    return {
        "turn": turn,
        "seat": view.seat,
        "hands": [spoken.cards(hand) for hand in position.hands],
        "known": [[spoken.knowledge(one) for one in hand] for hand in position.known],
        "inferred": beliefs.inferred(position),
        "fireworks": list(view.fireworks),
        "tokens": view.tokens,
        "lives": view.lives,
        "deck_size": view.deck_size,
        "discards": spoken.cards(view.discards),
        "turns_left": view.turns_left,
        **_played(recorded, turn, position),
        "why": decided["why"] if decided else None,
        "forced": bool(decided and decided.get("forced")),
        "node": decided.get("node") if decided else None,
        "refused": [_refused(one) for one in _data(lines, "verdict") if not one["accepted"]],
        "suspended": [one["why"] for one in _data(lines, "suspended")],
        **_asked(briefs),
        "seconds": round(busy(lines), 3),
    }


def _data(lines: Iterable[Line], tag: str) -> list[Mapping[str, Any]]:
    return [line.data for line in lines if line.tag == tag and line.data is not None]


def _refused(verdict: Mapping[str, Any]) -> Json:
    return {"move": spoken.move(verdict["move"]), "by": verdict["node"], "why": verdict["why"]}


def _played(recorded: RecordedGame, turn: int, position: Position) -> Json:
    """The move and what it did; all None at the turn where an unfinished game stands."""
    if turn > len(recorded.moves):
        return dict.fromkeys(("move", "card", "scored", "drew", "playable", "critical")) | {"slots": []}
    move, past = recorded.moves[turn - 1], recorded.past[turn - 1]
    held = belief.own_hand(position.view)[move.slot] if isinstance(move, Play | Discard) else None
    return {
        "move": spoken.move(move),
        "card": past.get("card"),
        "scored": past.get("scored"),
        "slots": list(past.get("slots") or ()),
        "drew": _drew(recorded, position) if held else None,
        "playable": round(held.playable, 4) if held else None,
        "critical": round(held.critical, 4) if held else None,
    }


def _drew(recorded: RecordedGame, position: Position) -> str | None:
    """The card that was drawn afterwards; the deck is dealt in its order."""
    left = position.view.deck_size
    return recorded.started.deck[-left].value if left else None


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


def compared(a: RecordedGame, b: RecordedGame) -> Json:
    """The first turn at which two games of one deal differ; None where one is the beginning of the other."""
    same = (a.started.players, a.started.deck) == (b.started.players, b.started.deck)
    first = first_difference(a.moves, b.moves) if same else None
    return {"same_deal": same, "first_difference": first, "a": _move(a, first), "b": _move(b, first)}


def _move(game: RecordedGame, turn: int | None) -> Json | None:
    return spoken.move(game.moves[turn - 1]) if turn and turn <= len(game.moves) else None
