"""A convention player on plain integers, and what a search asks of a rollout; see `rollout_table`.

The steps are those of `house` beside partners who keep to the conventions (`policy.HOUSE_STEPS`). One thing is coarser:
a player's belief about the own hand is computed slot by slot and not jointly.
"""

from hanabi_orchestrator.orchestrator.hanabi.cards import COPIES_OF, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    BUSY,
    GAMBLES,
    PER_TURN,
    SPARE_TOKENS,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout_table import (
    COPIES,
    KEEPS,
    MASKS,
    READING,
    apply,
    may_wait,
    next_discard,
    read_hint,
    sure,
)
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
    LITERAL,
    LIVES,
    NONE,
    PLAY,
    PLAYABLE,
    PLAYERS,
    SEAT,
    SIZES,
    TOKENS,
    TURNS_LEFT,
    TYPES,
    Game,
    bits,
    code,
    compiled,
    over,
    score,
)

RISKED = (NONE, NONE, GAMBLES[2], GAMBLES[3])
"""By lives left: the most cards in the deck at which a likely play is risked; never on the last life."""


@compiled
def own_masks(game: Game) -> None:
    """Leave in MASKS the types that each card of the player to move may be, given the others' hands."""
    seat = game[SEAT]
    players = game[PLAYERS]
    unseen = 0
    for index in range(25):
        game[COPIES + index] = game[COUNTS + index]
    for other in range(players):
        if other != seat:
            for slot in range(game[SIZES + other]):
                game[COPIES + game[HANDS + 5 * other + slot]] += 1
    for index in range(25):
        if game[COPIES + index] < COPIES_OF[index]:
            unseen |= 1 << index
    for slot in range(game[SIZES + seat]):
        mask = game[COMMON + 5 * seat + slot]
        literal = game[LITERAL + 5 * seat + slot]
        if mask & unseen:
            game[MASKS + slot] = mask & unseen
        elif literal & unseen:
            game[MASKS + slot] = literal & unseen
        else:
            game[MASKS + slot] = mask


@compiled
def lowest(mask: int) -> int:
    """Return the lowest rank of a set, less one."""
    for rank in range(5):
        if mask & TYPES[FIRST_RANK + rank]:
            return rank
    return 0


@compiled
def is_late(game: Game, to: int, slot: int) -> bool:
    """Return whether a copy of a card will be played before, see `HintEffect.late`. MASKS must stand."""
    seat = game[SEAT]
    card = game[HANDS + 5 * to + slot]
    if not game[KEEPS + seat] & 4:
        return False
    for place in range(game[SIZES + seat]):
        if game[MASKS + place] == 1 << card:
            return True
    for holder in range(game[PLAYERS]):
        if holder == seat:
            continue
        for place in range(game[SIZES + holder]):
            at = 5 * holder + place
            elsewhere = holder != to or place != slot
            if elsewhere and game[HANDS + at] == card and not game[COMMON + at] & ~game[PLAYABLE]:
                return True
    return False


@compiled
def learns(game: Game, to: int) -> bool:
    """Return whether the hint in READING makes a card known to be playable that will not be late. MASKS must stand."""
    playable = game[PLAYABLE]
    for slot in range(game[SIZES + to]):
        old = game[COMMON + 5 * to + slot]
        new = game[READING + slot]
        certain = new and not new & ~playable and old & ~playable and old & playable
        if certain and not is_late(game, to, slot):
            return True
    return False


