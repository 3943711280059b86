"""Agents written for HLE's own environment: any Python object sits at the table as `python:module:object`.

The object has a method `act(observation)` or is called with the observation itself. The observation has the same keys
as in HLE's own environment, without the handle into the game; it is rebuilt from the seat's View alone. The agent
answers with the number of a move, its text, or that environment's action dict.
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import index
from pathlib import Path
from typing import Any, Self, SupportsIndex, cast

from hanabi_orchestrator.orchestrator.errors import TurnError, UserError, in_words
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, Card
from hanabi_orchestrator.orchestrator.hanabi.determinize import determinized_game
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory, SeatInfo
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext, JournaledSeat, Seat

PREFIX = "python:"

Act = Callable[[dict[str, Any]], object]


@dataclass
class PythonAgent:
    """A seat for such an object.

    From a class, every seat in every game gets its own instance. An instance that joins a game in progress is first
    shown its own past turns, and its answers are dropped, so that an agent with a state builds it up again.
    """

    spec: str
    target: Any
    _act: Act | None = field(default=None, repr=False)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        """Raises TurnError when the agent raises, or does not answer with a legal move."""
        if self._act is None:
            self._act = self._joined(view)
        referee = determinized_game(view)
        answer = self._answer(self._act, referee)
        try:
            return Decision(meant(answer, referee), "an agent from outside")
        except ValueError as error:
            text = repr(answer)
            text = text if len(text) <= 80 else f"{text[:77]}..."
            raise TurnError(f"turn {view.turn}: {self.spec} answered {text}, {error}") from None

    def _joined(self, view: View) -> Act:
        """Return the agent, made and caught up with the game."""
        agent = self.target
        has_state = inspect.isclass(self.target)
        try:
            agent = self.target(**_accepted(self.target, view)) if has_state else self.target
            act: Act = getattr(agent, "act", agent)
        except Exception as error:
            raise TurnError(f"{self.spec} cannot be made: {in_words(error)}") from error
        for past in view.history if has_state else ():
            if past.seat == view.seat:
                self._answer(act, determinized_game(view, past.turn))
        return act

    def _answer(self, act: Act, referee: Referee) -> object:
        try:
            return act(observed(referee))
        except Exception as error:
            raise TurnError(f"turn {referee.turn}: {self.spec} raised {in_words(error)}") from error

    @property
    def info(self) -> SeatInfo:
        return SeatInfo(graph=self.spec, model="program")

    def bind(self, context: GameContext) -> Self:
        return replace(self, _act=None)

    async def aclose(self) -> None:
        """Nothing to close."""


def named(spec: str) -> Any:
    """Return the object of `python:module:object`; modules in the working directory are found too.

    Raises UserError when the module cannot be imported, or the object is missing.
    """
    module, colon, path = spec.removeprefix(PREFIX).partition(":")
    if not (spec.startswith(PREFIX) and colon and module and path):
        raise UserError(
            f"{spec!r} names no agent; say python:module:object, e.g. python:my_agents:Careful"
        )
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)  # last: a stray file must not pose as an installed package
    try:
        target: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise UserError(
            f"{spec}: the module {module!r} cannot be imported: {in_words(error)}"
        ) from error
    for name in path.split("."):
        if not hasattr(target, name):
            raise UserError(f"{spec}: the module {module!r} has no {path!r}")
        target = getattr(target, name)
    return target


def read(spec: str, target: Any = None) -> Seat:
    """Return the seat of `python:module:object`; `target`: the object, where it is there already.

    An object that is a Seat of this project, `async (View, Memory) -> Decision`, is returned as it is. Raises UserError
    when there is no such object, or it is no agent.
    """
    target = named(spec) if target is None else target
    if inspect.iscoroutinefunction(target) or (
        isinstance(target, JournaledSeat) and not inspect.isclass(target)
    ):
        native: Seat = target
        return native
    if not callable(getattr(target, "act", None)) and (
        not callable(target) or (inspect.isclass(target) and "__call__" not in dir(target))
    ):
        raise UserError(
            f"{spec} is no agent: it has no method act(observation) and cannot be called with one"
        )
    return PythonAgent(spec, target)


def _accepted(target: type, view: View) -> dict[str, Any]:
    """Return the arguments for a class, as far as its signature takes them; `config` is what HLE's own agents take."""
    offered = {"players": view.players, "seat": view.seat, "config": {"players": view.players}}
    parameters = inspect.signature(target).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return offered
    return {
        name: value
        for name, value in offered.items()
        if any(parameter.name == name for parameter in parameters)
    }


# Observations


def observed(referee: Referee) -> dict[str, Any]:
    """Return the acting seat's observation, with the keys of HLE's environment. Colours are letters, ranks begin at 0,
    hands and card knowledge begin with the observer's own.

    One key is new: `legal_moves_as_text`, the texts of the legal moves in the order of `legal_moves`.
    """
    view = referee.view()
    uids = referee.uids()
    return {
        "current_player": view.seat,
        "current_player_offset": 0,
        "life_tokens": view.lives,
        "information_tokens": view.tokens,
        "num_players": view.players,
        "deck_size": view.deck_size,
        "fireworks": dict(zip(COLOURS, view.fireworks, strict=True)),
        "legal_moves": [action(move, view) for move in uids.values()],
        "legal_moves_as_int": list(uids),
        "legal_moves_as_text": [str(move) for move in uids.values()],
        "observed_hands": [
            [_card(None) for _ in view.own],
            *([_card(c) for c in hand.cards] for hand in view.hands),
        ],
        "discard_pile": [_card(card) for card in view.discards],
        "card_knowledge": [
            [{"color": card.colour, "rank": card.rank - 1 if card.rank else None} for card in hand]
            for hand in (view.own, *(hand.known for hand in view.hands))
        ],
        "vectorized": referee.encoded(view.seat),
    }


def action(move: Move, view: View) -> dict[str, Any]:
    """Return a move of the observer as an action dict of HLE's environment."""
    if isinstance(move, Play | Discard):
        return {"action_type": move.kind.upper(), "card_index": move.slot}
    offset = (move.to - view.seat) % view.players
    if isinstance(move, HintColour):
        return {"action_type": "REVEAL_COLOR", "target_offset": offset, "color": move.colour}
    return {"action_type": "REVEAL_RANK", "target_offset": offset, "rank": move.rank - 1}


def _card(card: Card | None) -> dict[str, Any]:
    return {"color": card.colour if card else None, "rank": card.rank - 1 if card else -1}


# Answers


def meant(answer: object, referee: Referee) -> Move:
    """Return the legal move of an answer: its number in HLE, its text, or an action dict. Raises ValueError for
    anything else."""
    uids = referee.uids()
    view = referee.view()
    if isinstance(answer, str):
        moves = [move for move in uids.values() if str(move) == answer]
    elif isinstance(answer, Mapping):
        moves = [move for move in uids.values() if action(move, view).items() <= answer.items()]
    else:
        moves = []
        with suppress(TypeError, KeyError):  # a number of any integer type
            moves = (
                [uids[index(cast(SupportsIndex, answer))]] if not isinstance(answer, bool) else []
            )
    if not moves:
        raise ValueError(
            "which is no legal move now: neither a number, a text nor a dict of the lists it was given"
        )
    return moves[0]
