"""A player who keeps the code, on plain integers, and what a search asks of a rollout; see `rollout_table`.

The steps are those of `policy.decide`.
"""

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, DECK_SIZE, HAND_SIZES, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.information.policy import PLENTY, RISK
from hanabi_orchestrator.orchestrator.hanabi.information.rollout_table import (
    KEPT,
    MASKS,
    OWN_POOL,
    POOL,
    UNIT,
    apply,
    chance,
    hint_size,
    is_useless,
    nobody_waits,
    place,
    settle,
    shares,
    total_size,
    unplace,
    useless,
    waits,
    weigh,
)
from hanabi_orchestrator.orchestrator.hanabi.rollout_rules import (
    COMMON,
    COUNTS,
    CRITICAL,
    DEAD,
    DISCARD,
    FIRST_RANK,
    HANDS,
    HINT,
    LIVES,
    NONE,
    PLAY,
    PLAYABLE,
    PLAYERS,
    SEAT,
    SIZES,
    TOKENS,
    TYPES,
    Game,
    code,
    compiled,
    over,
    score,
)

# The own hand


@compiled
def own_hand(game: Game) -> None:
    """Leave in MASKS and OWN_POOL what the player to move can tell of the own cards: see `CodePosition.own_hand`."""
    seat = game[SEAT]
    unplace(game, OWN_POOL)
    for other in range(game[PLAYERS]):
        for slot in range(game[SIZES + other] if other != seat else 0):
            place(game, OWN_POOL, 1 << game[HANDS + 5 * other + slot])
    for slot in range(game[SIZES + seat]):
        game[MASKS + slot] = game[COMMON + 5 * seat + slot]
    settle(game, MASKS, seat, seat, OWN_POOL)


@compiled
def own_chance(game: Game, slot: int, types: int) -> int:
    return chance(game, OWN_POOL, game[MASKS + slot], types)


@compiled
def is_early(game: Game) -> bool:
    """See `CodePosition.early`."""
    discards = -score(game)
    for index in range(25):
        discards += game[COUNTS + index]
    return bool(discards <= DECK_SIZE - len(CARDS) - game[PLAYERS] * SIZE_OF[game[PLAYERS]])


SIZE_OF = (0, 0, *(HAND_SIZES[players] for players in range(2, 6)))


@compiled
def in_sight(game: Game, types: int) -> int:
    """Return in how many of the others' hands such a card is."""
    number = 0
    for seat in range(game[PLAYERS]):
        held = 0
        for slot in range(game[SIZES + seat] if seat != game[SEAT] else 0):
            held |= types >> game[HANDS + 5 * seat + slot] & 1
        number += held
    return number


# Plays


@compiled
def use(game: Game, types: int) -> float:
    """Return the mean use of a card: see `CodePosition.sure`."""
    total = 0.0
    copies = 0
    for index in range(25):
        if types >> index & 1:
            number = max(weigh(game, OWN_POOL, 1 << index), 1)
            total += number * ((10 - (index % 5 + 1)) / (1 + in_sight(game, 1 << index)))
            copies += number
    return total / copies


@compiled
def play(game: Game) -> int:
    """See `CodePosition.plays`. MASKS must stand."""
    best = NONE
    most = -1.0
    playable = game[PLAYABLE]
    dead = game[DEAD]
    for slot in range(game[SIZES + game[SEAT]]):
        if own_chance(game, slot, playable) == UNIT:
            value = use(game, game[MASKS + slot])
            if value > most:
                best = slot
                most = value
    if best == NONE and game[LIVES] > 1 and is_early(game):
        likeliest = NONE
        for slot in range(game[SIZES + game[SEAT]]):
            if (
                not game[MASKS + slot] & ~(playable | dead)
                and own_chance(game, slot, playable) > likeliest
            ):
                best = slot
                likeliest = own_chance(game, slot, playable)
        if likeliest <= RISK * UNIT:
            best = NONE
    return NONE if best == NONE else code(PLAY, best, 0)


# Hints


@compiled
def due(game: Game) -> bool:
    """See `CodePosition.due`. MASKS must stand."""
    if game[TOKENS] == MAX_TOKENS or game[TOKENS] == 0:
        return bool(game[TOKENS])
    held = waiting = False
    for seat in range(game[PLAYERS]):
        for slot in range(game[SIZES + seat] if seat != game[SEAT] else 0):
            if game[PLAYABLE] >> game[HANDS + 5 * seat + slot] & 1:
                held = True
                waiting = waiting or waits(game, seat)
    if waiting:
        return True
    spare = is_early(game) and useless(game, MASKS, game[SIZES + game[SEAT]]) > 0
    return bool((game[TOKENS] > PLENTY or held) and not spare)


