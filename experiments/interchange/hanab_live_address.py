"""The address of a replay on hanab.live: deck and moves in a compact text, without names and notes.

The text is `PLAYERS LOWEST HIGHEST cards,LOWEST HIGHEST actions,VARIANT`, a character for a card and two for an action,
with a hyphen after every 20 characters. Newer addresses may end in `,SEED`, and any in `#TURN`.
"""

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from orchestrator.errors import UserError, shortened

SITE = "https://hanab.live/shared-replay-json/"
ADDRESS = re.compile(r"https://hanab\.live/(?:shared-)?replay-json/([\w,-]+)(?:#\d+)?\s*")

BASE = ascii_lowercase + digits + ascii_uppercase
GROUP = 20
"""Characters between two hyphens."""

NAMES = ["Alice", "Bob", "Cathy", "Donald", "Emily"]
"""What the site calls the players of such a replay."""

STANDARD = "0"
"""The number of the variant of the standard game."""


def address(game: Mapping[str, Any]) -> str:
    """The address of a game in the site's JSON format."""
    ranks = [card["rank"] for card in game["deck"]]
    lowest, width = min(ranks), max(ranks) - min(ranks) + 1
    cards = "".join(BASE[card["suitIndex"] * width + card["rank"] - lowest] for card in game["deck"])
    text = f"{len(game['players'])}{lowest}{max(ranks)}{cards},{_actions(game['actions'])},{STANDARD}"
    return SITE + "-".join(text[start : start + GROUP] for start in range(0, len(text), GROUP))


def _actions(actions: Sequence[Mapping[str, int]]) -> str:
    kinds = [action["type"] for action in actions]
    lowest, width = min(kinds), max(kinds) - min(kinds) + 1
    pairs = (BASE[_value(step) * width + step["type"] - lowest] + BASE[step["target"]] for step in actions)
    return f"{lowest}{max(kinds)}{''.join(pairs)}"


def _value(action: Mapping[str, int]) -> int:
    """0 for an action without a value."""
    return action["value"] + 1 if "value" in action else 0


def game(text: str) -> dict[str, Any]:
    """The game of an address in the site's JSON format. Raises UserError for a text that is none."""
    match = ADDRESS.fullmatch(text.strip())
    parts = match[1].replace("-", "").split(",") if match else []
    if len(parts) not in (3, 4):
        raise UserError(f"{shortened(repr(text.strip()))} is not an address of a replay, which begins with {SITE}")
    cards, actions, variant = parts[:3]
    if variant != STANDARD:
        raise UserError(f"the address is of variant {variant}; only the standard game, 0, can be read")
    if cards[:1] not in tuple("2345"):
        raise UserError(f"the address is of a game of {cards[:1] or 'no'} players; 2 to 5 can be read")
    try:
        return {
            "players": NAMES[: int(cards[0])],
            "deck": [_card(sign, int(cards[1]), int(cards[2])) for sign in cards[3:]],
            "actions": _read_actions(actions),
        }
    except (ValueError, IndexError, ZeroDivisionError):
        raise UserError(f"the address {shortened(repr(text.strip()))} is damaged; copy it once more") from None


def _card(sign: str, lowest: int, highest: int) -> dict[str, int]:
    suit, rank = divmod(BASE.index(sign), highest - lowest + 1)
    return {"suitIndex": suit, "rank": rank + lowest}


def _read_actions(text: str) -> list[dict[str, int]]:
    lowest, highest, pairs = int(text[0]), int(text[1]), text[2:]
    if len(pairs) % 2:
        raise ValueError("half an action")
    return [_action(pairs[at], pairs[at + 1], lowest, highest) for at in range(0, len(pairs), 2)]


def _action(sign: str, target: str, lowest: int, highest: int) -> dict[str, int]:
    value, kind = divmod(BASE.index(sign), highest - lowest + 1)
    action = {"type": kind + lowest, "target": BASE.index(target)}
    return action | ({"value": value - 1} if value else {})
