"""Games of hanab.live as journals: deck and moves, checked by HLE, with a seat `hanab.live` for
every player."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from hanabi_orchestrator.experiments.formats import ImportFormat, Written
from hanabi_orchestrator.experiments.interchange import hanab_live
from hanabi_orchestrator.experiments.interchange.hanab_live import (
    DISCARD,
    END,
    END_BY_VOTE,
    GIVEN_UP,
    NO_VARIANT,
    PLAY,
    SEED,
    STANDARD,
    CardOrders,
)
from hanabi_orchestrator.experiments.record import games
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, nearby, shortened, user_error
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, HAND_SIZES, Card, check_deck
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank, Move
from hanabi_orchestrator.orchestrator.hanabi.referee import End, Referee
from hanabi_orchestrator.orchestrator.journal.events import Event
from hanabi_orchestrator.orchestrator.printable import writable
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.words import many

SEAT = "hanab.live"
"""The graph of a seat of an imported game."""

LONGEST = 500
"""Entries of a list: a deck has 50, and a game ends long before so many actions."""

OTHER_RULES = ("oneExtraCard", "oneLessCard", "allOrNothing", "detrimentalCharacters")
"""Options of the site that change the rules; the others change clocks and looks, or which moves are
legal."""


class _Card(Frozen):
    suitIndex: int = Field(ge=0, le=4)  # noqa: N815  # the format's name
    rank: int = Field(ge=1, le=5)


class _Action(Frozen):
    type: int = Field(ge=0, le=5)
    target: int
    value: int | None = None


@dataclass(frozen=True)
class Imported:
    """A game that was read from another program."""

    labels: tuple[str, ...]
    """The names of the players."""
    deck: tuple[Card, ...]
    moves: tuple[Move, ...]
    ended: bool
    """Whether it was over there."""
    given_up: End | None = None
    """How it was ended there before its end by the rules; its score there is 0."""

    @property
    def players(self) -> int:
        return len(self.labels)


def read(source: str) -> Imported:
    """Return the game of a file of hanab.live's JSON, or of the address of a replay. Raises
    UserError, in a sentence."""
    if source.startswith(("https://", "http://")):
        return _game(hanab_live.of_address(source), source[:60])
    try:
        text = regular_files.text(Path(source), "utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {source!r}: {error.strerror}{nearby(Path(source))}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"cannot read {source!r}: {regular_files.not_text(error)}") from None
    if text.lstrip().startswith("https://"):
        return _game(hanab_live.of_address(text), source)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{source}: not JSON: {error}") from None
    if not isinstance(data, dict) or "actions" not in data:
        raise UserError(
            f"{source}: not a game of hanab.live, a JSON object with players, deck and actions"
        )
    return _game(data, source)


def _game(data: Mapping[str, Any], where: str) -> Imported:
    options = data.get("options") or {}
    if not isinstance(options, dict):
        raise UserError(f"{where}: options must be a mapping, not {shortened(repr(options))}")
    if variant := next(chain(_variants(data), _variants(options)), None):
        raise UserError(
            f"{where}: the variant is {variant}; only {NO_VARIANT!r}, the standard game, can be "
            "read"
        )
    if strange := next((name for name in OTHER_RULES if options.get(name)), None):
        raise UserError(
            f"{where}: the option {strange} is set, which changes the rules; HLE plays without it"
        )
    players = data.get("players")
    if (
        not isinstance(players, list)
        or not 2 <= len(players) <= 5
        or not all(isinstance(p, str) for p in players)
    ):
        raise UserError(
            f"{where}: players must be a list of 2 to 5 names, not {shortened(repr(players))}"
        )
    if (cards := data.get("deck")) is None:
        raise UserError(
            f"{where}: there is no deck; the site's export of the game has it: "
            "https://hanab.live/export/ID"
        )
    try:
        deck = check_deck(
            [
                f"{COLOURS[card.suitIndex]}{card.rank}"
                for card in _all(_Card, cards, f"{where}: deck")
            ]
        )
    except ValueError as error:
        message = str(error)
        raise UserError(
            message if isinstance(error, UserError) else f"{where}: {message}"
        ) from None
    actions = _all(_Action, data["actions"], f"{where}: actions")
    first = options.get("startingPlayer") or 0
    if type(first) is not int or not 0 <= first < len(players):
        seats = f"a seat from 0 to {len(players) - 1}"
        raise UserError(f"{where}: startingPlayer must be {seats}, not {shortened(repr(first))}")
    table = _Rotation(len(players), first)
    deck = table.deck(deck)
    actions = [table.action(action) for action in actions]
    moves, ended, given_up = _moves(actions, len(players), deck, where)
    # a journal can hold no lone surrogates, and no book
    labels = tuple(shortened(writable(name)) for name in players)
    return Imported((*labels[first:], *labels[:first]), deck, moves, ended, given_up)


def _variants(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the variants that a game or its options name, but for the standard game: by name,
    number or seed."""
    for key in ("variant", "variantName"):
        name = fields.get(key)
        if isinstance(name, dict):
            name = name.get("name") or name.get("id")
        else:
            name = name
        if name and name != NO_VARIANT:
            yield shortened(repr(name))
    number = str(fields.get("variantID") or STANDARD)
    if number != STANDARD:
        yield f"number {shortened(number)}"
    seed = SEED.fullmatch(str(fields.get("seed") or ""))
    if seed and seed[1] != STANDARD:
        yield f"number {seed[1]}, by the seed {shortened(seed[0])}"