@compiled
def asked(game: Game, seat: int) -> int:
    """See `HatTable.asked`."""
    best = 0
    most = -1
    for slot in range(game[SIZES + seat]):
        types = game[COMMON + 5 * seat + slot]
        openness = 0
        if types & ~game[DEAD]:
            colours = ranks = 0
            for number in range(5):
                colours += types & TYPES[number] != 0
                ranks += types & TYPES[FIRST_RANK + number] != 0
            openness = 1 + (colours > 1) + (ranks > 1)
        if openness > most:
            best = slot
            most = openness
    return best


@compiled
def news(game: Game, seat: int, hint: int) -> float:
    """See `CodePosition.news`."""
    factor = 1.0
    for slot in range(game[SIZES + seat]):
        types = game[COMMON + 5 * seat + slot]
        if types & ~game[DEAD]:
            after = types & (
                TYPES[hint] if TYPES[hint] >> game[HANDS + 5 * seat + slot] & 1 else ~TYPES[hint]
            )
            factor *= max(weigh(game, POOL, types), 1) / max(weigh(game, POOL, after), 1)
    return factor


@compiled
def is_legal(game: Game, seat: int, hint: int) -> bool:
    touched = 0
    for slot in range(game[SIZES + seat]):
        touched |= TYPES[hint] >> game[HANDS + 5 * seat + slot] & 1
    return bool(touched)


@compiled
def number(game: Game, to: int, hint: int) -> int:
    """See `HatTable.number`, of a hint by the player to move."""
    giver = game[SEAT]
    players = game[PLAYERS]
    before = 0
    for step in range(1, (to - giver) % players):
        before += hint_size(game, (giver + step) % players)
    kind = 0 if hint >= FIRST_RANK else 1
    if TYPES[hint] >> game[HANDS + 5 * to + asked(game, to)] & 1:
        return before + kind
    return before + (2 + kind if hint_size(game, to) == 4 else 2)


@compiled
def hint(game: Game) -> int:
    """See `CodePosition.hints`. MASKS must stand."""
    if not due(game):
        return NONE
    seat = game[SEAT]
    players = game[PLAYERS]
    best = NONE
    most = 0.0
    last = NONE
    size = total_size(game, seat)
    right = shares(game, seat, size)
    for by_rank in range(2):  # in the order of HLE
        for step in range(1, players):
            to = (seat + step) % players
            for named in range(5 * by_rank, 5 * by_rank + 5):
                if is_legal(game, to, named):
                    last = code(HINT, named, to)
                    if number(game, to, named) == right and news(game, to, named) > most:
                        best = last
                        most = news(game, to, named)
    return last if best == NONE and game[TOKENS] == MAX_TOKENS else best


# Discards


@compiled
def coded(game: Game) -> int:
    """Return the slot whose discard stands for the number of the others' hands, if several are commonly useless."""
    seat = game[SEAT]
    base = COMMON + 5 * seat
    size = game[SIZES + seat]
    best = NONE
    for at in range(25):
        game[KEPT + at] = game[COMMON + at]
    for layer in range(3):
        game[KEPT + 25 + layer] = game[POOL + layer]
    if game[TOKENS]:
        nobody_waits(game, seat)
    several = useless(game, base, size)
    if several > 1:
        skipped = shares(game, seat, several)
        for slot in range(size):
            if best == NONE and is_useless(game, base, slot):
                if skipped == 0:
                    best = slot
                skipped -= 1
    for at in range(25):
        game[COMMON + at] = game[KEPT + at]
    for layer in range(3):
        game[POOL + layer] = game[KEPT + 25 + layer]
    return best


@compiled
def discard(game: Game) -> int:
    """See `CodePosition.discards`. MASKS must stand."""
    best = coded(game)
    if best != NONE:
        return code(DISCARD, best, 0)
    size = game[SIZES + game[SEAT]]
    most = -1.0
    seen = 0
    for slot in range(size):
        if is_useless(game, MASKS, slot):
            return code(DISCARD, slot, 0)
    for seat in range(game[PLAYERS]):
        for slot in range(game[SIZES + seat] if seat != game[SEAT] else 0):
            seen |= 1 << game[HANDS + 5 * seat + slot]
    for slot in range(size):
        rank = copies = 0
        for index in range(25):
            if game[MASKS + slot] >> index & 1:
                weight = max(weigh(game, OWN_POOL, 1 << index), 1)
                rank += weight * (index % 5 + 1)
                copies += weight
        free = own_chance(game, slot, ~game[CRITICAL])
        missed = (20 * own_chance(game, slot, seen) + 10 * free) / UNIT + rank / copies
        if missed > most:
            best = slot
            most = missed
    return code(DISCARD, best, 0)


@compiled
def decide(game: Game) -> int:
    """Return the move of a player who keeps the code, see `policy.decide`."""
    own_hand(game)
    move = play(game)
    if move == NONE:
        move = hint(game)
    return discard(game) if move == NONE else move


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
    """Return how many past moves of partners a player who keeps the code would not have made beside an imagined hand.

    See `surprises` of the conventions' `rollout_play`.
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
