"""Positions as raw HLE tells them, in the words of the prompts: an independent reading that imports nothing of ours.

Games are played in HLE itself, by players who see all hands: they play what fits, else a random move. So games last to
their final round. What a seat may know is read from HLE's observations; chances are counted here.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import perm
from random import Random
from typing import Any

from tests.support.hle import pyhanabi

LETTERS = "RYGWB"
NAMES = {"R": "red", "Y": "yellow", "G": "green", "W": "white", "B": "blue"}
COPIES = {1: 3, 2: 2, 3: 2, 4: 2, 5: 1}
KINDS = tuple(f"{letter}{rank}" for letter in LETTERS for rank in COPIES)
FEW = 5
"""Kinds of card that the prompts name where they are few."""


@dataclass(frozen=True)
class Knowledge:
    """What hints say of a card."""

    kinds: frozenset[str]
    colour: str | None
    """That it was told to be of; None if it was not."""
    rank: int | None

    @property
    def told(self) -> str:
        colour = NAMES[self.colour] if self.colour else ""
        rank = self.rank
        return (
            f"{colour} {rank}"
            if colour and rank
            else colour or (f"rank {rank}" if rank else "nothing")
        )

    @property
    def deduced(self) -> str:
        """`red, white; rank 1, 2`."""
        colours = [
            NAMES[letter] for letter in LETTERS if any(kind[0] == letter for kind in self.kinds)
        ]
        ranks = [str(rank) for rank in COPIES if any(kind[1] == str(rank) for kind in self.kinds)]
        colour = ", ".join(colours) if len(colours) < 5 else "any colour"
        return f"{colour}; " + (f"rank {', '.join(ranks)}" if len(ranks) < 5 else "any rank")


@dataclass(frozen=True)
class Moved:
    """A past move, and the table after it."""

    turn: int
    seat: int
    move: str
    result: str
    """` (R1, it fits)` or `, touching slots 0, 3`."""
    table: str
    to: int | None
    """Who was hinted."""


@dataclass(frozen=True)
class Table:
    """A position as the player to move sees it."""

    players: int
    seat: int
    lives: int
    tokens: int
    deck: int
    fireworks: tuple[int, ...]
    hands: dict[int, tuple[str, ...]]
    """In turn order from the next player."""
    discards: tuple[str, ...]
    known: dict[int, tuple[Knowledge, ...]]
    """By seat, the own one included."""
    legal: tuple[str, ...]
    past: tuple[Moved, ...]
    turns_left: int | None
    """This one included; None while the deck has cards."""

    @property
    def next_cards(self) -> list[str | None]:
        tops = zip(LETTERS, self.fireworks, strict=True)
        return [f"{letter}{top + 1}" if top < 5 else None for letter, top in tops]

    def playable(self, kind: str) -> bool:
        return kind in self.next_cards

    def dead(self, kind: str) -> bool:
        top = self.fireworks[LETTERS.index(kind[0])]
        below = [f"{kind[0]}{rank}" for rank in range(top + 1, int(kind[1]) + 1)]
        return not below or any(self.discards.count(card) == COPIES[int(card[1])] for card in below)

    def critical(self, kind: str) -> bool:
        return not self.dead(kind) and self.discards.count(kind) == COPIES[int(kind[1])] - 1

    @cached_property
    def unseen(self) -> Counter[str]:
        """Copies that lie in the own hand or in the deck."""
        seen = Counter(self.discards) + Counter(
            card for hand in self.hands.values() for card in hand
        )
        for letter, top in zip(LETTERS, self.fireworks, strict=True):
            seen.update(f"{letter}{rank}" for rank in range(1, top + 1))
        return Counter({kind: COPIES[int(kind[1])] for kind in KINDS}) - seen

    @cached_property
    def chances(self) -> list[dict[str, Fraction]]:
        """Of each own slot: the kinds that it can be by hints and counting, with their chances."""
        own = [known.kinds for known in self.known[self.seat]]
        shares = []
        for slot, kinds in enumerate(own):
            others = [*own[:slot], *own[slot + 1 :]]
            ways = {
                kind: self.unseen[kind] * deals(others, self.unseen - Counter([kind]))
                for kind in kinds
            }
            total = sum(ways.values())
            shares.append({kind: Fraction(ways[kind], total) for kind in KINDS if ways.get(kind)})
        return shares


def deals(hand: Sequence[frozenset[str]], copies: Counter[str]) -> int:
    """In how many ways distinct copies fill a hand whose slots can be these kinds: kind after kind, each into some of
    the slots that are still empty."""
    kinds = [kind for kind in KINDS if copies[kind]]
    fitting = [
        sum(1 << slot for slot, possible in enumerate(hand) if kind in possible) for kind in kinds
    ]

    @cache
    def rest(number: int, empty: int) -> int:
        if not empty or number == len(kinds):
            return int(not empty)
        ways = 0
        chosen = empty & fitting[number]
        most = copies[kinds[number]]
        while chosen:
            if (size := chosen.bit_count()) <= most:
                ways += perm(most, size) * rest(number + 1, empty & ~chosen)
            chosen = (chosen - 1) & empty & fitting[number]
        return ways + rest(number + 1, empty)

    return rest(0, (1 << len(hand)) - 1)


@dataclass
class Game:
    """A game of HLE: its tables before each move, and at its end the cards in the order in which they were dealt."""

    players: int
    seed: int

    def play(self) -> tuple[list[Table], list[str]]:
        game = pyhanabi.HanabiGame(
            {"players": self.players, "seed": self.seed, "random_start_player": False}
        )
        state = game.new_initial_state()
        chance = Random(f"{self.players} {self.seed}")
        tables: list[Table] = []
        past: list[Moved] = []
        end: int | None = None
        while not state.is_terminal():
            if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            if end is None and not state.deck_size():
                end = len(past) + self.players
            seat = state.cur_player()
            tables.append(
                table_of(state, seat, tuple(past), None if end is None else end - len(past))
            )
            state.apply_move(chosen(state, chance))
            past.append(moved(state, self.players, len(past) + 1))
        items = [item.move() for item in state.move_history()]
        dealt = [
            f"{LETTERS[m.color()]}{m.rank() + 1}"
            for m in items
            if m.type() == pyhanabi.HanabiMoveType.DEAL
        ]
        return tables, dealt


def chosen(state: Any, chance: Random) -> Any:
    """Mostly a play that fits, else some move that loses no life; now and then any play while there are lives."""
    moves = state.legal_moves()
    hand = state.player_hands()[state.cur_player()]
    plays = [move for move in moves if move.type() == pyhanabi.HanabiMoveType.PLAY]
    fitting = [
        m
        for m in plays
        if state.fireworks()[hand[m.card_index()].color()] == hand[m.card_index()].rank()
    ]
    calm = [move for move in moves if move.type() != pyhanabi.HanabiMoveType.PLAY]
    if fitting and chance.random() < 0.5:
        return chance.choice(fitting)
    if state.life_tokens() > 1 and chance.random() < 0.05:
        return chance.choice(plays)
    return chance.choice(calm or fitting or plays)


def table_of(state: Any, seat: int, past: tuple[Moved, ...], turns_left: int | None) -> Table:
    observation = state.observation(seat)
    players = state.num_players()
    seats = [(seat + offset) % players for offset in range(players)]
    hands = zip(seats, observation.observed_hands(), strict=True)
    knowledge = zip(seats, observation.card_knowledge(), strict=True)
    return Table(
        players=players,
        seat=seat,
        lives=observation.life_tokens(),
        tokens=observation.information_tokens(),
        deck=observation.deck_size(),
        fireworks=tuple(observation.fireworks()),
        hands={other: tuple(map(card_of, hand)) for other, hand in hands if other != seat},
        discards=tuple(map(card_of, observation.discard_pile())),
        known={other: tuple(map(known_of, hand)) for other, hand in knowledge},
        legal=tuple(move_of(move, seat, players) for move in observation.legal_moves()),
        past=past,
        turns_left=turns_left,
    )


def card_of(card: Any) -> str:
    return f"{LETTERS[card.color()]}{card.rank() + 1}"


def known_of(card: Any) -> Knowledge:
    colours = [colour for colour in range(5) if card.color_plausible(colour)]
    ranks = [rank for rank in range(5) if card.rank_plausible(rank)]
    kinds = frozenset(f"{LETTERS[colour]}{rank + 1}" for colour in colours for rank in ranks)
    colour = card.color()
    rank = card.rank()
    return Knowledge(
        kinds, None if colour is None else LETTERS[colour], None if rank is None else rank + 1
    )


def move_of(move: Any, seat: int, players: int) -> str:
    match move.type():
        case pyhanabi.HanabiMoveType.PLAY:
            return f"play slot {move.card_index()}"
        case pyhanabi.HanabiMoveType.DISCARD:
            return f"discard slot {move.card_index()}"
    what = f"rank {move.rank() + 1}"
    if move.type() == pyhanabi.HanabiMoveType.REVEAL_COLOR:
        what = NAMES[LETTERS[move.color()]]
    return f"hint P{(seat + move.target_offset()) % players} {what}"


def moved(state: Any, players: int, turn: int) -> Moved:
    """The last move of a state, in which the next card is not dealt yet."""
    item = state.move_history()[-1]
    move = item.move()
    seat = item.player()
    tops = " ".join(
        f"{letter}{top}" for letter, top in zip(LETTERS, state.fireworks(), strict=True)
    )
    table = f"; fireworks {tops}, tokens {state.information_tokens()}, lives {state.life_tokens()}"
    text = move_of(move, seat, players)
    to = None
    if move.type() in (pyhanabi.HanabiMoveType.PLAY, pyhanabi.HanabiMoveType.DISCARD):
        card = f"{LETTERS[item.color()]}{item.rank() + 1}"
        fits = ", it fits" if item.scored() else ", it does not fit, a life is lost"
        result = f" ({card}{fits if move.type() == pyhanabi.HanabiMoveType.PLAY else ''})"
    else:
        to = (seat + move.target_offset()) % players
        slots = sorted(item.card_info_revealed())
        result = f", touching slot{'s' if len(slots) > 1 else ''} {', '.join(map(str, slots))}"
    return Moved(turn, seat, text, result, table, to)


def tables(players: int, seeds: Sequence[int]) -> Iterator[tuple[Table, list[str], int]]:
    """Each table of some games, with the cards dealt in its game and its number, from 0."""
    for seed in seeds:
        before, dealt = Game(players, seed).play()
        for number, table in enumerate(before):
            yield table, dealt, number
