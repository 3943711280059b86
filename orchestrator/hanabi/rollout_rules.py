"""The rules of the table on plain integers, for rollouts: in microseconds where numba compiles them.

For speed, this module states again what `referee` has by HLE. Tests hold it to the original move by move. What the
players of a rollout know and do is in the packages of the conventions.

A game is a flat sequence of integers: a list, or an array where numba is installed (the extra `fast`), which changes
the speed and nothing else. A card is its index in CARDS; a set of cards is a mask; a move is the number that `code`
gives; NONE stands for no slot, no move and no convention.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from hanabi_orchestrator.orchestrator import spare_memory
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COPIES_OF,
    MAX_TOKENS,
    OF_COLOUR,
    OF_RANK,
)

COMPILED = find_spec("numba") is not None
if COMPILED:
    spare_memory.require()
    from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
Game = Any
"""SIZE integers: a list, or an array of int64."""


def compiled(function: F) -> F:
    """Have numba compile a function where it is installed, and keep what it compiled beside the source if it can."""
    if not COMPILED:
        return function
    try:
        return cast(F, njit(cache=True)(function))
    except RuntimeError:  # neither the folder nor the home can be written to
        return cast(F, njit(function))


# Where the numbers of a game stand

PLAYERS, SEAT, TOKENS, LIVES, TURNS_LEFT, DECK, PLAYABLE, DEAD, CRITICAL = range(9)
"""TURNS_LEFT: NONE while the deck has cards. DECK: the number of its cards. The last three are sets of cards."""
TOPS = 9
"""The highest rank played of each colour, 0-5."""
COUNTS = 14
"""Of each card, how many copies are played or discarded."""
SIZES = 39
"""The number of cards in each hand."""
HANDS = 44
COMMON = 69
LITERAL = 94
"""Of five slots a seat: the card; the types that everybody can tell it to be; those that hints alone leave."""
PILE = 119
"""The deck, whose last card is drawn first."""
KNOWLEDGE = 169
"""From here on, what else the players of a convention know, and room to reckon in."""
SIZE = 259

NONE = -1
PLAY = 0
DISCARD = 1
HINT = 2
FIRST_RANK = 5
"""The number of the first rank hint; the colours come before."""
TYPES = (*OF_COLOUR.values(), *OF_RANK.values())
"""The types that each hint names."""


@compiled
def code(kind: int, slot: int, to: int) -> int:
    """Return the number of a move. `slot`: of the own hand; for a hint, its number in TYPES. `to`: its receiver."""
    return kind << 8 | slot << 4 | to


@compiled
def bits(mask: int) -> int:
    """Return how many types a set has (numba knows no `int.bit_count`)."""
    mask = mask - ((mask >> 1) & 0x55555555)
    mask = (mask & 0x33333333) + ((mask >> 2) & 0x33333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F
    return ((mask * 0x01010101) >> 24) & 0xFF


@compiled
def piles(game: Game) -> None:
    """Note which types are playable, dead and critical by the piles."""
    playable = dead = critical = 0
    for colour in range(5):
        first = 5 * colour
        top = game[TOPS + colour]
        dead |= ((1 << top) - 1) << first
        for index in range(first + top, first + 5):
            copies = COPIES_OF[index] - game[COUNTS + index]
            if copies == 0:
                dead |= (1 << (first + 5)) - (1 << index)
                break
            if copies == 1:
                critical |= 1 << index
        if top < 5:
            playable |= 1 << (first + top)
    game[PLAYABLE], game[DEAD], game[CRITICAL] = playable, dead, critical


@compiled
def score(game: Game) -> int:
    total = 0
    for colour in range(5):
        total += game[TOPS + colour]
    return total


@compiled
def over(game: Game) -> bool:
    return bool(game[LIVES] == 0 or game[TURNS_LEFT] == 0 or score(game) == 25)


@compiled
def spend(game: Game, kind: int, slot: int) -> None:
    """Take a card out of the hand of the player to move, and draw another."""
    seat = game[SEAT]
    base = 5 * seat
    size = game[SIZES + seat]
    card = game[HANDS + base + slot]
    for later in range(base + slot, base + size - 1):
        game[HANDS + later] = game[HANDS + later + 1]
        game[COMMON + later] = game[COMMON + later + 1]
        game[LITERAL + later] = game[LITERAL + later + 1]
    game[COUNTS + card] += 1
    back = kind == DISCARD
    if kind == PLAY:
        if game[PLAYABLE] >> card & 1:
            game[TOPS + card // 5] += 1
            back = card % 5 == 4
        else:
            game[LIVES] -= 1
    if back and game[TOKENS] < MAX_TOKENS:
        game[TOKENS] += 1
    if game[DECK]:
        game[DECK] -= 1
        last = base + size - 1
        game[HANDS + last] = game[PILE + game[DECK]]
        game[COMMON + last] = game[LITERAL + last] = ANY
    else:
        game[SIZES + seat] = size - 1
    piles(game)


@compiled
def name(game: Game, hint: int, to: int) -> None:
    """Note what a hint says literally of a hand, and spend its token."""
    for at in range(5 * to, 5 * to + game[SIZES + to]):
        game[LITERAL + at] &= TYPES[hint] if TYPES[hint] >> game[HANDS + at] & 1 else ~TYPES[hint]
    game[TOKENS] -= 1


@compiled
def pass_turn(game: Game, last: bool) -> None:
    """Have the next player move. `last`: whether the deck was empty before the move."""
    players = game[PLAYERS]
    if last:
        game[TURNS_LEFT] = (players if game[TURNS_LEFT] == NONE else game[TURNS_LEFT]) - 1
    elif game[DECK] == 0:
        game[TURNS_LEFT] = players
    game[SEAT] = (game[SEAT] + 1) % players
