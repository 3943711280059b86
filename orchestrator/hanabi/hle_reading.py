"""What live objects of the Hanabi Learning Environment (HLE) tell one player, as the plain fields of a View.

HLE itself is not imported: a state or an observation is read through its methods, whichever copy of HLE made it. The
own hand is never read, and what hints said is worked out from the moves, so that an `observation_type` which tells more
or less than the rules changes nothing. Seats count from the player who moves first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    DECK_SIZE,
    HAND_SIZES,
    MAX_LIVES,
    MAX_TOKENS,
    RANKS,
    Card,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    Hint,
    HintColour,
    HintRank,
    Move,
    Play,
)

Fields = dict[str, Any]
"""The fields of a View, or of a value in it."""

OBSERVATION_LACKS = (
    "an observation of HLE holds the moves since its player's last turn, not the whole history; give the View of that "
    "turn as `before`, or the HanabiState instead"
)
DICTIONARY_LACKS = (
    "without its member 'pyhanabi' an observation of rl_env lacks the past moves and what hints ruled out, so it makes "
    "no View"
)
EVERYBODYS = "these are the observations of all players; give the one in 'player_observations' of the player who acts"
GAME_IS_GONE = (
    "the HanabiGame behind this was deleted, and HLE would crash: keep the game in a variable"
)
CARDS_TO_DEAL = "HLE has cards to deal before anybody sees this state: call deal_random_card() until it is a player's turn"

_PLAY = 1
_DISCARD = 2
_REVEAL_COLOUR = 3
_DEAL = 5
"""HLE's types of moves."""

UNKNOWN: Fields = {"colour": None, "rank": None, "colours": COLOURS, "ranks": RANKS}
"""What hints say of a card that was just drawn."""


def card_of(colour: int, rank: int) -> Card:
    """Return the card of HLE's numbers, which count from 0."""
    return Card(f"{COLOURS[colour]}{rank + 1}")


def move_of(hle_move: Any, seat: int, players: int) -> Move:
    """Return a move that a seat makes."""
    kind = hle_move.type()
    if kind in (_PLAY, _DISCARD):
        return _typed(kind, hle_move.card_index())
    to = (seat + hle_move.target_offset()) % players
    return _typed(kind, hle_move.color() if kind == _REVEAL_COLOUR else hle_move.rank(), to)


@cache  # there are fifty moves, and some twenty a turn
def _typed(kind: int, number: int, to: int = 0) -> Move:
    """`number`: of a slot, a colour or a rank, from 0."""
    if kind in (_PLAY, _DISCARD):
        return Play(slot=number) if kind == _PLAY else Discard(slot=number)
    return (
        HintColour(to=to, colour=COLOURS[number])
        if kind == _REVEAL_COLOUR
        else HintRank(to=to, rank=number + 1)
    )


def fields(source: Any, player: int | None, before: Any) -> Fields:
    """Return the fields of the View that `View.from_hle` describes; `before` is a View or None."""
    observation, items, complete = _observed(source, player)
    players = int(observation.num_players())
    moves = [item for item in items if not item.is_deal]
    if complete or all(item.steps for item in moves):
        first = moves[0].steps if moves else observation.cur_player_offset()
        table = _Table(players, -first % players)
    elif before is not None:
        table = _Table.after(before)
    else:
        raise UserError(OBSERVATION_LACKS)
    for item in items:
        table.add(item)
    table.check(observation)
    return table.view(observation)


# Who looks, and what happened


@dataclass(frozen=True)
class _Item:
    """One item of HLE's history."""

    steps: int
    """Who moved or got the card, in steps from the observer."""
    hle: Any

    @property
    def is_deal(self) -> bool:
        return bool(self.hle.move().type() == _DEAL)


