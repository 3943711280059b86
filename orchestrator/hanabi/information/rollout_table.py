"""What players know who all keep the code, on plain integers, for rollouts; the rules are in `rollout_rules`.

For speed, this module and `rollout_play` state again what `code`, `table` and `policy` state on typed values. Tests
hold them to the originals move by move. All hands lie open, so the number that encodes each is what its owner decodes:
hints are taken to stand for the right number.
"""

from hanabi_orchestrator.orchestrator.hanabi.cards import COPIES_OF, OF_COLOUR, OF_RANK
from hanabi_orchestrator.orchestrator.hanabi.information.code import NEAR, TESTED
from hanabi_orchestrator.orchestrator.hanabi.rollout_rules import (
    COMMON,
    COUNTS,
    DEAD,
    DECK,
    DISCARD,
    HANDS,
    HINT,
    KNOWLEDGE,
    LITERAL,
    PLAYABLE,
    PLAYERS,
    SEAT,
    SIZES,
    TOKENS,
    Game,
    bits,
    compiled,
    name,
    pass_turn,
    spend,
)

POOL = KNOWLEDGE
"""The copies whose place is not common knowledge, as three layers: see `code.Pool`."""
OWN_POOL = POOL + 3
"""The same for the player to move, who sees the others' hands."""
MASKS = OWN_POOL + 3
"""What the player to move can tell their cards to be."""
READING = MASKS + 5
"""Room for all hands as a number leaves them."""
PLAYS = READING + 25
DEADS = READING + 30
"""Room for P(playable) and P(dead) of each slot of a hand, of UNIT."""
KEPT = READING + 35
"""Room for COMMON and POOL."""
UNIT = 1_000_000
COLOURS = tuple(OF_COLOUR.values())
RANKS = tuple(OF_RANK.values())


@compiled
def single(types: int) -> bool:
    return not types & (types - 1)


# Copies whose place is unknown


@compiled
def weigh(game: Game, pool: int, types: int) -> int:
    """See `code.Pool.weigh`. `pool`: where its layers stand."""
    return bits(game[pool] & types) + bits(game[pool + 1] & types) + bits(game[pool + 2] & types)


@compiled
def chance(game: Game, pool: int, possible: int, types: int) -> int:
    """See `code.Pool.chance`; of UNIT."""
    if not possible & types:
        return 0
    if not possible & ~types:
        return UNIT
    return weigh(game, pool, possible & types) * UNIT // max(weigh(game, pool, possible), 1)


@compiled
def unplace(game: Game, pool: int) -> None:
    """Lay out the copies that are in no pile."""
    layer0 = layer1 = layer2 = 0
    for index in range(25):
        copies = COPIES_OF[index] - game[COUNTS + index]
        layer0 |= (copies > 0) << index
        layer1 |= (copies > 1) << index
        layer2 |= (copies > 2) << index
    game[pool], game[pool + 1], game[pool + 2] = layer0, layer1, layer2


@compiled
def place(game: Game, pool: int, types: int) -> None:
    """See `code.Pool.less`."""
    layer = 2 if game[pool + 2] & types else 1 if game[pool + 1] & types else 0
    game[pool + layer] &= ~types


@compiled
def settle(game: Game, at: int, first: int, last: int, pool: int) -> None:
    """See `code.settle`. `at`: where the hands of the seats `first` to `last` stand."""
    layer0 = game[pool]
    layer1 = game[pool + 1]
    layer2 = game[pool + 2]
    changed = True
    while changed:
        changed = False
        game[pool], game[pool + 1], game[pool + 2] = layer0, layer1, layer2
        for seat in range(first, last + 1):
            hand = at + 5 * (seat - first)
            for slot in range(game[SIZES + seat]):
                if single(game[hand + slot]):
                    place(game, pool, game[hand + slot])
        available = game[pool]
        for seat in range(first, last + 1):
            hand = at + 5 * (seat - first)
            for slot in range(game[SIZES + seat]):
                types = game[hand + slot]
                if not single(types) and types & ~available and types & available:
                    game[hand + slot] = types & available
                    changed = True


