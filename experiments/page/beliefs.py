"""What a seat may believe of its hidden cards: exactly, by hints and counting, and by the players' conventions."""

from contextlib import suppress
from typing import Any

from experiments.page import spoken
from experiments.record.game import Board, Game
from orchestrator.errors import UserError
from orchestrator.hanabi import belief
from orchestrator.hanabi.cards import unmask
from orchestrator.hanabi.convention.partner_model import understand
from orchestrator.hanabi.literal_knowledge import Hands


def by_conventions(position: Board) -> tuple[Hands, Hands]:
    """What hints leave of all hands, and what the conventions narrow that to, as the acting seat reads the past moves.

    A partner who breaks the convention is no longer read by it.
    """
    view = position.view
    sight = {hand.seat: hand.cards for hand in view.hands}
    knowledge = understand(view.history, view.players, view.seat, sight).knowledge
    return knowledge.literal, knowledge.common


def inferred(position: Board) -> list[list[list[str] | None]]:
    """By seat and slot, the cards that the conventions leave; None where they add nothing to hints."""
    literal, narrowed = by_conventions(position)
    return [
        [None if now == hints else spoken.cards(unmask(now)) for now, hints in zip(after, before, strict=True)]
        for after, before in zip(narrowed, literal, strict=True)
    ]


def beliefs(game: Game, turn: int, seat: int | None) -> dict[str, Any]:
    """The beliefs of a seat (the acting one, if none is given) about its own hand, beside the truth."""
    position = game.board(turn)
    seat = position.view.seat if seat is None else seat
    if seat not in range(game.started.players):
        raise UserError(f"there is no seat {seat}; the seats are 0 to {game.started.players - 1}")
    visible = [hand for other, hand in enumerate(position.hands) if other != seat]
    exact = belief.believe([knowledge.mask for knowledge in position.known[seat]], position.view.piles, *visible)
    _, narrowed = by_conventions(position)
    conventional = None
    with suppress(ValueError):  # what was inferred contradicts the cards in sight
        conventional = belief.believe(narrowed[seat], position.view.piles, *visible)
    slots = [
        {
            "slot": slot,
            "truth": card.value,
            **spoken.chances(exact[slot]),
            "by_conventions": conventional and spoken.chances(conventional[slot]),
        }
        for slot, card in enumerate(position.hands[seat])
    ]
    return {"seat": seat, "slots": slots}