def _observed(source: Any, player: int | None) -> tuple[Any, Sequence[_Item], bool]:
    """Return an observation, the items that are told, oldest first, and whether these surely begin with the game.

    Raises UserError for anything at which HLE would abort the process.
    """
    hle = unwrapped(source)
    if hasattr(hle, "last_moves"):
        return hle, _items(reversed(hle.last_moves()), 0, hle.num_players()), False
    acting = hle.cur_player()
    players = hle.num_players()
    if acting < 0 and not hle.is_terminal():
        raise UserError(CARDS_TO_DEAL)
    player = max(acting, 0) if player is None else player
    if type(player) is not int or player not in range(players):
        raise UserError(f"there is no player {player}; HLE's players are 0 to {players - 1}")
    items = _items(hle.move_history(), player, players)
    start = next((number for number, item in enumerate(items) if not item.is_deal), len(items))
    return hle.observation(player), items[start:], True


def unwrapped(source: Any) -> Any:
    """Return the state or the observation in what a user gives. Raises UserError for anything else."""
    if isinstance(source, Mapping):
        if "pyhanabi" not in source:
            raise UserError(EVERYBODYS if "player_observations" in source else DICTIONARY_LACKS)
        source = source["pyhanabi"]
    if not (hasattr(source, "last_moves") or hasattr(source, "move_history")):
        raise UserError(f"{type(source).__name__} is neither a state nor an observation of HLE")
    if (game := getattr(source, "_game", None)) is not None and not game.game:
        raise UserError(GAME_IS_GONE)
    return source


def _items(history: Iterable[Any], player: int, players: int) -> list[_Item]:
    """`player`: from whom HLE counts the players of these items is 0 in an observation, and the observer here."""
    return [
        _Item(
            ((item.deal_to_player() if item.player() < 0 else item.player()) - player) % players,
            item,
        )
        for item in history
    ]


# The table


