"""What convention players know, on plain integers, for rollouts; the rules of the table are in `rollout_rules`.

For speed, this module and `rollout_play` state again what others state on typed values: here the folds of
`literal_knowledge` and `common_knowledge`. Tests hold both to the originals move by move.
"""

from hanabi_orchestrator.orchestrator.hanabi.cards import COPIES_OF, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.rollout_rules import (
    COMMON,
    COUNTS,
    CRITICAL,
    DEAD,
    DECK,
    DISCARD,
    FIRST_RANK,
    HANDS,
    HINT,
    KNOWLEDGE,
    LITERAL,
    NONE,
    PLAYABLE,
    PLAYERS,
    SEAT,
    SIZES,
    TOKENS,
    TYPES,
    Game,
    bits,
    compiled,
    name,
    pass_turn,
    spend,
)

HINTS = KNOWLEDGE
READS = KNOWLEDGE + 25
"""Giver by reader, five a row: the focus by which a hint is given and read: NONE literally, 0 oldest, 1 newest."""
KEEPS = READS + 25
"""Of each seat: bit 0 if it gives hints by a convention, bit 1 if it gives or reads them by one, bit 2 if it waits."""
READING = KEEPS + 5
MASKS = KEEPS + 10
COPIES = KEEPS + 15
"""Room for a hand after a hint, for the types that the own cards may be, and for a count of each card."""


@compiled
def next_discard(game: Game, seat: int) -> int:
    """See `hint_convention.next_discard`."""
    playable = game[PLAYABLE]
    dead = game[DEAD]
    critical = game[CRITICAL]
    best = NONE
    most = -1.0
    for slot in range(game[SIZES + seat]):
        mask = game[COMMON + 5 * seat + slot]
        if not mask & ~playable or not mask & ~dead:
            return NONE
        if mask & ~critical:
            share = bits(mask & dead) / bits(mask)
            if share > most:
                best = slot
                most = share
    return best


@compiled
def focus(game: Game, seat: int, touched: int, newest: int) -> int:
    """See `hint_convention.focus`, of the hand of `seat` in READING. `touched`: a set of slots."""
    playable = game[PLAYABLE]
    best = NONE
    for slot in range(game[SIZES + seat]):
        if (
            touched >> slot & 1
            and game[READING + slot] & playable
            and game[READING + slot] & ~playable
        ):
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
    touched = 0
    plays = False
    fit = True
    for slot in range(game[SIZES + to]):
        old = game[COMMON + 5 * to + slot]
        card = game[HANDS + 5 * to + slot]
        types = TYPES[hint]
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
def read_hint(
    game: Game, giver: int, to: int, hint: int, going: int
) -> tuple[int, int, bool, bool]:
    """Read a hint as `CommonKnowledge.read_hint` does, and leave the hand as everybody then knows it in READING.

    `going`: the slot that the receiver would discard next. Returns the slot that the giver points at, the types that
    the hint says it has, whether it warns, and whether it makes cards known to be playable literally that all fit.
    """
    touched, plays, fit = narrow(game, to, hint)
    hints = game[HINTS + 5 * giver + to]
    reads = game[READS + 5 * giver + to]
    critical = game[CRITICAL]
    players = game[PLAYERS]
    by_rank = hint >= FIRST_RANK
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
    cards = 0
    full = 0
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
def sure(game: Game, seat: int) -> bool:
    """See `CommonKnowledge.takes_for_playable`."""
    certain = False
    for slot in range(game[SIZES + seat]):
        certain = certain or not game[COMMON + 5 * seat + slot] & ~game[PLAYABLE]
    return certain


@compiled
def may_wait(game: Game) -> bool:
    """See `CommonKnowledge.may_wait`, of the player to move."""
    seat = game[SEAT]
    following = (seat + 1) % game[PLAYERS]
    both_wait = game[KEEPS + seat] & game[KEEPS + following] & 4
    return bool(both_wait and game[TOKENS] == 0 and game[DECK] and sure(game, seat))


@compiled
def silence(game: Game, kind: int, to: int) -> None:
    """See `CommonKnowledge._silence`."""
    seat = game[SEAT]
    critical = game[CRITICAL]
    following = (seat + 1) % game[PLAYERS]
    if game[DECK] == 0 or (kind == HINT and to == following):
        return
    if game[READS + 5 * seat + following] == NONE or not game[KEEPS + seat] & 1:
        return
    types = ~critical
    if game[TOKENS] == 0:
        if not may_wait(game):
            return
        if kind == DISCARD:
            types = critical
    slot = next_discard(game, following)
    if slot != NONE:
        at = COMMON + 5 * following + slot
        if game[at] & critical and game[at] & types:
            game[at] &= types


@compiled
def apply(game: Game, move: int) -> None:
    """Make a move, and note what everybody learns from it."""
    kind = move >> 8
    slot = move >> 4 & 15
    to = move & 15
    seat = game[SEAT]
    last = game[DECK] == 0
    silence(game, kind, to)
    if kind == HINT:
        read_hint(game, seat, to, slot, next_discard(game, to))
        name(game, slot, to)
        for each in range(game[SIZES + to]):
            game[COMMON + 5 * to + each] = game[READING + each]
    else:
        spend(game, kind, slot)
    count(game)
    pass_turn(game, last)


@compiled
def misleads(start: Game, move: int, game: Game) -> bool:
    """Return whether a move makes everybody rule out what a card of somebody else is, which nobody did before."""
    seat = start[SEAT]
    game[:] = start
    apply(game, move)
    for other in range(start[PLAYERS]):
        for at in range(5 * other, 5 * other + start[SIZES + other]):
            card = start[HANDS + at]
            if (
                other != seat
                and start[COMMON + at] >> card & 1
                and not game[COMMON + at] >> card & 1
            ):
                return True
    return False