@dataclass(frozen=True)
class _Rotation:
    """Turns a table so that the player who begins is the first, as in HLE; the site deals to its
    first seat anyway."""

    players: int
    first: int

    def deck(self, deck: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the deck that deals everybody's hand to their new seat."""
        return tuple(deck[place] for place in sorted(range(len(deck)), key=self.place))

    def place(self, order: int) -> int:
        """Return the place in the new deck of a card, given its place in the site's."""
        size = HAND_SIZES[self.players]
        seat, slot = divmod(order, size)
        if 0 <= seat < self.players:
            return self.seat(seat) * size + slot
        return order

    def seat(self, player: int) -> int:
        if 0 <= player < self.players:
            return (player - self.first) % self.players
        return player

    def action(self, action: _Action) -> _Action:
        turned = self.place if action.type in (PLAY, DISCARD) else self.seat
        return action.model_copy(update={"target": turned(action.target)})


def _all(kind: type[Any], values: Any, where: str) -> list[Any]:
    if not isinstance(values, list) or not values:
        raise UserError(f"{where} must be a list with at least one entry")
    if len(values) > LONGEST:
        raise UserError(
            f"{where} has {len(values)} entries; no game of Hanabi has more than {LONGEST}"
        )
    entries = []
    for number, value in enumerate(values):
        try:
            entries.append(kind.model_validate(value))
        except ValidationError as error:
            raise user_error(f"{where}[{number}]", error) from None
    return entries


def _moves(
    actions: Sequence[_Action], players: int, deck: tuple[Card, ...], where: str
) -> tuple[tuple[Move, ...], bool, End | None]:
    """Return the moves, whether the game is over after them, and how it was given up. Raises
    UserError at the first one that does not fit."""
    referee = Referee(players, deck)
    orders = CardOrders(players, len(deck))
    ended = False
    given_up: End | None = None
    for number, action in enumerate(actions):
        at = f"{where}: actions[{number}]"
        if ended:
            raise UserError(f"{at} comes after the end of the game")
        if action.type in (END, END_BY_VOTE):
            ended = True
            if action.type == END_BY_VOTE:
                given_up = "vote"
            else:
                given_up = GIVEN_UP.get(action.value or 0, "player")
            continue
        if referee.over:
            raise UserError(f"{at}: the game is over after {number} moves")
        _apply(referee, action, orders, at)
    history = referee.history
    over = ended or referee.over or hanab_live.turns_that_score(history) is not None
    return tuple(past.move for past in history), over, given_up


def _apply(referee: Referee, action: _Action, orders: CardOrders, at: str) -> None:
    seat = referee.seat
    try:
        move = hanab_live.move_of(action.model_dump(exclude_none=True), seat, orders)
    except ValidationError as error:
        raise user_error(at, error) from None
    except ValueError as error:
        raise UserError(f"{at}: {error}") from None
    if move not in referee.legal():
        why = ""
        tokens = referee.view().tokens
        if isinstance(move, HintColour | HintRank):
            if tokens:
                why = ": it touches no card"
            else:
                why = ": there is no information token left"
            why = ": nobody hints themself" if move.to == seat else why
        elif tokens == 8:
            why = ": all 8 information tokens are there"
        raise UserError(f"{at}: {move} is not legal on turn {referee.turn} for P{seat}{why}")
    referee.apply(move)


def journal_of(game: Imported, path: Path) -> list[Event]:
    """Write the journal of an imported game; returns its events. Raises UserError when the file is
    there."""
    return games.save(
        path,
        game.deck,
        game.moves,
        players=game.labels,
        program=SEAT,
        ended=game.ended,
        given_up=game.given_up,
    )


def _written(source: str, out: Path | None) -> Written:
    """Read a game of the site: its deck and its moves."""
    game = read(source)
    path = out or Path("games")
    if path.suffix != ".jsonl" and source.startswith("http"):
        path = path / "hanab-live-address.jsonl"
    elif path.suffix != ".jsonl":
        path = path / f"hanab-live-{Path(source).stem}.jsonl"
    journal_of(game, path)
    end = ""
    if game.given_up:
        end = f", {get(DEFAULT).ends[game.given_up]}"
    elif not game.ended:
        end = ", unfinished"
    moves = many(len(game.moves), "move")
    colours = "the site's blue cards are white here, its purple ones blue"
    data = {
        "journal": str(path),
        "players": game.players,
        "moves": len(game.moves),
        "ended": game.ended,
        "given_up": game.given_up,
    }
    return Written(f"{game.players} players, {moves}{end}; {colours}", data=data, journal=path)


def _takes(source: str) -> bool:
    return source.startswith(("http://", "https://")) or source.endswith(".json")


FORMAT = ImportFormat(
    says="a game of hanab.live: JSON, or a replay's address", read=_written, takes=_takes
)
