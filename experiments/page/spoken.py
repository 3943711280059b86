"""Moves, cards and beliefs as the page's JSON says them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, Past
from hanabi_orchestrator.orchestrator.journal.events import Decided
from hanabi_orchestrator.orchestrator.printable import escaped_json, writable
from hanabi_orchestrator.orchestrator.values import whole_number

Json = dict[str, Any]


def encoded(data: Any) -> bytes:
    """Data as JSON that every browser reads: what journals of other programs may hold becomes `?`
    and null, and no control character stands in it as it is."""
    form: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}
    try:
        text = json.dumps(data, allow_nan=False, **form)
    except ValueError:  # NaN or an infinity
        text = json.dumps(json.loads(json.dumps(data), parse_constant=lambda _: None), **form)
    return escaped_json(writable(text)).encode()


def move(source: Move | str) -> Json:
    """`{"text": "hint P1 rank 1", "type": "hint", "to": 1, "rank": 1}`."""
    made = parse(source) if isinstance(source, str) else source
    data: Json = {"text": str(made), "type": made.kind.partition("_")[0]}
    for name in ("slot", "to", "colour", "rank"):
        if (value := getattr(made, name, None)) is not None:
            data[name] = value
    return data


def cards(items: Iterable[Card]) -> list[str]:
    return [card.value for card in items]


def knowledge(hints: Knowledge) -> Json:
    return hints.model_dump(include={"colour", "rank", "ranks"}) | {
        "colours": "".join(hints.colours)
    }


def chances(slot: Slot) -> Json:
    """Return what is believed of a card; chances to four digits."""
    cards = {card.value: round(chance, 4) for card, chance in slot.likely().items()}
    return {
        "cards": cards,
        **{name: round(getattr(slot, name), 4) for name in ("playable", "critical", "dead")},
    }


def past(played: Past | None) -> Json:
    """Return a move and what everybody saw of it; empty where none is made yet."""
    if played is None:
        return dict.fromkeys(("move", "card", "scored")) | {"slots": []}
    card = played.card.value if played.card else None
    return {"move": move(played.move), "card": card, "scored": played.scored, "slots": played.slots}


def number(query: Mapping[str, str], name: str) -> int:
    """Return a whole number among the parameters of an address. Raises UserError."""
    text = query.get(name, "")
    if (value := whole_number(text)) is None:
        raise UserError(f"{name} is {text[:40]!r}; it must be a whole number")
    return value


def decision(decided: Decided) -> Json:
    """Return a seat's decision."""
    return {
        "move": move(decided.move),
        **{name: getattr(decided, name) for name in ("why", "forced", "node")},
    }
