"""A game as hanab.live takes it: the JSON of "Watch Specific Replay", with each seat's reasons as notes on cards.

The format lists a deck in the order of dealing, as HLE does. It names a card by its place in the deck, not by its slot;
a hand's newest card is drawn on the left there, and is the last slot here. Its five suits are red, yellow, green, blue,
purple; white, which stands before blue here, would be a suit of other rules there, so white cards become blue and blue
ones purple.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.document.data import csv_text
from experiments.interchange import hanab_live_address, sources
from experiments.record.files import write_atomically
from experiments.record.game import Game
from orchestrator.errors import UserError
from orchestrator.hanabi.cards import COLOURS, HAND_SIZES, Card, Piles
from orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from orchestrator.hanabi.view import Past
from orchestrator.journal.events import GameStarted

PLAY, DISCARD, COLOUR, RANK, END, END_BY_VOTE = range(6)
"""Types of actions."""

TERMINATED = 4
"""Why a game ended: a player ended it. The site finds the other ends by itself."""

NO_VARIANT = "No Variant"
"""The standard game."""

LONGEST_NOTE = 500
"""Characters of a reason in a note, which the site shows beside the pointer."""

_PLAIN = str.maketrans({"|": "/", "[": "(", "]": ")", "<": "‹", ">": "›", "\n": " ", "\r": " "})
"""The site reads marks such as `[cm]`, and what follows a `|`, as orders to draw a card in another way."""


def suit_index(card: Card) -> int:
    return COLOURS.index(card.colour)


class CardOrders:
    """The places in the deck of the cards in each hand, the oldest first."""

    def __init__(self, players: int, deck_size: int) -> None:
        size = HAND_SIZES[players]
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(players)]
        self._next, self._size = size * players, deck_size

    def take(self, seat: int, slot: int) -> int:
        """The card of a slot leaves the hand, and the next one of the deck is drawn."""
        order = self.hands[seat].pop(slot)
        if self._next < self._size:
            self.hands[seat].append(self._next)
            self._next += 1
        return order


@dataclass(frozen=True)
class HanabLiveGame:
    """A game in the site's format."""

    data: dict[str, Any]
    past_end: int
    """Moves after the site ends a game because no card can score any more; it shows none of them."""


def game(recorded: Game) -> HanabLiveGame:
    """Return the game of a journal. Raises UserError when it has no move, since the site takes no such game."""
    if not recorded.moves:
        raise UserError("the game has no move yet; hanab.live takes no game without moves")
    started, turns = recorded.started, [turn for turn in recorded.turns if turn.moved]
    history = [turn.moved.past for turn in turns if turn.moved]
    orders, actions = CardOrders(started.players, len(started.deck)), list[dict[str, int]]()
    notes = [[list[str]() for _ in started.deck] for _ in range(started.players)]
    for turn, past in zip(turns, history, strict=True):
        action, cards = _action(past, orders)
        actions.append(action)
        for order in cards:
            notes[past.seat][order].append(_note(past, turn.decided.why if turn.decided else ""))
    if recorded.result and recorded.result.end == "max_turns":
        actions.append({"type": END, "target": len(history) % started.players, "value": TERMINATED})
    data = {
        "players": names(started),
        "deck": [{"suitIndex": suit_index(card), "rank": card.rank} for card in started.deck],
        "actions": actions,
        "options": {"variant": NO_VARIANT},
        "notes": [[" / ".join(texts) for texts in of_seat] for of_seat in notes],
    }
    return HanabLiveGame(data, _past_end(history))


def names(started: GameStarted) -> list[str]:
    """The names of the players; of seats of ours what sits there, numbered, since the site wants names to differ."""
    labels = [seat.label for seat in started.seats if seat.label]
    if len(set(labels)) == started.players:
        return labels
    return [f"P{number} {seat.label or seat.graph}" for number, seat in enumerate(started.seats)]


def _action(past: Past, orders: CardOrders) -> tuple[dict[str, int], Sequence[int]]:
    """The action of a turn, and the cards that its note stands on."""
    move = past.move
    if isinstance(move, HintColour | HintRank):
        return _hint(move), [orders.hands[move.to][slot] for slot in past.slots]
    order = orders.take(past.seat, move.slot)
    return {"type": PLAY if isinstance(move, Play) else DISCARD, "target": order}, [order]