@dataclass
class _Table:
    """The table as its observer sees it, move by move."""

    players: int
    seat: int
    """Of the observer."""
    fireworks: list[int] = field(default_factory=lambda: [0] * len(COLOURS))
    tokens: int = MAX_TOKENS
    lives: int = MAX_LIVES
    discards: list[Card] = field(default_factory=list)
    deck: int = -1
    cards: list[list[Fields]] = field(default_factory=list)
    """What hints say of each card, by seat."""
    history: list[Any] = field(default_factory=list)
    """Past turns: values of `before`, then fields."""
    dealt: tuple[tuple[Card, ...], ...] | None = None
    last_turn: int | None = None

    def __post_init__(self) -> None:
        if not self.cards:
            if self.players not in HAND_SIZES:
                raise UserError(f"Hanabi is for 2 to 5 players, not {self.players}")
            size = HAND_SIZES[self.players]
            self.cards = [[UNKNOWN] * size for _ in range(self.players)]
            self.deck = DECK_SIZE - size * self.players

    @classmethod
    def after(cls, before: Any) -> Self:
        """Return the table that a View shows."""
        hints = {hand.seat: hand.known for hand in before.hands} | {before.seat: before.own}
        return cls(
            players=before.players,
            seat=before.seat,
            fireworks=list(before.fireworks),
            tokens=before.tokens,
            lives=before.lives,
            discards=list(before.discards),
            deck=before.deck_size,
            cards=[[card.model_dump() for card in hints[seat]] for seat in range(before.players)],
            history=list(before.history),
            dealt=before.dealt,
            last_turn=None if before.turns_left is None else before.turn - 1 + before.turns_left,
        )

    def add(self, item: _Item) -> None:
        seat = (self.seat + item.steps) % self.players
        move = item.hle.move()
        if not item.is_deal:
            self._make(seat, move_of(move, seat, self.players), item.hle)
            return
        self.cards[seat].append(UNKNOWN)
        self.deck -= 1
        past = self.history[-1]
        if seat != self.seat:
            past["drew"] = card_of(move.color(), move.rank())
        if not self.deck:
            self.last_turn = past["turn"] + self.players

    def _make(self, seat: int, move: Move, item: Any) -> None:
        past: Fields = {"turn": len(self.history) + 1, "seat": seat, "move": move}
        if isinstance(move, Hint):
            past["slots"] = tuple(item.card_info_revealed())
            self._hint(move, past["slots"])
        else:
            past["card"] = card = card_of(item.color(), item.rank())
            past["scored"] = item.scored() if isinstance(move, Play) else None
            del self.cards[seat][move.slot]
            if past["scored"]:
                self.fireworks[COLOURS.index(card.colour)] += 1
            else:
                self.discards.append(card)
                self.lives -= isinstance(move, Play)
            self.tokens += item.information_token()
        past |= {"fireworks": tuple(self.fireworks), "tokens": self.tokens, "lives": self.lives}
        self.history.append(past)

    def _hint(self, hint: Hint, slots: Sequence[int]) -> None:
        self.tokens -= 1
        single, plural = (
            ("colour", "colours") if isinstance(hint, HintColour) else ("rank", "ranks")
        )
        named = hint.colour if isinstance(hint, HintColour) else hint.rank
        self.cards[hint.to] = [
            {**card, single: named, plural: (named,)}
            if slot in slots
            else {**card, plural: tuple(value for value in card[plural] if value != named)}
            for slot, card in enumerate(self.cards[hint.to])
        ]

    def check(self, observation: Any) -> None:
        """Raise UserError where the moves do not lead to what is observed."""
        theirs = {
            "fireworks": list(observation.fireworks()),
            "information tokens": observation.information_tokens(),
            "lives": observation.life_tokens(),
            "deck": observation.deck_size(),
            "discard pile": len(observation.discard_pile()),
            "hands": [len(hand) for hand in observation.observed_hands()],
        }
        seats = [(self.seat + step) % self.players for step in range(self.players)]
        hands = [len(self.cards[seat]) for seat in seats]
        ours = (self.fireworks, self.tokens, self.lives, self.deck, len(self.discards), hands)
        for (name, their), our in zip(theirs.items(), ours, strict=True):
            if their != our:
                raise UserError(
                    f"by its moves this game would have {our} as its {name}, and HLE has {their}: it is not the game "
                    f"of 50 cards, {MAX_TOKENS} information tokens and {MAX_LIVES} lives, or `before` is not the View "
                    "of the same player's last turn"
                )

    def view(self, observation: Any) -> Fields:
        partners = [(self.seat + step) % self.players for step in range(1, self.players)]
        held = [
            tuple(card_of(c.color(), c.rank()) for c in hand)
            for hand in observation.observed_hands()[1:]
        ]
        hands = dict(zip(partners, held, strict=True))
        turns_left = None if self.last_turn is None else max(self.last_turn - len(self.history), 0)
        over = not self.lives or sum(self.fireworks) == len(COLOURS) * len(RANKS) or turns_left == 0
        legal = (
            ()
            if over
            else (move_of(move, self.seat, self.players) for move in observation.legal_moves())
        )
        dealt = self.dealt
        if dealt is None:
            dealt = tuple(
                self._first_hand(seat, hands[seat]) if seat in hands else ()
                for seat in range(self.players)
            )
        return {
            "players": self.players,
            "seat": self.seat,
            "turn": len(self.history) + 1,
            "fireworks": tuple(self.fireworks),
            "tokens": self.tokens,
            "lives": self.lives,
            "deck_size": self.deck,
            "discards": tuple(self.discards),
            "own": tuple(self.cards[self.seat]),
            "hands": tuple(
                {"seat": s, "cards": hands[s], "known": tuple(self.cards[s])} for s in partners
            ),
            "dealt": dealt,
            "history": tuple(self.history),
            "turns_left": turns_left,
            "legal": tuple(legal),
        }

    def _first_hand(self, seat: int, hand: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return a hand at the start of the game, from that now."""
        cards = list(hand)
        for past in reversed(
            [past for past in self.history if past["seat"] == seat and "card" in past]
        ):
            if "drew" in past:
                cards.pop()
            cards.insert(past["move"].slot, past["card"])
        return tuple(cards)
