"""Moves in other words than the list's: as objects, in other languages, and relative to the one who moves.

They are put into the list's words, for `move_reading` to match; what cannot be is left as it is, to be refused.
"""

import re
from collections.abc import Mapping
from typing import Any

from hanabi_orchestrator.orchestrator.hanabi.moves import Listed
from hanabi_orchestrator.orchestrator.replies.reply import TableOptions

VERBS = {"play": "play", "discard": "discard", "hint": "hint|clue|reveal|tell"}

# Objects

_KEYS = {
    "verb": "type kind action move name action_type move_type",
    "slot": "slot card index position card_index slot_index",
    "to": "to target player seat target_player",
    "offset": "target_offset",
    "colour": "color colour",
    "rank": "rank number",
}
_PARTS = {key: part for part, keys in _KEYS.items() for key in keys.split()}
_KIND = re.compile(
    rf"({'|'.join(VERBS.values())})(?:[\s_-]+(?:colou?r|rank|number|card|slot))?", re.IGNORECASE
)


def gathered(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object with the parts of a move, which stand beside its verb, under the name of the verb:
    `{"action": "play", "slot": 4}`."""
    parts = {key: value for key, value in data.items() if _PARTS.get(key.lower(), "verb") != "verb"}
    verb = data.get(name)
    if not parts or not isinstance(verb, str) or not _KIND.fullmatch(verb.strip()):
        return dict(data)
    return {key: value for key, value in data.items() if key not in parts} | {
        name: {"type": verb, **parts}
    }


def _from_object(data: Mapping[str, Any]) -> str | None:
    """Return the text of a move given by its parts; None where a part is missing or too many."""
    parts = {
        _PARTS.get(key.lower(), key): str(value).strip()
        for key, value in data.items()
        if value is not None
    }
    kind = _KIND.fullmatch(parts.pop("verb", ""))
    if kind is None or len(parts) < sum(value is not None for value in data.values()) - 1:
        return None
    number = re.sub(
        r"\A(?:slot|card|player|p|rank)\s*(?=\d)", "", " ".join(parts.values()), flags=re.IGNORECASE
    )
    match sorted(parts):
        case ["slot"] if kind[1].lower() in ("play", "discard"):
            return f"{kind[1]} slot {number}"
        case ["colour" | "rank", "to"] | ["colour", "offset"] | ["offset", "rank"] if kind[
            1
        ].lower() not in (
            "play",
            "discard",
        ):
            to = (
                f"player +{parts['offset']}"
                if "offset" in parts
                else f"P{parts['to'].upper().removeprefix('P')}"
            )
            what = (
                f"color {parts['colour']}"
                if len(parts.get("colour", "")) == 1
                else parts.get("colour")
            )
            return f"{kind[1]} {to} {what or 'rank ' + parts['rank'].lower().removeprefix('rank ')}"
    return None


# Other languages

_ABROAD = {
    "play ": r"打出|出牌|\b(?:jouer|joue|spielen?|jugar|juego|jogar|giocare|gioco)\b",
    "discard ": r"弃掉|弃置|弃牌|丢弃|弃|\b(?:défausser|défausse|descartar|descarto|scartare|scarto|abwerfen)\b",
    "hint ": "提示|告知",
    "slot ": "卡槽|槽位|槽",
    "P": r"玩家\s*P?(?=\d)",
    "rank ": "点数|数字",
    **{
        f" {name} ": f"{sign}色?"
        for name, sign in zip(
            ("red", "yellow", "green", "white", "blue"), "红黄绿白蓝", strict=True
        )
    },
}
_WORDS = re.compile(
    "|".join(f"(?P<w{n}>{words})" for n, words in enumerate(_ABROAD.values())), re.IGNORECASE
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


# Relative words

_OFFSET = re.compile(r"\b(?:player|p)\s*\+\s*([1-4])\b", re.IGNORECASE)
_AGE = re.compile(r"\b(play|discard)\s+(?:my|the)\s+(newest|oldest)\s+card\b", re.IGNORECASE)


def _from_seat(text: str, table: Mapping[str, int]) -> str:
    """Return a text with seats and slots by their numbers, as its writer counts them."""
    seat = table["seat"]
    players = table["players"]

    def target(match: re.Match[str]) -> str:
        offset = int(match[1])
        return f"P{(seat + offset) % players}" if offset < players else match[0]

    verbs = "|".join(VERBS.values())
    text = re.sub(
        rf"\A[\s(]*P(?:layer )?{seat}:?\s+(?=(?:{verbs})s?\b)", "", text, flags=re.IGNORECASE
    )
    text = _AGE.sub(
        lambda m: f"{m[1]} slot {table['slots'] - 1 if m[2].lower() == 'newest' else 0}", text
    )
    return _OFFSET.sub(target, text)


def restated(answer: object, legal: Listed) -> object:
    """Return an answer in the list's words, as far as that is possible."""
    if isinstance(answer, Mapping):
        answer = _from_object(answer) or answer
    if not isinstance(answer, str):
        return answer
    bare = re.sub(r"\A\s*我(?:选择|决定|要)?", "", answer)
    english = _WORDS.sub(lambda match: tuple(_ABROAD)[int(str(match.lastgroup)[1:])], bare)
    text = answer if english == bare or _CHINESE.search(english) else " ".join(english.split())
    return (
        _from_seat(text, legal.table)
        if isinstance(legal, TableOptions) and "seat" in legal.table
        else text
    )
