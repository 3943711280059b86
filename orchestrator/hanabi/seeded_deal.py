"""The deck of a seed: that which HLE deals on Linux, worked out in Python.

HLE draws each card by its share of the deck with a Mersenne twister and `std::discrete_distribution`, which every C++
library writes in its own way: by HLE itself, a seed is another deal on another system. Here it is the one of GNU's
library (libstdc++) everywhere.
"""

from bisect import bisect_left
from itertools import accumulate
from random import Random

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, COPIES_OF, DECK_SIZE, Card

_WORDS = 624
"""Length of the generator's state."""
_BELOW_ONE = 1 - 2**-53


def seeded_deck(seed: int) -> tuple[Card, ...]:
    """Return HLE's deck of a seed, 0 to 2^31 - 1; the card dealt first comes first."""
    generator = _twister(seed)
    copies = list(COPIES_OF)
    deck = []
    for cards_left in range(DECK_SIZE, 0, -1):
        types = [number for number, count in enumerate(copies) if count]
        shares = [copies[number] / cards_left for number in types]
        card_type = types[_draw(generator, shares)]
        copies[card_type] -= 1
        deck.append(CARDS[card_type])
    return tuple(deck)


def _twister(seed: int) -> Random:
    """Return the Mersenne twister that C++ seeds with a number; Python's own seeding is another."""
    words = [seed]
    for place in range(1, _WORDS):
        mixed = words[-1] ^ words[-1] >> 30
        words.append((1812433253 * mixed + place) & 0xFFFFFFFF)
    generator = Random()
    generator.setstate((3, (*words, _WORDS), None))
    return generator


def _draw(generator: Random, shares: list[float]) -> int:
    """Return the place that `std::discrete_distribution` draws; of one share it draws nothing."""
    if len(shares) < 2:
        return 0
    total = _sum_in_order(shares)
    bounds = list(accumulate(share / total for share in shares))
    bounds[-1] = 1.0
    return bisect_left(bounds, _fraction(generator))


def _sum_in_order(numbers: list[float]) -> float:
    """Return the sum as C++ rounds it; Python's `sum` corrects its rounding since 3.12."""
    *_, total = accumulate(numbers)
    return total


def _fraction(generator: Random) -> float:
    """Return a number from 0 to 1 as `std::generate_canonical` makes it of two words."""
    low = generator.getrandbits(32)
    high = generator.getrandbits(32)
    fraction = (low + high * 2.0**32) / 2.0**64
    return min(fraction, _BELOW_ONE)
