"""Games of HanabiLogs from their rows: the deal and the moves, checked turn by turn by HLE, with
the recorded answers.

A game is the rows of one model, player count and seed, from its first turn on. Its deal is HLE's
own of the seed, where that agrees with every state, else that of the states. A move is what leads
from a row's state to the next one's; the answer alone tells it only in the last row. Where a row is
missing or does not fit, the game stops before it: nothing is guessed, and every row is accounted
for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.interchange.hanabi_logs_rows import Broken, LogRow
from hanabi_orchestrator.experiments.interchange.hle_state import differences
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.config import read as read_graph
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    CARDS,
    COLOUR_NAMES,
    COLOURS,
    Card,
    check_deck,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Listed,
    Move,
    Play,
    labelled,
)
from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED, Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models.request import Message, prompt_hash
from hanabi_orchestrator.orchestrator.replies import reader
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable

BY_NAME = {"mincon": "watson", "deductcon": "sherlock", "multiturn": "mycroft"}
"""By a part of the name of a published file: the graph whose answers it holds."""


def graph_of(path: Path, graph_name: str | None) -> GraphConfig:
    """Return the graph whose format the answers follow. Raises UserError where neither a name nor
    the file says which."""
    name = graph_name or next((graph for part, graph in BY_NAME.items() if part in path.name), None)
    if name is None:
        raise UserError(
            f"{path.name} does not say which prompts its models were given; name the graph with "
            f"--graph: {', '.join(BY_NAME.values())}"
        )
    config = read_graph(name)
    if len(config.nodes) > 1:
        raise UserError(
            f"--graph {name}: {len(config.nodes)} nodes answer there; a row has one answer"
        )
    return config


@dataclass(frozen=True)
class Turn:
    """A row in its place in a game."""

    row: LogRow
    call: Call
    """The recorded answer, as it was read."""
    move: Move | None
    """The move that was made; None where nothing says."""


LeftOut = dict[str, Any]
"""A row that is in no game: its number, and why."""


def left_out(rows: Iterable[LogRow], why: object) -> list[LeftOut]:
    return [{"row": row.number, "why": str(why)} for row in rows]


@dataclass
class LogGame:
    """The rows of one game, as far as they fit."""

    config: GraphConfig
    referee: Referee
    """After the last move."""
    model: str
    seed: int | None
    """Of HLE's deal; None where the deck is that of the states, whose end is not known."""
    turns: list[Turn] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    fitting: int = 0
    """How many legal moves lead from the last row read to the one after it."""

    def read(self, row: LogRow, after: LogRow | None) -> str | None:
        """Read a row; return why it does not follow from those before it, if it does not."""
        if self.turns and self.turns[-1].move is None:
            if self.fitting:
                many = "several moves lead"
            else:
                many = "no legal move leads"
            return f"raw_game_state_before_move: {many} to this state from turn {row.turn - 1}"
        difference = next(differences(row.state, self.referee), None)
        if difference is not None:
            return (
                f"raw_game_state_before_move: it does not follow from the turn before: {difference}"
            )
        try:
            legal = options(row, self.referee)
        except Broken as problem:
            return str(problem)
        call = self._call(row, legal)
        action = (call.reply or {}).get("action")
        named = next((move for move in legal.values() if str(move) == action), None)
        move = self._move_made(after, named)
        self.turns.append(Turn(row, call, move))
        if move is not None:
            self.referee.apply(move)
        return None

    def _move_made(self, after: LogRow | None, named: Move | None) -> Move | None:
        """Return the one move that leads to the next state, that of the answer first; in the last
        row the answer's."""
        if after is None:
            is_unknown = (
                isinstance(named, Play | Discard)
                and self.referee.view().deck_size
                and self.seed is None
            )
            if is_unknown:
                return None
            return named
        players = self.referee.players
        deck = self.referee.deck
        made = [past.move for past in self.referee.history]

        def fits(move: Move) -> bool:
            return not any(differences(after.state, rebuild(players, deck, [*made, move])))

        if named is not None and fits(named):
            return named
        fitting = [move for move in self.referee.legal() if move != named and fits(move)]
        self.fitting = len(fitting)
        if len(fitting) == 1:
            return fitting[0]
        return None

    def _call(self, row: LogRow, legal: Listed) -> Call:
        node = self.config.nodes[self.config.decides]
        context = self.config.context_of(self.config.decides)
        role = self.config.role(self.config.decides)
        sent = (("system", row.system), ("user", row.user))
        messages = tuple(
            Message.model_validate({"role": speaker, "content": text})
            for speaker, text in sent
            if text
        )
        reading: dict[str, Any]
        try:
            read = reader.read(row.response, context.reply(role), legal)
            outcome = "repaired" if read.repaired else "ok"
            reading = {
                "reply": read.reply.model_dump(mode="json"),
                "outcome": outcome,
                "dropped": read.dropped,
            }
        except Unreadable as problem:
            reading = {"outcome": "fallback", "error": str(problem), "cause": problem.cause}
        return Call(
            turn=self.referee.turn,
            seat=self.referee.seat,
            node=self.config.decides,
            role=node.role,
            model=row.model,
            prompt_hash=prompt_hash(messages),
            messages=messages,
            text=row.response,
            fixed="recorded",
            estimated=True,
            **reading,
        )