@compiled
def helping(game: Game, to: int) -> tuple[int, int]:
    """Return how many types the best helping hint rules out, and that hint: one that makes its receiver play a card
    that fits. MASKS must stand."""
    best = NONE
    most = NONE
    going = next_discard(game, to)
    fitting = 0
    seat = game[SEAT]
    size = game[SIZES + to]
    for slot in range(size):
        card = game[HANDS + 5 * to + slot]
        fitting |= 1 << card // 5 | 1 << FIRST_RANK + card % 5
    for hint in range(10):
        if not fitting >> hint & 1:
            continue
        slot, types, warns, plays = read_hint(game, seat, to, hint, going)
        if slot == NONE:
            helps = plays and learns(game, to)
        else:
            helps = (
                not warns
                and bool(types >> game[HANDS + 5 * to + slot] & 1)
                and not is_late(game, to, slot)
            )
        if helps:
            removed = 0
            for each in range(size):
                removed += bits(game[COMMON + 5 * to + each] & ~game[READING + each])
            if removed > most:
                best = code(HINT, hint, to)
                most = removed
    return most, best


@compiled
def in_danger(game: Game) -> int:
    """Return the slot of a critical card that the next player is about to discard."""
    following = (game[SEAT] + 1) % game[PLAYERS]
    if game[DECK] == 0 or not game[KEEPS + following] & 2:
        return NONE
    slot = next_discard(game, following)
    if slot != NONE and game[CRITICAL] >> game[HANDS + 5 * following + slot] & 1:
        return slot
    return NONE


@compiled
def chance(game: Game, mask: int, types: int) -> float:
    """P(a card of the hand of the player to move is one of `types`)."""
    seat = game[SEAT]
    players = game[PLAYERS]
    for index in range(25):
        game[COPIES + index] = COPIES_OF[index] - game[COUNTS + index]
    for other in range(players):
        if other != seat:
            for slot in range(game[SIZES + other]):
                game[COPIES + game[HANDS + 5 * other + slot]] -= 1
    every = fitting = 0
    for index in range(25):
        if mask >> index & 1:
            every += game[COPIES + index]
            if types >> index & 1:
                fitting += game[COPIES + index]
    return fitting / every if every else 0.0


@compiled
def save(game: Game) -> int:
    """See `policy.save`."""
    slot = in_danger(game) if game[TOKENS] else NONE
    if slot == NONE:
        return NONE
    following = (game[SEAT] + 1) % game[PLAYERS]
    _, best = helping(game, following)
    return (
        best
        if best != NONE
        else code(HINT, FIRST_RANK + game[HANDS + 5 * following + slot] % 5, following)
    )


@compiled
def wait(game: Game) -> int:
    """See `policy.wait`. MASKS must stand."""
    return spare(game) if may_wait(game) and in_danger(game) != NONE else NONE


@compiled
def play(game: Game) -> int:
    """See `policy.play`. MASKS must stand."""
    best = NONE
    least = 1000
    playable = game[PLAYABLE]
    base = COMMON + 5 * game[SEAT]
    for slot in range(game[SIZES + game[SEAT]]):
        if not game[MASKS + slot] & ~playable:
            key = (
                (0 if game[base + slot] & ~playable else 100)
                + 10 * lowest(game[MASKS + slot])
                + slot
            )
            if key < least:
                best = slot
                least = key
    return NONE if best == NONE else code(PLAY, best, 0)


@compiled
def help(game: Game) -> int:
    """See `policy.help`."""
    best = NONE
    most = -1000
    players = game[PLAYERS]
    turns = players if game[TURNS_LEFT] == NONE else game[TURNS_LEFT]
    for step in range(1, turns if game[TOKENS] else 0):
        to = (game[SEAT] + step) % players
        removed, hint = helping(game, to)
        value = removed
        if game[KEEPS + game[SEAT]] & 4:
            value -= PER_TURN * (step - 1) + (BUSY if sure(game, to) else 0)
        if hint != NONE and value > most:
            best = hint
            most = value
    return best


@compiled
def help_first(game: Game) -> int:
    """See `policy.help_first`."""
    if game[PLAYERS] != 2 or game[DECK] == 0 or game[TOKENS] < SPARE_TOKENS:
        return NONE
    partner = 1 - game[SEAT]
    if sure(game, partner):
        return NONE
    _, hint = helping(game, partner)
    return hint


