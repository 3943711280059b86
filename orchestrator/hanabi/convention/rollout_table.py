"""The table of a rollout on plain integers, in microseconds where numba compiles it.

For speed, this module and `rollout_play` state again what others state on typed values: here the rules of the table and
the folds of `literal_knowledge` and `common_knowledge`. Tests hold both to the originals move by move.

A game is a flat sequence of integers: a list, or an array where numba is installed (the extra `fast`), which changes
the speed and nothing else. A card is its index in CARDS; a set of cards is a mask; a move is the number that `code`
gives; NONE stands for no slot, no move and no convention.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from orchestrator.hanabi.cards import ANY, COPIES_OF, MAX_TOKENS, OF_COLOUR, OF_RANK

try:
    from numba import njit

    COMPILED = True
except ImportError:
    COMPILED = False

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
HANDS, COMMON, LITERAL = 44, 69, 94
"""Of five slots a seat: the card; the types that everybody can tell it to be; those that hints alone leave."""
HINTS, READS = 119, 144
"""Giver by reader, five a row: the focus by which a hint is given and read: NONE literally, 0 oldest, 1 newest."""
KEEPS = 169
"""Of each seat: bit 0 if it gives hints by a convention, bit 1 if it gives or reads them by one."""
PILE = 174
"""The deck, whose last card is drawn first."""
READING, MASKS, COPIES = 224, 229, 234
"""Room for a hand after a hint, for the types that the own cards may be, and for a count of each card."""
SIZE = 259

NONE = -1
PLAY, DISCARD, HINT = 0, 1, 2
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
        first, top = 5 * colour, game[TOPS + colour]
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
def next_discard(game: Game, seat: int) -> int:
    """See `hint_convention.next_discard`."""
    playable, dead, critical = game[PLAYABLE], game[DEAD], game[CRITICAL]
    best, most = NONE, -1.0
    for slot in range(game[SIZES + seat]):
        mask = game[COMMON + 5 * seat + slot]
        if not mask & ~playable or not mask & ~dead:
            return NONE
        if mask & ~critical:
            share = bits(mask & dead) / bits(mask)
            if share > most:
                best, most = slot, share
    return best


@compiled
def focus(game: Game, seat: int, touched: int, newest: int) -> int:
    """See `hint_convention.focus`, of the hand of `seat` in READING. `touched`: a set of slots."""
    playable, best = game[PLAYABLE], NONE
    for slot in range(game[SIZES + seat]):
        if touched >> slot & 1 and game[READING + slot] & playable and game[READING + slot] & ~playable:
            best = slot
            if not newest:
                return best
    return best


@compiled
def narrow(game: Game, to: int, hint: int) -> tuple[int, bool, bool]:
    """Leave in READING what the cards of a hand are by a hint alone.

    Returns the set of slots that it touches, whether it makes cards known to be playable that were not, and whether
    they all fit.
    """
    touched, plays, fit = 0, False, True
    for slot in range(game[SIZES + to]):
        old, card, types = game[COMMON + 5 * to + slot], game[HANDS + 5 * to + slot], TYPES[hint]
        if types >> card & 1:
            touched |= 1 << slot
        else:
            types = ~types
        new = old & types
        if not new:
            new = game[LITERAL + 5 * to + slot] & types
        game[READING + slot] = new
        playable = game[PLAYABLE]
        if new and not new & ~playable and old & ~playable and old & playable:
            plays = True
            if not playable >> card & 1:
                fit = False
    return touched, plays, fit


@compiled
def read_hint(game: Game, giver: int, to: int, hint: int, going: int) -> tuple[int, int, bool, bool]:
    """Read a hint as `CommonKnowledge.read_hint` does, and leave the hand as everybody then knows it in READING.

    `going`: the slot that the receiver would discard next. Returns the slot that the giver points at, the types that
    the hint says it has, whether it warns, and whether it makes cards known to be playable literally that all fit.
    """
    touched, plays, fit = narrow(game, to, hint)
    hints, reads, critical = game[HINTS + 5 * giver + to], game[READS + 5 * giver + to], game[CRITICAL]
    players, by_rank = game[PLAYERS], hint >= FIRST_RANK
    is_dump = game[TOKENS] == MAX_TOKENS and to == (giver - 1) % players and by_rank and touched & 1
    if hints == NONE or is_dump:
        return NONE, 0, False, plays and fit
    if going != NONE and touched >> going & 1 and by_rank and to == (giver + 1) % players:
        mask = game[COMMON + 5 * to + going]
        if mask & TYPES[hint] & critical and mask & ~critical:
            if reads != NONE and game[READING + going] & critical:
                game[READING + going] &= critical
            return going, critical, True, False
    if plays:
        return NONE, 0, False, fit
    meant = focus(game, to, touched, hints)
    read = NONE if reads == NONE else focus(game, to, touched, reads)
    if read != NONE:
        game[READING + read] &= game[PLAYABLE]
    return meant, game[PLAYABLE], False, False


@compiled
def located(game: Game) -> tuple[int, int]:
    """Return how many cards everybody knows, and the types of which every copy is gone or known to lie in a slot."""
    cards, full = 0, 0
    for index in range(25):
        game[COPIES + index] = game[COUNTS + index]
    for seat in range(game[PLAYERS]):
        for slot in range(game[SIZES + seat]):
            mask = game[COMMON + 5 * seat + slot]
            if mask and not mask & (mask - 1):
                cards += 1
                game[COPIES + bits(mask - 1)] += 1
    for index in range(25):
        if game[COPIES + index] >= COPIES_OF[index]:
            full |= 1 << index
    return cards, full


@compiled
def count(game: Game) -> None:
    """See `common_knowledge.counted`."""
    cards, full = located(game)
    before = NONE
    while cards != before:
        before = cards
        for seat in range(game[PLAYERS]):
            for at in range(5 * seat, 5 * seat + game[SIZES + seat]):
                mask = game[COMMON + at]
                if mask & full and mask & (mask - 1):
                    mask &= ~full
                    game[COMMON + at] = mask if mask else game[LITERAL + at]
        cards, full = located(game)


@compiled
def silence(game: Game, kind: int, to: int) -> None:
    """See `CommonKnowledge._silence`."""
    seat = game[SEAT]
    following = (seat + 1) % game[PLAYERS]
    if game[DECK] == 0 or game[TOKENS] == 0 or (kind == HINT and to == following):
        return
    if game[READS + 5 * seat + following] == NONE or not game[KEEPS + seat] & 1:
        return
    slot = next_discard(game, following)
    if slot != NONE:
        at = COMMON + 5 * following + slot
        if game[at] & ~game[CRITICAL]:
            game[at] &= ~game[CRITICAL]


@compiled
def spend(game: Game, kind: int, slot: int) -> None:
    """Take a card out of the hand of the player to move, and draw another."""
    seat = game[SEAT]
    base, size = 5 * seat, game[SIZES + seat]
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
def apply(game: Game, move: int) -> None:
    """Make a move, and note what everybody learns from it."""
    kind, slot, to = move >> 8, move >> 4 & 15, move & 15
    seat, last = game[SEAT], game[DECK] == 0
    silence(game, kind, to)
    if kind == HINT:
        read_hint(game, seat, to, slot, next_discard(game, to))
        for each in range(game[SIZES + to]):
            at = 5 * to + each
            types = TYPES[slot] if TYPES[slot] >> game[HANDS + at] & 1 else ~TYPES[slot]
            game[LITERAL + at] &= types
            game[COMMON + at] = game[READING + each]
        game[TOKENS] -= 1
    else:
        spend(game, kind, slot)
    count(game)
    players = game[PLAYERS]
    if last:
        game[TURNS_LEFT] = (players if game[TURNS_LEFT] == NONE else game[TURNS_LEFT]) - 1
    elif game[DECK] == 0:
        game[TURNS_LEFT] = players
    game[SEAT] = (seat + 1) % players


@compiled
def misleads(start: Game, move: int, game: Game) -> bool:
    """Return whether a move makes everybody rule out what a card of somebody else is, which nobody did before."""
    seat = start[SEAT]
    game[:] = start
    apply(game, move)
    for other in range(start[PLAYERS]):
        for at in range(5 * other, 5 * other + start[SIZES + other]):
            card = start[HANDS + at]
            if other != seat and start[COMMON + at] >> card & 1 and not game[COMMON + at] >> card & 1:
                return True
    return False
