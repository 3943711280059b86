"""The rows of HanabiLogs, published records of models' turns: one row a turn, in JSON lines or
Parquet.

Which fields are read, and what is known of their form, is in docs/formats.md. A column of another
name is named by a YAML file of `our name: its name`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.interchange import hle_state
from hanabi_orchestrator.experiments.interchange.hle_state import HleState, NotAState
from hanabi_orchestrator.experiments.record import parquet
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, nearby, shortened
from hanabi_orchestrator.orchestrator.values import whole_number
from hanabi_orchestrator.orchestrator.yaml_files import from_file, loaded

NEEDED = (
    "model_name",
    "players",
    "seed",
    "turn_number",
    "raw_game_state_before_move",
    "response_content",
    "legal_moves_description_for_llm",
)
SPARE = ("current_player", "deck_size", "user_prompt", "system_prompt", "move_ratings")
FIELDS = (*NEEDED, *SPARE)


class Broken(ValueError):  # noqa: N818  # what the row is
    """A row that cannot be read; the message names the field."""


@dataclass(frozen=True)
class LogRow:
    """One turn of a model."""

    number: int
    """In the file, from 1."""
    model: str
    players: int
    seed: int
    turn: int
    """As the file counts."""
    state: HleState
    response: str
    legal: tuple[str, ...]
    """The texts of the legal moves, by their numbers from 0."""
    user: str
    system: str
    ratings: tuple[float, ...]
    """What the record's judge gave each move, by number; empty where there are none."""


def columns(path: Path | None) -> Mapping[str, str]:
    """Return the column of each field: its own name, or that of a YAML file. Raises UserError."""
    named = {} if path is None else loaded(from_file(path, "the column names"), str(path))
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise UserError(
            f"{path}: it must map field names to column names, e.g. response_content: answer"
        )
    for field in named:
        if field not in FIELDS:
            raise UserError(f"{path}: unknown field {field!r}; {did_you_mean(field, FIELDS)}")
    return {field: named.get(field, field) for field in FIELDS}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file as plain data, by its ending: .parquet, else JSON lines. Raises
    UserError."""
    if path.suffix == ".parquet":
        yield from parquet.rows(path)
        return
    try:
        with open(
            path, encoding="utf-8-sig", errors="surrogateescape", opener=regular_files.regular
        ) as file:
            for line in file:
                if line.strip():
                    try:
                        data = json.loads(line)
                    except (ValueError, RecursionError):
                        data = None
                    # a row without fields, which is reported as one
                    if isinstance(data, dict):
                        yield data
                    else:
                        yield {}
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}{nearby(path)}") from None


def row(data: Mapping[str, Any], number: int, named: Mapping[str, str]) -> LogRow:
    """Return a row as it is meant. Raises Broken."""
    if not data:
        raise Broken("it is not a JSON object")
    got = {field: data.get(column) for field, column in named.items()}
    for field in NEEDED:
        if got[field] is None:
            present = ", ".join(data) or "no columns"
            raise Broken(
                f"{field}: the row has no column {named[field]!r}; it has {shortened(present)}"
            )
    players = _integer(got, "players")
    if players not in (2, 3, 4, 5):
        raise Broken(f"players: {players}; Hanabi is for 2 to 5")
    state = _state(got, players)
    if got["deck_size"] is not None and _integer(got, "deck_size") != state.deck_size:
        raise Broken(f"deck_size: {got['deck_size']}, and the state says {state.deck_size}")
    ratings = _parsed(got, "move_ratings")
    ratings = [] if ratings is None else ratings
    if not isinstance(ratings, list) or not all(
        isinstance(rating, int | float) for rating in ratings
    ):
        raise Broken("move_ratings: it is not a list of numbers")
    return LogRow(
        number,
        _text(got, "model_name"),
        players,
        _integer(got, "seed"),
        _integer(got, "turn_number"),
        state,
        _text(got, "response_content"),
        _legal(got),
        _text(got, "user_prompt"),
        _text(got, "system_prompt"),
        tuple(map(float, ratings)),
    )


def _state(got: Mapping[str, Any], players: int) -> HleState:
    seat = None
    if (mover := got["current_player"]) is not None:
        if isinstance(mover, str) and mover[:1] in "Pp":
            number = mover[1:]
        else:
            number = mover
        seat = _integer({"current_player": number}, "current_player")
    try:
        state = hle_state.read(got["raw_game_state_before_move"], seat)
    except NotAState as problem:
        raise Broken(f"raw_game_state_before_move: {problem}") from None
    if state.players != players:
        raise Broken(f"players: {players}, and the state has {state.players} hands")
    if seat is not None and seat != state.seat:
        raise Broken(f"current_player: {seat}, and in the state P{state.seat} moves")
    return state


def _integer(got: Mapping[str, Any], field: str) -> int:
    value = got[field]
    if isinstance(value, str):
        value = whole_number(value.strip())
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**18:
        raise Broken(f"{field}: {shortened(repr(got[field]))} is not a whole number")
    return value


def _text(got: Mapping[str, Any], field: str) -> str:
    value = got[field]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Broken(f"{field}: it is {type(value).__name__}, not a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Broken(f"{field}: it is not UTF-8 text") from None
    return value


def _parsed(got: Mapping[str, Any], field: str) -> Any:
    """Return a value that may be stored as JSON text."""
    value = got[field]
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise Broken(f"{field}: {shortened(repr(value))} is not JSON") from None


def _legal(got: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the moves of `{"0": "...", "1": "..."}` or of a list, by number; keys without a text
    are none, as in Parquet."""
    field = "legal_moves_description_for_llm"
    value = _parsed(got, field)
    if isinstance(value, list) and all(
        isinstance(entry, list | tuple) and len(entry) == 2 for entry in value
    ):
        value = dict(value)  # a map of Parquet
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        raise Broken(f"{field}: it is {type(value).__name__}, not a mapping of numbers to moves")
    texts = {str(key): text for key, text in value.items() if text is not None}
    if sorted(texts) != sorted(map(str, range(len(texts)))) or not texts:
        raise Broken(f"{field}: its keys are {shortened(', '.join(texts))}, not the numbers from 0")
    if wrong := next((text for text in texts.values() if not isinstance(text, str)), None):
        raise Broken(f"{field}: {shortened(repr(wrong))} is not a text")
    return tuple(texts[str(number)] for number in range(len(texts)))
