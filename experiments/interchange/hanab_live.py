"""A game as hanab.live takes it: the JSON of "Watch Specific Replay", with each seat's reasons as
notes on cards.

The format lists a deck in the order of dealing, as HLE does. It names a card by its place in the
deck, not by its slot; a hand's newest card is drawn on the left there, and is the last slot here.
Its five suits are red, yellow, green, blue, purple; white, which stands before blue here, would be
a suit of other rules there, so white cards become blue and blue ones purple.

The address of a replay holds deck and moves in a compact text, without names and notes: `PLAYERS
LOWEST HIGHEST cards,LOWEST HIGHEST actions,VARIANT`, a character for a card and two for an action,
with a hyphen after every 20 characters. Newer addresses may end in `,SEED`, and any in `#TURN`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from hanabi_orchestrator.experiments import formats
from hanabi_orchestrator.experiments.record.files import write_atomically, write_csv
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import sources
from hanabi_orchestrator.orchestrator.errors import UserError, shortened
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, HAND_SIZES, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import End
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.journal.events import GameStarted

PLAY, DISCARD, COLOUR, RANK, END, END_BY_VOTE = range(6)
"""Types of actions."""

GIVEN_UP: dict[int, End] = {3: "clock", 4: "player", 6: "clock", 10: "vote"}
"""Why a game was given up, by the value of its last action. The site finds the ends by the rules
itself."""

NO_VARIANT = "No Variant"
"""The standard game."""

SITE = "https://hanab.live/shared-replay-json/"
ADDRESS = re.compile(r"https://hanab\.live/(?:shared-)?replay-json/([\w,-]+)(?:#\d+)?\s*")

BASE = ascii_lowercase + digits + ascii_uppercase
GROUP = 20
"""Characters between two hyphens."""

NAMES = ["Alice", "Bob", "Cathy", "Donald", "Emily"]
"""What the site calls the players of an address."""

STANDARD = "0"
"""The number of the variant of the standard game."""
SEED = re.compile(r"p\d+v(\d+)s.*", re.DOTALL)
"""The seed of a game, which holds the number of its variant."""

LONGEST_NOTE = 500
"""Characters of a reason in a note, which the site shows beside the pointer."""

_PLAIN = str.maketrans({"|": "/", "[": "(", "]": ")", "<": "‹", ">": "›", "\n": " ", "\r": " "})
"""The site reads marks such as `[cm]`, and what follows a `|`, as orders to draw a card in another
way."""


def suit_index(card: Card) -> int:
    return COLOURS.index(card.colour)


class CardOrders:
    """The places in the deck of the cards in each hand, the oldest first."""

    def __init__(self, players: int, deck_size: int) -> None:
        size = HAND_SIZES[players]
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(players)]
        self._next = size * players
        self._size = deck_size

    def take(self, seat: int, slot: int) -> int:
        """Return the card of a slot leaves the hand, and the next one of the deck is drawn."""
        order = self.hands[seat].pop(slot)
        if self._next < self._size:
            self.hands[seat].append(self._next)
            self._next += 1
        return order


def game(recorded: Game) -> dict[str, Any]:
    """Return the game of a journal. Raises UserError when it has no move, since the site takes no
    such game."""
    if not recorded.moves:
        raise UserError("the game has no move yet; hanab.live takes no game without moves")
    started = recorded.started
    orders = CardOrders(started.players, len(started.deck))
    actions = list[dict[str, int]]()
    notes = []
    for _ in range(started.players):
        notes.append([list[str]() for _ in started.deck])
    for turn in recorded.turns:
        if not turn.moved:
            continue
        past = turn.moved.past
        actions.append(action_of(past.move, past.seat, orders))
        # `turn 3, hint P1 red: two of them are playable`; the move alone where no reason is
        # recorded
        target = actions[-1]["target"]
        why = (turn.decided.why if turn.decided else "").strip()
        if len(why) <= LONGEST_NOTE:
            short = why
        else:
            short = f"{why[:LONGEST_NOTE]} ..."
        note = f"turn {past.turn}, {past.move}{f': {short}' if short else ''}".translate(_PLAIN)
        for order in [target] if past.card else [orders.hands[target][slot] for slot in past.slots]:
            notes[past.seat][order].append(note)
    values = []
    for value, end in GIVEN_UP.items():
        if recorded.result and recorded.result.end == end:
            values.append(value)
    if values:
        actions.append({"type": END, "target": len(actions) % started.players, "value": values[0]})
    return {
        "players": names(started),
        "deck": [{"suitIndex": suit_index(card), "rank": card.rank} for card in started.deck],
        "actions": actions,
        "options": {"variant": NO_VARIANT},
        "notes": [list(map(" / ".join, of_seat)) for of_seat in notes],
    }


def past_end(recorded: Game) -> int:
    """Return the moves after the site ends a game because no card can score any more; it shows none
    of them."""
    history = [turn.moved.past for turn in recorded.turns if turn.moved]
    return len(history) - (turns_that_score(history) or len(history))


def names(started: GameStarted) -> list[str]:
    """Return the names of the players; of seats of ours what sits there, numbered, since the site
    wants names to differ."""
    labels = [seat.label for seat in started.seats if seat.label]
    if len(set(labels)) == started.players:
        return labels
    return [f"P{number} {seat.label or seat.graph}" for number, seat in enumerate(started.seats)]


def action_of(move: Move, seat: int, orders: CardOrders) -> dict[str, int]:
    """Return the action of a move, which is made."""
    if isinstance(move, HintColour):
        return {"type": COLOUR, "target": move.to, "value": COLOURS.index(move.colour)}
    if isinstance(move, HintRank):
        return {"type": RANK, "target": move.to, "value": move.rank}
    return {
        "type": PLAY if isinstance(move, Play) else DISCARD,
        "target": orders.take(seat, move.slot),
    }


def turns_that_score(history: Sequence[Past]) -> int | None:
    """Return the turns up to the first after which no card can score; there the site ends a game,
    and HLE does not.

    None while a card can score.
    """
    lost: list[Card] = []
    for number, past in enumerate(history, 1):
        if past.card and not past.scored:
            lost.append(past.card)
        if Piles(past.fireworks, tuple(lost)).best_possible == sum(past.fireworks):
            return number
    return None


def move_of(action: Mapping[str, int], seat: int, orders: CardOrders) -> Move:
    """Return the move of an action that is no end of the game. Raises ValueError, in words, where
    it does not fit."""
    kind = action["type"]
    target = action["target"]
    value = action.get("value", 0)
    if kind in (PLAY, DISCARD):
        if target not in orders.hands[seat]:
            hand = ", ".join(map(str, orders.hands[seat]))
            raise ValueError(
                f"P{seat} does not hold card {target} of the deck; their hand is {hand}"
            )
        slot = orders.hands[seat].index(target)
        orders.take(seat, slot)
        if kind == PLAY:
            return Play(slot=slot)
        return Discard(slot=slot)
    if kind == COLOUR and 0 <= value < len(COLOURS):
        return HintColour(to=target, colour=COLOURS[value])
    if kind == RANK and 1 <= value <= 5:
        return HintRank(to=target, rank=value)
    raise ValueError(f"an action of type {kind} cannot have the value {value}")


def address(game: Mapping[str, Any]) -> str:
    """Return the address of a game in the site's JSON format."""
    span, cards = _signs((card["suitIndex"], card["rank"]) for card in game["deck"])
    # an action without a value has 0, others one more than theirs
    kinds, steps = _signs((step.get("value", -1) + 1, step["type"]) for step in game["actions"])
    actions = "".join(
        sign + BASE[step["target"]] for sign, step in zip(steps, game["actions"], strict=True)
    )
    text = f"{len(game['players'])}{span}{''.join(cards)},{kinds}{actions},{STANDARD}"
    return SITE + "-".join(text[start : start + GROUP] for start in range(0, len(text), GROUP))