@compiled
def gamble(game: Game) -> int:
    """See `policy.gamble`. MASKS must stand."""
    if game[DECK] > RISKED[game[LIVES]]:
        return NONE
    best = NONE
    likeliest = 0.0
    for slot in range(game[SIZES + game[SEAT]]):
        likely = chance(game, game[MASKS + slot], game[PLAYABLE])
        if likely > likeliest:
            best = slot
            likeliest = likely
    return NONE if best == NONE else code(PLAY, best, 0)


@compiled
def decide(game: Game) -> int:
    """Return the move of a convention player, see `policy.decide`: that of the first step that has one."""
    own_masks(game)
    move = save(game)
    if move == NONE:
        move = wait(game)
    if move == NONE:
        move = help_first(game)
    if move == NONE:
        move = play(game)
    if move == NONE:
        move = help(game)
    if move == NONE:
        move = gamble(game)
    return spare(game) if move == NONE else move


@compiled
def spare(game: Game) -> int:
    """Return a hint that says nothing while no card may be discarded, else the discard that costs least. MASKS must
    stand."""
    seat = game[SEAT]
    players = game[PLAYERS]
    dead = game[DEAD]
    size = game[SIZES + seat]
    if game[TOKENS] == MAX_TOKENS:
        right = (seat - 1) % players
        return code(HINT, FIRST_RANK + game[HANDS + 5 * right] % 5, right)
    best = NONE
    least = 1000
    for slot in range(size):
        if not game[MASKS + slot] & ~dead:
            key = (0 if game[COMMON + 5 * seat + slot] & ~dead else 100) + slot
            if key < least:
                best = slot
                least = key
    if best == NONE:
        best = next_discard(game, seat)
        if best != NONE and is_kept(game, best):
            best = NONE
    return code(DISCARD, least_lost(game) if best == NONE else best, 0)


@compiled
def is_kept(game: Game, slot: int) -> bool:
    """See `policy.is_kept`. MASKS must stand."""
    mask = game[MASKS + slot]
    return not mask & ~game[CRITICAL] or not mask & ~game[PLAYABLE]


@compiled
def least_lost(game: Game) -> int:
    """Return the own slot that is likeliest not critical, what is to be kept last. MASKS must stand."""
    best = NONE
    risk = 20.0
    rank = -1
    for slot in range(game[SIZES + game[SEAT]]):
        lost = chance(game, game[MASKS + slot], game[CRITICAL])
        low = lowest(game[MASKS + slot])
        if is_kept(game, slot):
            lost += 10.0
        if lost < risk or (lost == risk and low > rank):
            best = slot
            risk = lost
            rank = low
    return best


@compiled
def finish(game: Game) -> int:
    """Play to the end; returns the score, 0 once the lives are lost."""
    while not over(game):
        apply(game, decide(game))
    return score(game) if game[LIVES] else 0


# What a search asks


@compiled
def outcome(start: Game, move: int, game: Game) -> int:
    """Return the score of a game from `start` after a move. `game`: room for the game."""
    game[:] = start
    apply(game, move)
    return finish(game)


@compiled
def surprises(
    turns: Game, moves: Game, places: Game, seat: int, hand: Game, most: int, game: Game
) -> int:
    """Return how many past moves of partners a convention player would not have made beside an imagined hand.

    `turns`: the game before each of these moves; `moves`: what was done; `places`: turn by turn, for five slots of the
    seat, the slot in which the same card lies now, or NONE. `hand`: its imagined cards, five numbers. `most`: the count
    stops above it. `game`: room for a game.
    """
    number = 0
    for turn in range(len(moves)):
        game[:] = turns[turn]
        for slot in range(5):
            place = places[turn][slot]
            if place != NONE:
                game[HANDS + 5 * seat + slot] = hand[place]
        if decide(game) != moves[turn]:
            number += 1
            if number > most:
                break
    return number
