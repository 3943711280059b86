"""The games by name. A game's module is imported when its name is first used.

Games of other packages are entry points of the group `hanabi_orchestrator.games`: a name, and a `Game`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.types import Game

DEFAULT = "hanabi"
"""The game of a graph, a journal and a view that name none."""
GROUP = "hanabi_orchestrator.games"

_OURS = "hanabi_orchestrator.orchestrator"
_BUILT_IN: Mapping[str, str] = {
    DEFAULT: f"{_OURS}.hanabi.game:HANABI",
    "capture": f"{_OURS}.collab.game:CAPTURE",
    "escape": f"{_OURS}.collab.game:ESCAPE",
}
"""By name, where the game is."""
_GAMES: plugins.Table[Game] = plugins.Table(Game, "game", GROUP, _BUILT_IN)  # type: ignore[type-abstract]


def add(game: Game) -> Game:
    """Register a game by its name. Raises UserError when the name is taken."""
    return _GAMES.add(game.name, game)


def names() -> list[str]:
    """Return the names of all games, those of this package first."""
    return _GAMES.names()


def get(name: str) -> Game:
    """Return the game of a name. Raises UserError with the known names."""
    return _GAMES.get(name)


def loaded() -> list[Game]:
    """Return the games that were used so far, the default one first."""
    return [get(DEFAULT), *(game for name, game in _GAMES.loaded().items() if name != DEFAULT)]


def other_game(name: str) -> str:
    """Return how a sentence ends that refuses another game than Hanabi where only Hanabi is known."""
    return (
        f"a game of {get(name).title}, which is played from Python alone: hanabi_orchestrator.play"
    )


# What belongs to which game


def of_view(view: Any) -> Game:
    """Return the game of a view."""
    return get(getattr(view, "game", DEFAULT))


@lru_cache(maxsize=256)
def _of_kind(kind: Any) -> Game | None:
    return next((game for _, game in _GAMES.sound() if kind in game.moves), None)


def of_move(move: Any) -> Game:
    """Return the game of a move; the default one where no game has such moves."""
    kind: Any = type(move)
    return _of_kind(kind) or get(DEFAULT)


def is_move(value: Any) -> bool:
    """Return whether a value is a move of any game."""
    kind: Any = type(value)
    return _of_kind(kind) is not None


def of_moves(moves: Mapping[str, Any]) -> Game:
    """Return the game of listed moves; the default one of an empty list."""
    for move in moves.values():
        return of_move(move)
    return get(DEFAULT)


@lru_cache(maxsize=1024)  # a journal names the same few moves a hundred times
def parse(text: str) -> Any:
    """Return the move of an exact text, of whichever game. Raises ValueError for any other text."""
    for _, game in _GAMES.sound():
        try:
            return game.parse(text)
        except ValueError:
            continue
    return get(DEFAULT).parse(text)  # which says what moves read like


def of_seats(named: Sequence[str], game: str | None) -> Game:
    """Return the one game of these seats, or the given one. Raises UserError for seats of two games."""
    games = list(dict.fromkeys((*((game,) if game else ()), *named)))
    if len(games) > 1:
        titles = " and ".join(get(name).title for name in games)
        raise UserError(f"seats of two games cannot play at one table: {titles}")
    return get(games[0] if games else DEFAULT)
