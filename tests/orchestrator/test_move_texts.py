"""The texts of moves: each belongs to one game alone, so that a record can be read without its game's name."""

from collections.abc import Callable, Iterable

import pytest

from hanabi_orchestrator.orchestrator.collab import capture, escape
from hanabi_orchestrator.orchestrator.collab.maps import ESCAPE_MAP
from hanabi_orchestrator.orchestrator.guandan import plays
from hanabi_orchestrator.orchestrator.guandan.cards import deal as guandan_deal
from hanabi_orchestrator.orchestrator.guandan.referee import Referee as Guandan
from hanabi_orchestrator.orchestrator.hanabi import moves as hanabi
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee as Hanabi
from hanabi_orchestrator.orchestrator.hanabi.referee import deal as hanabi_deal
from hanabi_orchestrator.orchestrator.overcooked import macros
from hanabi_orchestrator.orchestrator.overcooked.layouts import LAYOUTS

PARSERS: dict[str, Callable[[str], object]] = {
    "hanabi": hanabi.parse,
    "guandan": plays.parse,
    "capture": capture.parse,
    "escape": escape.parse,
    "overcooked": macros.parse,
}


def capture_moves() -> Iterable[capture.Move]:
    for room in range(1, 10):
        yield from capture.legal(capture.Position((room, 1), 2, (True, True)), 0)


def escape_moves() -> Iterable[escape.Move]:
    for room in ESCAPE_MAP.rooms:
        yield from escape.legal(escape.START._replace(rooms=(room, 1)), 0)


def kitchen_macros() -> Iterable[macros.Macro]:
    yield from (macros.WAIT, macros.MOVE_AWAY)
    for name in {name for layout in LAYOUTS.values() for name in layout.names}:
        if name[0] == "c":
            yield from (macros.Load(place=name), macros.Put(item="onion", place=name))
        elif name[0] == "d":
            yield macros.Put(item="soup", place=name)
        elif name[0] in "op":
            yield macros.PickUp(item="onion" if name[0] == "o" else "plate", place=name)
        else:
            yield from (
                macros.Put(item="plate", place=name),
                macros.PickUp(item="soup", place=name),
            )


MOVES: dict[str, Callable[[], Iterable[object]]] = {
    "hanabi": lambda: Hanabi(2, hanabi_deal(1)).legal(),
    "guandan": lambda: (plays.PASS, *Guandan(4, guandan_deal(1)).legal()),
    "capture": capture_moves,
    "escape": escape_moves,
    "overcooked": kitchen_macros,
}


def reads(parser: Callable[[str], object], text: str) -> bool:
    try:
        return parser(text) is not None
    except ValueError:
        return False


@pytest.mark.parametrize("game", PARSERS)
def test_the_text_of_a_move_belongs_to_one_game(game: str) -> None:
    texts = {str(move) for move in MOVES[game]()}
    assert len(texts) > 10
    for text in texts:
        assert [name for name, parser in PARSERS.items() if reads(parser, text)] == [game], text