def games(rows: Iterable[LogRow]) -> list[list[LogRow]]:
    """Return the rows of each game by turn; a turn number that comes again begins another game of
    the same deal."""
    by_deal: dict[tuple[object, ...], list[list[LogRow]]] = {}
    for row in rows:
        of_deal = by_deal.setdefault((row.model, row.players, row.seed), [[]])
        if any(earlier.turn == row.turn for earlier in of_deal[-1]):
            of_deal.append([])
        of_deal[-1].append(row)
    return [
        sorted(game, key=lambda row: row.turn) for game in chain.from_iterable(by_deal.values())
    ]


def placed(rows: Sequence[LogRow], config: GraphConfig) -> LogGame:
    """Return the game of these rows. Raises Broken when not even the first fits."""
    first = rows[0]
    if not first.state.first:
        raise Broken(
            f"turn_number: the game's rows begin with turn {first.turn}, which is not its first"
        )
    if first.state.seat != 0:
        raise Broken(
            f"current_player: P{first.state.seat} begins; only games that P0 begins can be read"
        )
    unbroken = [
        row
        for _, row in takewhile(lambda pair: pair[1].turn == first.turn + pair[0], enumerate(rows))
    ]
    seed, deck = _deck(unbroken)
    game = LogGame(config, Referee(first.players, deck), first.model, seed)
    for place, row in enumerate(unbroken):
        if (problem := game.read(row, next(iter(unbroken[place + 1 :]), None))) is not None:
            game.left_out += left_out(unbroken[place:], problem)
            break
    missing = unbroken[-1].turn + 1
    gap = f"turn_number: turn {missing} is missing, so that later turns have no known past"
    game.left_out += left_out(rows[len(unbroken) :], gap)
    return game


def _deck(rows: Sequence[LogRow]) -> tuple[int | None, tuple[Card, ...]]:
    """Return HLE's deal of the seed where all states show its cards, else the deck that the states
    show. Raises Broken."""
    seed = rows[0].seed
    seen = [held.card for held in chain.from_iterable(rows[0].state.hands)]
    for before, after in pairwise(rows):
        if after.state.deck_size < before.state.deck_size:
            seen.append(after.state.hands[before.state.seat][-1].card)
    if seed <= MAX_SEED:
        dealt_deck = deal(seed)
        if all(card in (None, dealt) for card, dealt in zip(seen, dealt_deck, strict=False)):
            return seed, dealt_deck
    cards = [card for card in seen if card is not None]
    if len(cards) < len(seen):
        raise Broken(
            "seed: HLE's deal of this seed does not show the hands of "
            "raw_game_state_before_move, which hides one hand"
        )
    # what nobody drew follows in any order
    rest = list(chain.from_iterable([card] * card.copies for card in CARDS))
    try:
        for card in cards:
            rest.remove(card)
        return None, check_deck([*cards, *rest])
    except ValueError:
        raise Broken(
            "raw_game_state_before_move: the states show more copies of a card than there are"
        ) from None


_OWN = re.compile(r"\b(play|discard) (?:card |slot )?(\d)\b", re.IGNORECASE)
_HINT = re.compile(
    r"player (?P<sign>[+P])(?P<who>\d) (?:rank (?P<rank>[1-5])|colou?r (?P<colour>[a-z]+))",
    re.IGNORECASE,
)
_LETTERS = {letter.lower(): letter for letter in COLOURS} | {
    name: letter for letter, name in COLOUR_NAMES.items()
}


def options(row: LogRow, referee: Referee) -> Listed:
    """Return the legal moves by the numbers of a row, whose texts must name just these. Raises
    Broken.

    HLE's own words are read: `(Play 0)`, `(Reveal player +1 color R)`, and the same with an
    absolute `player P1`.
    """
    seat = referee.seat
    legal = referee.legal()
    moves = [_move(text, seat, referee.players) for text in row.legal]
    if set(moves) != set(legal) or len(moves) != len(legal):
        more = next((move for move in moves if move not in legal), None)
        lacks = next((move for move in legal if move not in moves), None)
        if more is not None:
            which = f"{more} is not legal"
        elif lacks:
            which = f"{lacks} is missing"
        else:
            which = "a move is twice"
        raise Broken(f"legal_moves_description_for_llm: {which} in this state")
    return labelled(moves)


def hle_words(move: Move, seat: int, players: int) -> str:
    """Return a move in HLE's words, as `_move` reads them."""
    if isinstance(move, Play | Discard):
        return f"({move.kind.capitalize()} {move.slot})"
    if isinstance(move, HintColour):
        what = f"color {move.colour}"
    else:
        what = f"rank {move.rank}"
    return f"(Reveal player +{(move.to - seat) % players} {what})"


def _move(text: str, seat: int, players: int) -> Move:
    if match := _HINT.search(text):
        number = int(match["who"])
        if match["sign"] == "+":
            to = (seat + number) % players
        else:
            to = number
        if match["rank"]:
            return HintRank(to=to, rank=int(match["rank"]))
        if (colour := _LETTERS.get(match["colour"].lower())) is not None:
            return HintColour(to=to, colour=colour)
    elif match := _OWN.search(text):
        return (Play if match[1].lower() == "play" else Discard)(slot=int(match[2]))
    raise Broken(
        f"legal_moves_description_for_llm: {text[:60]!r} is not a move as HLE writes it, e.g. "
        "'(Play 0)'"
    )
