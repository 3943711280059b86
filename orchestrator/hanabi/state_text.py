"""HLE's text of a state, as the engine writes it, with every hand and what hints said of each card:

Life tokens: 3
Info tokens: 7
Fireworks: R0 Y0 G0 W0 B1
Hands:
R1 || XX|RYGWB12345
...
-----
Cur player
Y3 || X3|RYGWB3
...
Deck size: 39
Discards: W4
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, Card, Colour, Fireworks
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge

HeldCards = tuple[tuple[Card, ...], tuple[Knowledge, ...]]
"""The cards of a hand, and what hints said of each."""


@dataclass(frozen=True)
class Table:
    """What lies on the table and what everybody holds."""

    lives: int
    tokens: int
    fireworks: Fireworks
    hands: tuple[tuple[Card, ...], ...]
    """By seat; slot 0 is the oldest card."""
    knowledge: tuple[tuple[Knowledge, ...], ...]
    """By seat and slot."""
    deck_size: int
    discards: tuple[Card, ...]


def read_table(text: str) -> Table:
    """Return the table in the engine's own text of a state."""
    piles, _, below = text.partition("\nHands:\n")
    hand_texts, _, below = below.partition("Deck size: ")
    deck_size, _, discards = below.partition("\nDiscards:")
    lives, tokens, fireworks = (line.partition(": ")[2] for line in piles.split("\n"))
    hands = [_hand(hand_text) for hand_text in hand_texts.split("-----\n")]
    return Table(
        lives=int(lives),
        tokens=int(tokens),
        fireworks=_fireworks(fireworks),
        hands=tuple([cards for cards, _ in hands]),
        knowledge=tuple([knowledge for _, knowledge in hands]),
        deck_size=int(deck_size),
        discards=_cards(discards),
    )


@cache
def _fireworks(text: str) -> Fireworks:
    red, yellow, green, white, blue = (int(pile[1:]) for pile in text.split())
    return red, yellow, green, white, blue


@lru_cache(maxsize=4096)  # most hands are as they were a turn before
def _hand(text: str) -> HeldCards:
    cards = []
    knowledge = []
    for line in text.removeprefix("Cur player\n").splitlines():
        card, _, hints = line.partition(" || ")
        cards.append(Card(card))
        knowledge.append(card_knowledge(hints))
    return tuple(cards), tuple(knowledge)


@lru_cache(maxsize=4096)
def _cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


@cache
def card_knowledge(text: str) -> Knowledge:
    """Return what hints say of a card, of HLE's text such as `X1|YWB1`: the hinted colour and rank, X for none, then
    the colours and ranks still possible."""
    hinted, possible = text.split("|")
    colours: tuple[Colour, ...] = tuple(c for c in COLOURS if c in possible)
    return Knowledge(
        colour=next((c for c in COLOURS if c == hinted[0]), None),
        rank=int(hinted[1]) if hinted[1] != "X" else None,
        colours=colours,
        ranks=tuple(int(char) for char in possible if char.isdigit()),
    )