def _signs(pairs: Iterable[tuple[int, int]]) -> tuple[str, list[str]]:
    """Return the lowest and highest of second numbers, and a character for each pair."""
    pairs = list(pairs)
    lowest = min(low for _, low in pairs)
    highest = max(low for _, low in pairs)
    return f"{lowest}{highest}", [
        BASE[high * (highest - lowest + 1) + low - lowest] for high, low in pairs
    ]


def _pairs(signs: str, lowest: int, highest: int) -> list[tuple[int, int]]:
    numbers = (divmod(BASE.index(sign), highest - lowest + 1) for sign in signs)
    return [(high, low + lowest) for high, low in numbers]


def of_address(text: str) -> dict[str, Any]:
    """Return the game of an address in the site's JSON format. Raises UserError for a text that is
    none."""
    match = ADDRESS.fullmatch(text.strip())
    parts = match[1].replace("-", "").split(",") if match else []
    if len(parts) not in (3, 4):
        raise UserError(
            f"{shortened(repr(text.strip()))} is not an address of a replay, which begins with "
            f"{SITE}"
        )
    cards, actions, variant = parts[:3]
    seed = SEED.fullmatch(parts[-1])
    if seed and variant == STANDARD:
        variant = seed[1]
    else:
        variant = variant
    if variant != STANDARD:
        raise UserError(
            f"the address is of variant {variant}; only the standard game, 0, can be read"
        )
    if cards[:1] not in tuple("2345"):
        raise UserError(
            f"the address is of a game of {cards[:1] or 'no'} players; 2 to 5 can be read"
        )
    try:
        kinds = _pairs(actions[2::2], int(actions[0]), int(actions[1]))
        return {
            "players": NAMES[: int(cards[0])],
            "deck": [
                {"suitIndex": suit, "rank": rank}
                for suit, rank in _pairs(cards[3:], int(cards[1]), int(cards[2]))
            ],
            "actions": [
                {"type": kind, "target": BASE.index(target)}
                | ({"value": value - 1} if value else {})
                for (value, kind), target in zip(kinds, actions[3::2], strict=True)
            ],
        }
    except (ValueError, IndexError, ZeroDivisionError):
        raise UserError(
            f"the address {shortened(repr(text.strip()))} is damaged; copy it once more"
        ) from None


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
        return {
            "game": self.name,
            "file": str(self.file),
            "address": self.address,
            "not_shown": self.past_end,
        }


