"""Hanabi as a game of the table."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import TypeAdapter

from hanabi_orchestrator.orchestrator.game.reading import Listed
from hanabi_orchestrator.orchestrator.game.types import Game, Measure
from hanabi_orchestrator.orchestrator.hanabi import (
    first_choices,
    move_reading,
    move_words,
)
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, Card
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import wasted_hints
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.hanabi.referee import (
    PERFECT,
    Referee,
    check_players,
    deal,
)
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, Past, View

_CARDS = TypeAdapter(tuple[Card, ...])
_RISK = {"play": 2, "discard": 1}
"""By the kind of a move, how much it may cost; a hint costs least."""


class Hanabi(Game):
    """Hanabi for 2 to 5 players; a deal is the deck."""

    name = "hanabi"
    title = "Hanabi"
    players = (2, 3, 4, 5)
    usual = 3
    deals = "any whole number: the deck that HLE deals from this seed"
    view = View
    past = Past
    moves = get_args(Move)
    measures = {
        "score": Measure("The points, 0 when the third life is lost.", "points", "more", 0, PERFECT)
    }
    primary = "score"
    ends = {
        "perfect": "all fireworks complete",
        "deck_exhausted": "the deck ran out",
        "lives_lost": "the third life was lost",
        "max_turns": "stopped at the turn limit",
        "vote": "ended by the players' vote",
        "player": "ended by a player",
        "clock": "ended by the clock",
    }

    def deal(self, seed: int, settings: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        return deal(seed)

    def deal_name(self, deck: Sequence[str]) -> str:
        return f"a deck that begins with {' '.join(deck[:5])}"

    def checked(self, deck: Sequence[str]) -> tuple[Card, ...]:
        return _CARDS.validate_python(deck)

    def check_players(self, players: int) -> int:
        return check_players(players)

    def referee(self, players: int, deck: Sequence[str]) -> Referee:
        return Referee(players, deck)

    def parse(self, text: str) -> Move:
        return parse(text)

    def ground(self, answer: object, legal: Listed) -> Move:
        return move_reading.ground(answer, legal)

    def concluded(self, text: str) -> tuple[str, str] | None:
        return move_reading.concluded(text)

    def gathered(self, data: Mapping[str, Any], name: str) -> dict[str, Any]:
        return move_words.gathered(data, name)

    def speaks_for_another(self, reason: str, move: Any) -> bool:
        return move_reading.speaks_for_another(reason, move)

    def judges_another(self, reason: str, move: Any) -> bool:
        return move_reading.judges_another(reason, move)

    def counts(self, view: View) -> dict[str, int]:
        return {"seat": view.seat, "players": view.players, "slots": len(view.own)}

    def fallback(self, view: View) -> tuple[Move, str]:
        # a hint, else a discard, else a play, the first of its kind
        move = min(view.legal, key=lambda move: _RISK.get(move.kind, 0))
        return move, "nothing of the table is shown"

    def remembered(self, view: View, without: Sequence[str]) -> dict[str, Any]:
        table = {
            "lives": view.lives,
            "tokens": view.tokens,
            "deck_size": view.deck_size,
            "fireworks": list(view.fireworks),
            "own": [_hint(card) for card in view.own],
            "hands": {str(hand.seat): [card.value for card in hand.cards] for hand in view.hands},
        }
        if "discards" in without:
            return table
        return {**table, "discards": [card.value for card in view.discards]}

    def closing(self, referee: Referee, refused: Mapping[int, Any]) -> dict[str, Any]:
        moves = tuple(past.move for past in referee.history)
        record = Record.model_construct(players=referee.players, deck=referee.deck, moves=moves)
        return {
            "score_strict": referee.score_strict,
            "score_kept": referee.score_kept,
            "lives": referee.lives,
            "end": referee.end or "max_turns",
            "fireworks": dict(zip(COLOURS, referee.fireworks, strict=True)),
            "hints_wasted": wasted_hints(referee.players, referee.history),
            **first_choices.effects(record, refused),
        }

    def public_record(self, players: int, deck: Sequence[str], moves: Sequence[Any]) -> Record:
        return Record.model_validate({"players": players, "deck": deck, "moves": moves})


def _hint(card: Knowledge) -> str:
    """Return what positive hints say about a card: `nothing`, `red`, `rank 3` or `red 3`."""
    colour = COLOUR_NAMES[card.colour] if card.colour else ""
    if not card.rank:
        return colour or "nothing"
    return f"{colour} {card.rank}" if colour else f"rank {card.rank}"


HANABI = Hanabi()
