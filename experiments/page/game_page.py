"""/api/game: a whole game turn by turn, without its calls; /api/beliefs: what its seats may believe
of their cards."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hanabi_orchestrator.experiments.page import spoken
from hanabi_orchestrator.experiments.page.games import Standing
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.game import Board, Game, first_difference
from hanabi_orchestrator.experiments.record.lines import Line
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import unmask
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import understand
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    GameSuspended,
    Moved,
    VerdictGiven,
)


def game_page(game: Game, standing: Standing) -> Json:
    """Return a game for the browser. Raises UserError for a journal whose moves do not fit."""
    started = game.started
    parent = game.started.parent
    fake = any(call.fake for call in game.briefs)
    # what stopped a game between two turns belongs to the one that had not begun
    turns: dict[int, list[Line]] = {}
    for line in game.lines.lines:
        turns.setdefault(line.turn, []).append(line)
    seats = []
    only = {Provenance.PROGRAM: ["programs"], Provenance.PERSON: ["person"]}
    for number, info in enumerate(started.seats):  # labelled where no language model sits there
        players = Provenance.of_models(info.model)
        labels = only.get(players) or [*players.labels, *["fake server"] * fake]
        cheats = ["cheats: sees its own cards"] * info.own_hand
        seats.append(
            {"seat": number, "graph": info.graph, "model": info.model, "labels": cheats + labels}
        )
    return {
        "id": game.name,
        **{name: getattr(started, name) for name in ("players", "seed", "deal", "repeat")},
        **vars(standing),
        "parent": {"id": parent.journal.removesuffix(".jsonl"), "turn": parent.turn}
        if parent
        else None,
        "seats": seats,
        "deck": spoken.cards(started.deck),
        "result": game.result.model_dump(mode="json") if game.result else None,
        "turns": [
            _turn(game, number, board, turns.get(number, []))
            for number, board in enumerate(game.boards, 1)
        ],
    }


def _turn(game: Game, turn: int, board: Board, lines: list[Line]) -> Json:
    view = board.view
    events = [line.event for line in lines]
    past = next((event.past for event in events if isinstance(event, Moved)), None)
    decided = (
        next((event for event in events if isinstance(event, Decided)), None) if past else None
    )
    calls = [line.call for line in lines if line.call]
    models = [call for call in calls if call.of_model]
    prices = [call.usd for call in models if not call.cached]
    known = []
    for hand in board.known:
        known.append([spoken.knowledge(card) for card in hand])
    return {
        **table(view),
        "turn": turn,
        "hands": [spoken.cards(hand) for hand in board.hands],
        "known": known,
        "inferred": inferred(board),
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
        "calls": len(models),
        "unusable": sum(call.outcome in ("reasked", "fallback") for call in calls),
        "absent": list(dict.fromkeys(call.node for call in calls if call.outcome == "fallback")),
        "tokens_in": sum(call.tokens_in for call in models),
        "tokens_out": sum(call.tokens_out for call in models),
        "usd": round(sum(filter(None, prices)), 8) if prices and None not in prices else None,
        "seconds": round(busy(lines), 3),
    }


def table(view: View) -> Json:
    """Return what everybody sees on the table before a turn."""
    names = ("seat", "fireworks", "tokens", "lives", "deck_size", "turns_left")
    return {name: getattr(view, name) for name in names} | {"discards": spoken.cards(view.discards)}


def _played(game: Game, past: Past | None, view: View) -> Json:
    """Return the move and what it did; all None at the turn where an unfinished game stands."""
    move = past and past.move
    undrawn = view.deck_size
    slot = belief.own_hand(view)[move.slot] if isinstance(move, Play | Discard) else None
    return {
        **spoken.past(past),
        # the deck is dealt in its order
        "drew": game.started.deck[-undrawn].value if slot and undrawn else None,
        "playable": round(slot.playable, 4) if slot else None,
        "critical": round(slot.critical, 4) if slot else None,
    }


def busy(lines: Iterable[Line]) -> float:
    """Return the seconds in which at least one call of a turn was under way; waits between two
    commands do not count."""
    spans = sorted(
        (line.at - line.call.latency_s, line.at) for line in lines if line.call is not None
    )
    total = 0.0
    until = float("-inf")
    for start, end in spans:
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def compared(first: Game, second: Game) -> Json:
    """Return the first turn at which two games of one deal differ; None where one is the beginning
    of the other."""
    same_deal = (first.started.players, first.started.deck) == (
        second.started.players,
        second.started.deck,
    )
    turn = first_difference(first.moves, second.moves) if same_deal else None
    moves = {}
    for name, game in (("a", first), ("b", second)):
        moves[name] = (
            spoken.move(game.moves[turn - 1]) if turn and turn <= len(game.moves) else None
        )
    return {"same_deal": same_deal, "first_difference": turn, **moves}


# What a seat may believe of its hidden cards: exactly, by hints and counting, and by the players'
# conventions


def by_conventions(position: Board) -> tuple[Hands, Hands]:
    """Return what hints leave of all hands, and what the conventions narrow that to, as the acting
    seat reads the past moves.

    A partner who breaks the convention is no longer read by it.
    """
    view = position.view
    sight = {hand.seat: hand.cards for hand in view.hands}
    knowledge = understand(view.history, view.players, view.seat, sight).knowledge
    return knowledge.literal, knowledge.common


def inferred(position: Board) -> list[list[list[str] | None]]:
    """Return by seat and slot the cards that the conventions leave; None where they add nothing to
    hints."""
    cards = []
    for literal, narrowed in zip(*by_conventions(position), strict=True):
        hand: list[list[str] | None] = []
        for by_hints, left in zip(literal, narrowed, strict=True):
            hand.append(None if left == by_hints else spoken.cards(unmask(left)))
        cards.append(hand)
    return cards


def beliefs(game: Game, turn: int, seat: int | None) -> dict[str, Any]:
    """Return the beliefs of a seat (the acting one, if none is given) about its own hand, beside
    the truth."""
    position = game.board(turn)
    seat = position.view.seat if seat is None else seat
    if seat not in range(game.started.players):
        raise UserError(f"there is no seat {seat}; the seats are 0 to {game.started.players - 1}")
    visible = [hand for owner, hand in enumerate(position.hands) if owner != seat]
    exact = belief.believe(
        [knowledge.mask for knowledge in position.known[seat]], position.view.piles, *visible
    )
    _, narrowed = by_conventions(position)
    conventional = None
    with suppress(ValueError):  # what was inferred contradicts the cards in sight
        conventional = belief.believe(narrowed[seat], position.view.piles, *visible)
    slots = []
    for slot, card in enumerate(position.hands[seat]):
        slots.append(
            {
                "slot": slot,
                "truth": card.value,
                **spoken.chances(exact[slot]),
                "by_conventions": conventional and spoken.chances(conventional[slot]),
            }
        )
    return {"seat": seat, "slots": slots}