def export(path: Path, out: Path) -> list[Written]:
    """Write the games of a journal or a run folder; games of a run that have no move yet are left
    out.

    Raises UserError for a single game without moves.
    """
    games = sources(path)
    written = []
    if path.is_dir() and out.is_file():
        raise UserError(f"--out {str(out)!r} is a file; the games of a run need a folder")
    for source in games:
        recorded = Game.open(source.path)
        if path.is_dir() and not recorded.moves:
            continue
        data = game(recorded)
        if path.is_dir() or out.is_dir():
            file = out / f"{source.name}.json"
        else:
            file = out
        write_atomically(file, json.dumps(data, ensure_ascii=False) + "\n")
        written.append(Written(source.name, file, address(data), past_end(recorded)))
    if path.is_dir():
        write_csv(
            out / ADDRESSES, ("game", "address"), ((game.name, game.address) for game in written)
        )
    return written


def lines(written: Sequence[Written], out: Path) -> list[str]:
    """Return what a person reads: the address of a single game, or where those of many are."""
    if len(written) == 1:
        sentences = [f"file     {written[0].file}", f"address  {written[0].address}"]
    else:
        sentences = [f"{len(written)} games  {out}", f"addresses  {out / ADDRESSES}"]
    sentences.append(
        "white cards are blue there, blue ones purple; the file has the reasons as notes, "
        "the address has none"
    )
    if past := [game for game in written if game.past_end]:
        if len(written) == 1:
            games = "this game"
        else:
            games = f"{len(past)} games"
        moves = sum(game.past_end for game in past)
        if moves == 1:
            cut = "the last move is"
        else:
            cut = f"the last {moves} moves are"
        sentences.append(
            f"hanab.live ends {games} earlier, when no card can score any more: {cut} cut"
        )
    return sentences


def _written(path: Path, out: Path) -> formats.Written:
    games = export(path, out)
    return formats.Written(*lines(games, out), data=[game.plain for game in games])


FORMAT = formats.ExportFormat(says="games of hanab.live, with reasons as notes", write=_written)
