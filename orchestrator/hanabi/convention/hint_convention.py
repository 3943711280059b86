"""Conventions of hinting: which card a hint points at, which card goes next, and what silence says.

The hint convention of the strong rule players: a hint that makes no card known to be playable points at one touched
card, the focus, which can be played now; a rank hint that touches the card its owner would discard next warns of it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.hanabi.cards import COLOURS, MAX_TOKENS, OF_RANK, RANKS, Card, Mask, Piles
from orchestrator.hanabi.moves import Hint, HintColour, HintRank

Focus = Literal["newest", "oldest"]
"""Which of the touched cards that may be playable a hint points at."""

Manner = Focus | Literal["adapts"] | None
"""Of one who adapts: as the other reads, or hints; None: his hints say what they say, and he hears what he is told."""


@dataclass(frozen=True)
class Convention:
    """How a player takes part in the conventions."""

    hints: Manner = "newest"
    reads: Manner = "newest"
    subtle: bool = True
    """Whether he makes something of a missing warning, and discards first what is likeliest dead."""


NEWEST = Convention()
STRANGER = Convention(None, None)
LITERAL = Convention("newest", None)
"""Hints by the convention and reads without it."""
ADAPTING = Convention("adapts", "adapts")


def between(giver: Convention, reader: Convention) -> tuple[Focus | None, Focus | None]:
    """By which focus a hint from one to the other is given, and by which it is read."""
    hints = reader.reads if giver.hints == "adapts" else giver.hints
    reads = giver.hints if reader.reads == "adapts" else reader.reads
    return _settled(hints), _settled(reads)


def _settled(options: Manner) -> Focus | None:
    """Two who adapt to each other keep to the newest card."""
    return "newest" if options == "adapts" else options


def hints_to(seat: int, cards: Sequence[Card]) -> list[Hint]:
    """Every hint that touches a card of a hand."""
    colours, ranks = {card.colour for card in cards}, {card.rank for card in cards}
    hints: list[Hint] = [HintColour(to=seat, colour=colour) for colour in COLOURS if colour in colours]
    return hints + [HintRank(to=seat, rank=rank) for rank in RANKS if rank in ranks]


def known(possible: Mask, types: Mask) -> bool:
    """Whether all that a card can be is of these types."""
    return bool(possible) and not possible & ~types


def maybe(possible: Mask, types: Mask) -> bool:
    """Whether some of what a card can be is of these types, and some is not."""
    return bool(possible & types and possible & ~types)


def next_discard(hand: Sequence[Mask], piles: Piles, owner: Convention = NEWEST) -> int | None:
    """The slot that its owner will discard next, by what everybody knows of his hand: of the cards not known critical
    the one most of whose possible types are dead, the oldest of equals; just the oldest, if he is not subtle.

    None when he knows of a card to play or of a dead one, or when all his cards are known critical.
    """
    if any(known(m, piles.playable) or known(m, piles.dead) for m in hand):
        return None
    free = [slot for slot, possible in enumerate(hand) if not known(possible, piles.critical)]
    if not owner.subtle:
        return min(free, default=None)
    return max(free, key=lambda slot: (share(hand[slot], piles.dead), -slot), default=None)


def share(possible: Mask, types: Mask) -> float:
    """Of the types that a card can be, the share that is of these."""
    return (possible & types).bit_count() / possible.bit_count() if possible else 0.0


def focus(hand: Iterable[Mask], touched: Iterable[int], piles: Piles, which: Focus) -> int | None:
    """The touched slot that a hint points at: the newest, or oldest, that may be playable and is not known to be."""
    masks = list(hand)
    open_slots = [slot for slot in touched if maybe(masks[slot], piles.playable)]
    return (max if which == "newest" else min)(open_slots, default=None)


def is_dump(hint: Hint, giver: int, players: int, tokens: int, touched: Sequence[int]) -> bool:
    """Whether a hint only spends a token: a rank, with all tokens there, to the player on the giver's right, touching
    his oldest card. It points at nothing."""
    return tokens == MAX_TOKENS and hint.to == (giver - 1) % players and isinstance(hint, HintRank) and 0 in touched


def warned(hint: Hint, hand: Sequence[Mask], piles: Piles, touched: Sequence[int], owner: Convention) -> int | None:
    """The slot that a hint to the next player warns of: the one he would discard next, when its rank may be critical.

    `hand`: what everybody knew before the hint.
    """
    slot = next_discard(hand, piles, owner)
    if slot is None or not isinstance(hint, HintRank) or slot not in touched:
        return None
    return slot if hand[slot] & OF_RANK[hint.rank] & piles.critical and maybe(hand[slot], piles.critical) else None
