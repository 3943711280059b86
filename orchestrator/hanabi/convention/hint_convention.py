"""The hint convention of strong rule players: which card a hint points at, and which card is discarded next.

A hint that makes no card known to be playable points at one of the touched cards, the focus, and says that it can be
played now. A rank hint that touches the card which its owner would discard next (the chop) warns that it is critical.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    MAX_TOKENS,
    OF_RANK,
    RANKS,
    Card,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, HintColour, HintRank

Focus = Literal["newest", "oldest"]
"""Which of the touched cards that may be playable is the focus."""

Manner = Focus | Literal["adapts"] | None
"""`adapts`: the way in which the other player reads, or hints. None: literally, without the convention."""


@dataclass(frozen=True)
class Convention:
    """How a player gives and reads hints."""

    hints: Manner = "newest"
    reads: Manner = "newest"
    subtle: bool = True
    """True if the player draws conclusions from a missing warning, and discards first what is likeliest dead."""
    waits: bool = True
    """True if the player also warns by waiting, without a token, and gives no hint that comes too late."""


NEWEST = Convention()
"""Keeps to the whole pack `newest`."""
SMART = Convention(waits=False)
OLDEST = Convention("oldest", "oldest", waits=False)
STRANGER = Convention(None, None, waits=False)
"""Keeps to no convention."""
LITERAL = Convention("newest", None, waits=False)
"""Hints by the convention and reads without it."""
ADAPTING = Convention("adapts", "adapts")


def between(giver: Convention, reader: Convention) -> tuple[Focus | None, Focus | None]:
    """Return the focus by which a hint between two players is given, and the one by which it is read; None:
    literally. Two players who adapt to each other use the newest card."""
    hints = reader.reads if giver.hints == "adapts" else giver.hints
    reads = giver.hints if reader.reads == "adapts" else reader.reads
    return "newest" if hints == "adapts" else hints, "newest" if reads == "adapts" else reads


def hints_to(seat: int, cards: Sequence[Card]) -> list[Hint]:
    """Return every hint that touches a card of a hand."""
    colours = {card.colour for card in cards}
    ranks = {card.rank for card in cards}
    hints: list[Hint] = [
        HintColour(to=seat, colour=colour) for colour in COLOURS if colour in colours
    ]
    return hints + [HintRank(to=seat, rank=rank) for rank in RANKS if rank in ranks]


def has_turn(seat: int, mover: int, players: int, turns_left: int | None) -> bool:
    """Return whether a player has a turn left after that of the player to move. `turns_left`: of the game, the mover's
    included; None while the deck has cards."""
    return turns_left is None or (seat - mover) % players < turns_left


def is_certain(possible: Mask, types: Mask) -> bool:
    """Return whether all that a card can be is of these types."""
    return bool(possible) and not possible & ~types


def maybe(possible: Mask, types: Mask) -> bool:
    """Return whether some of what a card can be is of these types, and some is not."""
    return bool(possible & types and possible & ~types)


def next_discard(hand: Sequence[Mask], piles: Piles, owner: Convention = NEWEST) -> int | None:
    """Return the slot that its owner is going to discard next (the chop), by what everybody knows of the hand.

    Of the cards that are not known to be critical, it is the one with the largest share of dead types, the oldest of
    equals; for an owner who is not `subtle`, simply the oldest. None when the owner knows of a playable or dead card,
    or when all cards are known to be critical.
    """
    if any(is_certain(m, piles.playable) or is_certain(m, piles.dead) for m in hand):
        return None
    free = [slot for slot, possible in enumerate(hand) if not is_certain(possible, piles.critical)]
    if not owner.subtle:
        return min(free, default=None)
    return max(free, key=lambda slot: (share(hand[slot], piles.dead), -slot), default=None)


def share(possible: Mask, types: Mask) -> float:
    """Return the share of the types that a card can be which is among `types`."""
    return (possible & types).bit_count() / possible.bit_count() if possible else 0.0


def focus(hand: Iterable[Mask], touched: Iterable[int], piles: Piles, which: Focus) -> int | None:
    """Return the touched slot that a hint points at: the newest, or oldest, that may or may not be playable."""
    masks = list(hand)
    open_slots = [slot for slot in touched if maybe(masks[slot], piles.playable)]
    return (max if which == "newest" else min)(open_slots, default=None)


def is_dump(hint: Hint, giver: int, players: int, tokens: int, touched: Sequence[int]) -> bool:
    """Return whether a hint only spends a token and points at nothing: a rank hint, given while all tokens are there,
    to the player on the giver's right, touching the oldest card of the hand."""
    return (
        tokens == MAX_TOKENS
        and hint.to == (giver - 1) % players
        and isinstance(hint, HintRank)
        and 0 in touched
    )


def warned(
    hint: Hint, hand: Sequence[Mask], piles: Piles, touched: Sequence[int], owner: Convention
) -> int | None:
    """Return the slot that a hint to the next player warns of: the one to be discarded next, if its rank may be
    critical.

    `hand`: what everybody knew before the hint.
    """
    slot = next_discard(hand, piles, owner)
    if slot is None or not isinstance(hint, HintRank) or slot not in touched:
        return None
    return (
        slot
        if hand[slot] & OF_RANK[hint.rank] & piles.critical and maybe(hand[slot], piles.critical)
        else None
    )