@compiled
def note(game: Game) -> None:
    """See `HatTable._with`."""
    for seat in range(game[PLAYERS]):
        for at in range(5 * seat, 5 * seat + game[SIZES + seat]):
            types = game[COMMON + at] & game[LITERAL + at]
            game[COMMON + at] = types if types else game[LITERAL + at]
    unplace(game, POOL)
    settle(game, COMMON, 0, game[PLAYERS] - 1, POOL)


# The numbers of hands


@compiled
def following(game: Game, values: int, size: int, after: int) -> int:
    """Return the slot with the next greater value, then slot, than that of `after` (-1: the least); -1 for none. Only
    values that are neither 0 nor UNIT count."""
    best = -1
    for slot in range(size):
        value = game[values + slot]
        later = (
            after < 0
            or value > game[values + after]
            or (value == game[values + after] and slot > after)
        )
        if 0 < value < UNIT and later and (best < 0 or value < game[values + best]):
            best = slot
    return best


@compiled
def open_slots(game: Game, values: int, size: int) -> int:
    number = 0
    for slot in range(size):
        number += 0 < game[values + slot] < UNIT
    return number


@compiled
def is_sure(game: Game, values: int, size: int) -> bool:
    sure = False
    for slot in range(size):
        sure = sure or game[values + slot] == UNIT
    return sure


@compiled
def first_that_is(game: Game, seat: int, most: int, fits: bool) -> tuple[int, int]:
    """See `code._first_that_is`; the number of answers and the true one, which READING then holds."""
    hand = READING + 5 * seat
    cards = HANDS + 5 * seat
    size = game[SIZES + seat]
    plays = min(open_slots(game, PLAYS, size), most - 1)
    deads = (
        0 if is_sure(game, DEADS, size) else min(open_slots(game, DEADS, size), most - 1 - plays)
    )
    if plays + deads == 0:
        return 0, 0
    number = 0
    for kind in range(2):
        values, types, count = (
            (PLAYS, game[PLAYABLE], plays) if kind == 0 else (DEADS, game[DEAD], deads)
        )
        slot = -1
        skipped = open_slots(game, values, size) - count
        for item in range(skipped + count if count else 0):
            slot = following(game, values, size, slot)
            if item < skipped:
                continue
            if not fits or types >> game[cards + slot] & 1:
                game[hand + slot] &= types
                return plays + deads + 1, number
            game[hand + slot] &= ~types
            number += 1
    return plays + deads + 1, number


@compiled
def tested(game: Game, seat: int, fits: bool) -> tuple[int, int]:
    """See the middle of `code.ask`."""
    hand = READING + 5 * seat
    best = -1
    nearest = NEAR
    for slot in range(game[SIZES + seat]):
        distance = abs(game[PLAYS + slot] / UNIT - TESTED)
        if distance < nearest:
            best = slot
            nearest = distance
    if best < 0:
        return 0, 0
    yes = 1 if fits and game[PLAYABLE] >> game[HANDS + 5 * seat + best] & 1 else 0
    game[hand + best] &= game[PLAYABLE] if yes else ~game[PLAYABLE]
    return 2, yes


@compiled
def which(game: Game, seat: int, most: int, fits: bool) -> tuple[int, int]:
    """See `code._which`."""
    hand = READING + 5 * seat
    dead = game[DEAD]
    best = -1
    least = UNIT + 1
    for slot in range(game[SIZES + seat]):
        types = game[hand + slot]
        if not single(types) and types & ~dead:
            value = chance(game, POOL, types, dead)
            if value < least:
                best = slot
                least = value
    if best < 0:
        return 0, 0
    card = game[HANDS + 5 * seat + best]
    lost = game[hand + best] & dead
    alive = game[hand + best] & ~dead
    parts = min(most - (lost != 0), bits(alive))
    answer = bits(alive & ((1 << card) - 1)) % parts if fits else 0
    part = 0
    number = 0
    for index in range(25):
        if alive >> index & 1:
            part |= (number % parts == answer) << index
            number += 1
    if fits and lost >> card & 1:
        answer = parts
        part = lost
    game[hand + best] = part
    return parts + (lost != 0), answer


