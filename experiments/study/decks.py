"""Decks that somebody wrote down, and their names: of one game (`play --deck`), and of an
experiment (`deals`).

A deck is a JSON list of its 50 cards or a text of them, first dealt first. A file holds one deck,
which has the file's name, or several: a mapping from names to decks, or a list of them, which are
numbered. A folder is all its JSON files.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError, nearby
from hanabi_orchestrator.orchestrator.hanabi.cards import Card, check_deck

NOT_A_DECK = 'is not a JSON list of cards like ["R1", "B3", ...]'


@dataclass(frozen=True)
class Deck:
    """The cards of a deal, first dealt first."""

    name: str
    cards: tuple[Card, ...]


def read_deck(path: Path) -> list[str]:
    """Return the cards of a file with one deck, as they stand there. Raises UserError."""
    return _cards(_json(path), f"deck {str(path)!r}")


def read_decks(value: Any, folder: Path = Path()) -> dict[str, str]:
    """Return decks by name, each as a text of its cards, of a file or a folder, relative to
    `folder`; of several; or of the mapping from names to decks itself. Raises UserError in one
    sentence."""
    if isinstance(value, Mapping):
        pairs = [(str(name), deck) for name, deck in value.items()]
    else:
        paths = [value] if isinstance(value, str | Path) else value
        if not isinstance(paths, list | tuple) or not all(
            isinstance(path, str | Path) for path in paths
        ):
            raise UserError("name a JSON file of decks, a folder of such files, or a list of both")
        pairs = []
        for path in paths:
            pairs.extend(_of_path(folder / path))
    decks: dict[str, str] = {}
    for name, deck in pairs:
        check_name(name)
        if name in decks:
            raise UserError(f"two decks have the name {name!r}")
        cards = _cards(deck, f"the deck {name!r}")
        try:
            decks[name] = " ".join(check_deck(cards))
        except ValueError as error:
            raise UserError(f"the deck {name!r}: {error}") from None
    if not decks:
        raise UserError("there is no deck")
    return decks


def _of_path(path: Path) -> Iterator[tuple[str, Any]]:
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if not files:
            raise UserError(f"the folder {str(path)!r} holds no deck: no file ends in .json")
        for file in files:
            yield from _of_path(file)
        return
    data = _json(path)
    if isinstance(data, dict):
        yield from data.items()
    elif isinstance(data, list) and data and not _is_deck(data):
        yield from ((f"{path.stem}-{number}", deck) for number, deck in enumerate(data, 1))
    else:
        yield path.stem, data


def _is_deck(data: Any) -> bool:
    if isinstance(data, list):
        return all(isinstance(card, str) and len(card) < 10 for card in data)
    return isinstance(data, str)


def _cards(data: Any, what: str) -> list[str]:
    if not _is_deck(data):
        raise UserError(f"{what} {NOT_A_DECK}")
    if isinstance(data, str):
        return data.split()
    return list(data)


def _json(path: Path) -> Any:
    try:
        return json.loads(regular_files.text(path))
    except OSError as error:
        raise UserError(f"cannot read deck {str(path)!r}: {error.strerror}{nearby(path)}") from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"cannot read deck {str(path)!r}: {regular_files.not_text(error)}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"deck {str(path)!r} is not JSON: {error}") from None
