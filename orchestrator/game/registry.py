"""The games by name. A game's module is imported when its name is first used.

Games of other packages are entry points of the group `hanabi_orchestrator.games`: a name, and a `Game`.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
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
_ADDED: dict[str, Game] = {}
_USED: dict[str, Game] = {}


def add(game: Game) -> Game:
    """Register a game by its name. Raises UserError when the name is taken."""
    if game.name in names():
        raise UserError(f"game {game.name!r} is registered twice; choose another name")
    _ADDED[game.name] = game
    return game


@cache
def _plugins() -> Mapping[str, plugins.Plugin]:
    return {plugin.entry.name: plugin for plugin in plugins.installed(GROUP)}


def names() -> list[str]:
    """Return the names of all games, those of this package first."""
    return list(dict.fromkeys((*_BUILT_IN, *_plugins(), *_ADDED)))


def get(name: str) -> Game:
    """Return the game of a name. Raises UserError with the known names."""
    if name not in _USED:
        _USED[name] = _ADDED[name] if name in _ADDED else _loaded(name)
    return _USED[name]


def _loaded(name: str) -> Game:
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        built_in: Game = getattr(import_module(module), attribute)
        return built_in
    if name in _plugins():
        installed: Game = _plugins()[name].load()
        return installed
    raise UserError(f"unknown game {name!r}; {did_you_mean(name, names())}")


def loaded() -> list[Game]:
    """Return the games that were used so far, the default one first."""
    return [get(DEFAULT), *(game for name, game in _USED.items() if name != DEFAULT)]


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
    return next((get(name) for name in names() if kind in get(name).moves), None)


def of_move(move: Any) -> Game:
    """Return the game of a move; the default one where no game has such moves."""
    kind: Any = type(move)
    return _of_kind(kind) or get(DEFAULT)


def of_moves(moves: Mapping[str, Any]) -> Game:
    """Return the game of listed moves; the default one of an empty list."""
    for move in moves.values():
        return of_move(move)
    return get(DEFAULT)


@lru_cache(maxsize=1024)  # a journal names the same few moves a hundred times
def parse(text: str) -> Any:
    """Return the move of an exact text, of whichever game. Raises ValueError for any other text."""
    for name in names():
        try:
            return get(name).parse(text)
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
