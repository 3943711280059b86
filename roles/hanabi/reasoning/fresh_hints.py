"""What the latest hints say of the own cards by the conventions, read from what a deciding role is shown alone: the
moves since its last turn, the table, and what hints leave of each card."""

from collections.abc import Iterator

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COLOURS,
    RANKS,
    Mask,
    Piles,
    masked,
    unmask,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    counted,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import NEWEST
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, HintColour
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.sections import Sections


def play_hints(sections: Sections, position: Position) -> dict[int, Mask]:
    """Return the own slots that the latest hints point at as playable, with the types that the cards then are.

    It is empty without the sections `history` and `conventions`, and for other packs than `newest`. Every partner is
    taken to keep to the conventions.
    """
    history = sections.get(History)
    conventions = sections.get(Conventions)
    if history is None or conventions is None or conventions.pack != "newest":
        return {}
    pointed = dict[int, Mask]()
    for past in history.latest:
        if isinstance(past.move, Hint) and past.move.to == position.seat:
            for slot, types in _pointed_at(position, past, past.move):
                pointed[slot] = pointed.get(slot, ANY) & types
    return pointed


def _pointed_at(position: Position, past: Past, hint: Hint) -> Iterator[tuple[int, Mask]]:
    """Yield what a hint points at, as the table was when it was given."""
    piles = Piles(past.fireworks, position.piles.discards)
    hands = tuple(
        _unhinted(position.own, hint, past.slots) if seat == position.seat else position.known[seat]
        for seat in range(position.players)
    )
    before = CommonKnowledge.of_position(
        (NEWEST,) * position.players,
        piles,
        tokens=past.tokens + 1,
        lives=position.lives,
        deck=position.deck_size,
        literal=hands,
        common=counted(hands, hands, piles),
    )
    _, points = before.read_hint(past.seat, hint, past.slots)
    yield from ((point.slot, point.types) for point in points if point.why == "play hint")


def _unhinted(hand: tuple[Mask, ...], hint: Hint, touched: tuple[int, ...]) -> tuple[Mask, ...]:
    """Return the most that the cards of a hand could be before a hint, given what they can be after it."""
    before = list[Mask]()
    for slot, possible in enumerate(hand):
        cards = unmask(possible)
        colours = {card.colour for card in cards}
        ranks = {card.rank for card in cards}
        if isinstance(hint, HintColour):
            colours |= {*COLOURS} if slot in touched else {hint.colour}
        else:
            ranks |= {*RANKS} if slot in touched else {hint.rank}
        before.append(masked(colours, ranks))
    return tuple(before)
