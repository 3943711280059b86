"""The engine that plays Hanabi, in two builds, which nothing else imports: the Hanabi Learning Environment (HLE), and
OpenSpiel, whose wheels for every system hold the same code.

HLE plays where it is installed, else OpenSpiel; `HANABI_ENGINE` set to `hle` or `openspiel` chooses one. Both number
moves and cards alike and write the same text of a state, and `Referee` reads a game by these alone, so that nothing
depends on the build.

HLE aborts the process, and OpenSpiel may, on many mistakes: an illegal move, legal moves asked for in a chance node or
after the third lost life, another player count than 2 to 5, a state whose game was garbage-collected. The caller asks
for nothing of that kind, and a game here keeps whatever its state points to. Cards are dealt one by one: neither build
draws any.
"""

import atexit
import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import DECK_SIZE

SETTING = "HANABI_ENGINE"
"""The environment variable that chooses a build."""
HLE = "hle"
OPENSPIEL = "openspiel"

DISTRIBUTIONS = {HLE: "hanabi-learning-environment", OPENSPIEL: "open_spiel"}
"""The package that installs each build."""
TITLES = {HLE: "HLE", OPENSPIEL: "OpenSpiel's build of HLE"}
_MODULES = {HLE: "hanabi_learning_environment", OPENSPIEL: "pyspiel"}
REMEDIES = {
    HLE: "`CMAKE_POLICY_VERSION_MINIMUM=3.5 pip install hanabi-learning-environment` builds it with a C++ compiler",
    OPENSPIEL: "`pip install open_spiel` installs it",
}
"""How to install each build."""


class Game(Protocol):
    """One game. A number of a move is HLE's; that of a card, its place in `CARDS`."""

    @property
    def over(self) -> bool: ...

    @property
    def dealing(self) -> bool:
        """Whether a card is to be dealt before anybody moves; also true after the third lost life."""

    @property
    def seat(self) -> int:
        """Whose turn it is; negative in a chance node."""

    def deal(self, card: int) -> None: ...

    def apply(self, move: int) -> None: ...

    def legal(self) -> list[int]:
        """Return the legal moves of the acting seat, ascending."""

    def text(self) -> str:
        """Return HLE's text of the state, with every hand and what hints said of it."""

    def observed(self, seat: int) -> str:
        """Return HLE's text of what a seat observes, its own cards as XX."""

    def encoded(self, seat: int) -> list[int]:
        """Return HLE's canonical encoding, in bits, of what a seat observes."""


def name() -> str:
    """Return the build that plays, `hle` or `openspiel`. Raises UserError where it is not installed."""
    return _chosen(os.environ.get(SETTING) or None)


def distribution() -> str:
    """Return the package that installs the build that plays. Raises UserError where it is not installed."""
    return DISTRIBUTIONS[name()]


@cache
def _chosen(setting: str | None) -> str:
    if setting is not None and setting not in _MODULES:
        raise UserError(f"{SETTING} is {setting!r}; it may be {HLE!r} or {OPENSPIEL!r}")
    for build in _MODULES if setting is None else (setting,):
        if find_spec(_MODULES[build]) is not None:
            return build
    if setting is None:
        raise UserError(f"no engine of Hanabi is installed; {REMEDIES[OPENSPIEL]}")
    raise UserError(f"{SETTING} is {setting!r}, which is not installed; {REMEDIES[setting]}")


def new_game(players: int) -> Game:
    """Return a game before its first card; `players`: 2 to 5."""
    return _GAMES[name()](players)


# HLE


@cache
def hle() -> Any:
    """Return HLE's module `pyhanabi`. Raises UserError where it is not installed.

    It is imported from its own folder: it looks for its header and library in the working directory first, where a
    stray file could pose as them.
    """
    spec = find_spec(_MODULES[HLE])
    if spec is None or spec.origin is None:
        raise UserError(f"HLE is not installed; {REMEDIES[HLE]}")
    with chdir(Path(spec.origin).parent), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its header open
        from hanabi_learning_environment import pyhanabi
    atexit.register(_keep_at_exit, pyhanabi)
    return pyhanabi


def _keep_at_exit(pyhanabi: Any) -> None:
    """Leave HLE's objects to the end of the process: theirs come after that of the module that could free them."""
    for kind in vars(pyhanabi).values():
        if "__del__" in getattr(kind, "__dict__", {}):
            del kind.__del__


@cache
def _hle_deals() -> Mapping[int, Any]:
    """Return HLE's deal move of each card. HLE makes no such move on request, but the history of a game whose hands
    take the whole deck holds one of each."""
    game = hle().HanabiGame({"players": 2, "hand_size": DECK_SIZE // 2, "seed": 1})
    state = game.new_initial_state()
    while state.deck_size():
        state.deal_random_card()
    moves = [item.move() for item in state.move_history()]
    return {5 * move.color() + move.rank(): move for move in moves}


@cache
def _hle_moves(players: int) -> list[Any]:
    """Return HLE's moves of a player count, by their numbers."""
    game = hle().HanabiGame({"players": players})
    return [game.get_move(number) for number in range(game.max_moves())]


class HleGame:
    """A game of HLE. A state points into its game, an observation into its state."""

    def __init__(self, players: int) -> None:
        self._moves = _hle_moves(players)
        self._game = hle().HanabiGame({"players": players, "random_start_player": False})
        self.state = self._game.new_initial_state()
        """HLE's `HanabiState`."""
        self.state.game = self._game  # which must not be freed before it

    @property
    def over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def dealing(self) -> bool:
        return bool(self.state.cur_player() == hle().CHANCE_PLAYER_ID)

    @property
    def seat(self) -> int:
        return int(self.state.cur_player())

    def deal(self, card: int) -> None:
        self.state.apply_move(_hle_deals()[card])

    def apply(self, move: int) -> None:
        self.state.apply_move(self._moves[move])

    def legal(self) -> list[int]:
        allows = (
            self.state.move_is_legal
        )  # faster than `legal_moves`, which makes an object of each
        return [number for number, move in enumerate(self._moves) if allows(move)]

    def text(self) -> str:
        return str(self.state)

    def observed(self, seat: int) -> str:
        return str(self.state.observation(seat))

    def encoded(self, seat: int) -> list[int]:
        observation = self.state.observation(seat)
        return list(self._encoder.encode(observation))

    @cached_property
    def _encoder(self) -> Any:
        return hle().ObservationEncoder(self._game)


# OpenSpiel


@cache
def _spiel_game(players: int) -> Any:
    """Return OpenSpiel's game. All states of a player count share it: it draws nothing."""
    import pyspiel

    return pyspiel.load_game("hanabi", {"players": players})


class SpielGame:
    """A game of OpenSpiel."""

    def __init__(self, players: int) -> None:
        self.state = _spiel_game(players).new_initial_state()
        """OpenSpiel's `State`."""

    @property
    def over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def dealing(self) -> bool:
        return bool(self.state.is_chance_node())

    @property
    def seat(self) -> int:
        return int(self.state.current_player())

    def deal(self, card: int) -> None:
        self.state.apply_action(card)

    def apply(self, move: int) -> None:
        self.state.apply_action(move)

    def legal(self) -> list[int]:
        return list(self.state.legal_actions())

    def text(self) -> str:
        return str(self.state)

    def observed(self, seat: int) -> str:
        return str(self.state.observation_string(seat))

    def encoded(self, seat: int) -> list[int]:
        return [int(bit) for bit in self.state.observation_tensor(seat)]


_GAMES: Mapping[str, Callable[[int], Game]] = {HLE: HleGame, OPENSPIEL: SpielGame}