def _hint(move: HintColour | HintRank) -> dict[str, int]:
    if isinstance(move, HintColour):
        return {"type": COLOUR, "target": move.to, "value": COLOURS.index(move.colour)}
    return {"type": RANK, "target": move.to, "value": move.rank}


def _note(past: Past, why: str) -> str:
    """`turn 3, hint P1 red: two of them are playable`; the move alone where no reason is recorded."""
    head, reason = f"turn {past.turn}, {past.move}", why.strip()
    short = reason if len(reason) <= LONGEST_NOTE else f"{reason[:LONGEST_NOTE]} ..."
    return (f"{head}: {short}" if short else head).translate(_PLAIN)


def _past_end(history: Sequence[Past]) -> int:
    """How many moves follow the first one after which no card can score."""
    for number, piles in enumerate(_piles(history), 1):
        if piles.best_possible == sum(piles.fireworks):
            return len(history) - number
    return 0


def _piles(history: Sequence[Past]) -> Iterator[Piles]:
    lost: list[Card] = []
    for past in history:
        if past.card and not past.scored:
            lost.append(past.card)
        yield Piles(past.fireworks, tuple(lost))


def nothing_scores(history: Sequence[Past]) -> bool:
    """Whether no card can score any more; then the site ends a game, and HLE does not."""
    return any(piles.best_possible == sum(piles.fireworks) for piles in _piles(history))


def move_of(action: Mapping[str, int], seat: int, orders: CardOrders) -> Move:
    """The move of an action that is no end of the game. Raises ValueError, in words, where it does not fit."""
    kind, target, value = action["type"], action["target"], action.get("value", 0)
    if kind in (PLAY, DISCARD):
        if target not in orders.hands[seat]:
            hand = ", ".join(map(str, orders.hands[seat]))
            raise ValueError(f"P{seat} does not hold card {target} of the deck; their hand is {hand}")
        slot = orders.hands[seat].index(target)
        orders.take(seat, slot)
        return Play(slot=slot) if kind == PLAY else Discard(slot=slot)
    if kind == COLOUR and 0 <= value < len(COLOURS):
        return HintColour(to=target, colour=COLOURS[value])
    if kind == RANK and 1 <= value <= 5:
        return HintRank(to=target, rank=value)
    raise ValueError(f"an action of type {kind} cannot have the value {value}")


ADDRESSES = "addresses.csv"
"""In the folder of an exported run: each game and its address."""


@dataclass(frozen=True)
class Written:
    """An exported game."""

    name: str
    file: Path
    address: str
    past_end: int
    """Moves that the site does not show, since no card could score any more."""

    @property
    def plain(self) -> dict[str, Any]:
        return {"game": self.name, "file": str(self.file), "address": self.address, "not_shown": self.past_end}


def export(path: Path, out: Path) -> list[Written]:
    """Write the games of a journal or a run folder; games of a run that have no move yet are left out.

    Raises UserError for a single game without moves.
    """
    games = sources.read(path)
    written = []
    for source, file in zip(games, sources.targets(games, path, out, ".json"), strict=True):
        recorded = Game.open(source.path)
        if path.is_dir() and not recorded.moves:
            continue
        shown = game(recorded)
        write_atomically(file, json.dumps(shown.data, ensure_ascii=False) + "\n")
        where = hanab_live_address.address(shown.data)
        written.append(Written(source.name, file, where, shown.past_end))
    if path.is_dir():
        addresses = ({"game": game.name, "address": game.address} for game in written)
        write_atomically(out / ADDRESSES, csv_text(addresses))
    return written


def lines(written: Sequence[Written], out: Path) -> list[str]:
    """What a person reads: the address of a single game, or where those of many are."""
    if len(written) == 1:
        sentences = [f"file     {written[0].file}", f"address  {written[0].address}"]
    else:
        sentences = [f"{len(written)} games  {out}", f"addresses  {out / ADDRESSES}"]
    sentences.append(
        "white cards are blue there, blue ones purple; the file has the reasons as notes, the address has none"
    )
    if past := [game for game in written if game.past_end]:
        games = "this game" if len(written) == 1 else f"{len(past)} games"
        moves = sum(game.past_end for game in past)
        cut = "the last move is" if moves == 1 else f"the last {moves} moves are"
        sentences.append(f"hanab.live ends {games} earlier, when no card can score any more: {cut} cut")
    return sentences