@compiled
def share(game: Game, seat: int, size: int) -> int:
    """Return the number below `size` that encodes a hand, and leave in READING what is known of the hand after it."""
    number = 0
    scale = 1
    slots = game[SIZES + seat]
    hand = READING + 5 * seat
    cards = HANDS + 5 * seat
    fits = True
    for slot in range(slots):
        game[hand + slot] = game[COMMON + 5 * seat + slot]
        fits = fits and bool(game[hand + slot] >> game[cards + slot] & 1)
    while True:
        most = (size - 1 - number) // scale + 1
        if most <= 1:
            return number
        for slot in range(slots):
            game[PLAYS + slot] = chance(game, POOL, game[hand + slot], game[PLAYABLE])
            game[DEADS + slot] = chance(game, POOL, game[hand + slot], game[DEAD])
        answers, answer = (
            tested(game, seat, fits)
            if is_sure(game, PLAYS, slots)
            else (first_that_is(game, seat, most, fits))
        )
        if answers == 0:
            answers, answer = which(game, seat, most, fits)
        if answers == 0:
            return number
        number += scale * answer
        scale *= answers


@compiled
def shares(game: Game, giver: int, size: int) -> int:
    """Return the sum of the shares of all hands but the giver's, modulo `size`, and leave all hands in READING."""
    total = 0
    for slot in range(game[SIZES + giver]):
        game[READING + 5 * giver + slot] = game[COMMON + 5 * giver + slot]
    for other in range(game[PLAYERS]):
        if other != giver:
            total += share(game, other, size)
    return total % size


@compiled
def learn(game: Game) -> None:
    """Note what READING holds."""
    for at in range(25):
        game[COMMON + at] = game[READING + at]
    note(game)


# Hints as numbers, useless cards


@compiled
def hint_size(game: Game, seat: int) -> int:
    """See `HatTable.sizes`."""
    for number in range(10):
        named = COLOURS[number] if number < 5 else RANKS[number - 5]
        shared = True
        for slot in range(game[SIZES + seat]):
            shared = shared and game[COMMON + 5 * seat + slot] & named != 0
        if shared:
            return 3
    return 4


@compiled
def total_size(game: Game, giver: int) -> int:
    total = 0
    for seat in range(game[PLAYERS]):
        if seat != giver:
            total += hint_size(game, seat)
    return total


@compiled
def is_useless(game: Game, hand: int, slot: int) -> bool:
    """See `HatTable.useless`. `hand`: where what is known of the cards stands."""
    types = game[hand + slot]
    if not types & ~game[DEAD]:
        return True
    if single(types):
        for older in range(slot):
            if game[hand + older] == types:
                return True
    return False


@compiled
def useless(game: Game, hand: int, size: int) -> int:
    number = 0
    for slot in range(size):
        number += is_useless(game, hand, slot)
    return number


@compiled
def waits(game: Game, seat: int) -> bool:
    """See `HatTable.waits`."""
    sure = False
    for slot in range(game[SIZES + seat]):
        sure = sure or not game[COMMON + 5 * seat + slot] & ~game[PLAYABLE]
    return not sure


@compiled
def nobody_waits(game: Game, giver: int) -> None:
    """See `HatTable.nobody_waits`."""
    for seat in range(game[PLAYERS]):
        if seat != giver and waits(game, seat):
            for slot in range(game[SIZES + seat]):
                game[COMMON + 5 * seat + slot] &= ~game[PLAYABLE]
    note(game)


# After a move


@compiled
def apply(game: Game, move: int) -> None:
    """See `HatTable.after`."""
    kind = move >> 8
    slot = move >> 4 & 15
    to = move & 15
    seat = game[SEAT]
    last = game[DECK] == 0
    if kind == HINT:
        shares(game, seat, total_size(game, seat))
        name(game, slot, to)
        learn(game)
    else:
        if kind == DISCARD:
            if game[TOKENS]:
                nobody_waits(game, seat)
            number = useless(game, COMMON + 5 * seat, game[SIZES + seat])
            if number > 1 and is_useless(game, COMMON + 5 * seat, slot):
                shares(game, seat, number)
                learn(game)
        spend(game, kind, slot)
        note(game)
    pass_turn(game, last)
