"""Our seats in somebody else's game: HLE's own kind of agent, with `act(observation)`.

`hle_agent` is for any loop over `pyhanabi` or `rl_env`, such as a benchmark's. An agent written for HLE at our
table is the business of `python_agent`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.hle_reading import unwrapped
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Result
from hanabi_orchestrator.orchestrator.players.outside_game import OutsideGame, outside
from hanabi_orchestrator.orchestrator.table.seat import JournaledSeat, Seat

Seats = Seat | Sequence[Seat] | Mapping[int, Seat]


class HleAgent:
    """Our seats as an agent of HLE: `action = hle_agent(seat).act(observation)`. Without a journal it plays any number
    of games in turn.

    `seats`: one seat for every player, a list with one per player, or a mapping from HLE's player numbers to our seats;
    one player's knowledge never reaches another. `seed`: that of the HLE game, if it
    has one: then all is as in `play(seed=...)`. Else `label` names the deal, for the seeds of models and for `replay:`.
    `journal`: the file for the events of one game, as in `play`; the same loop played again continues it, and nothing
    that it holds is asked again.
    """

    def __init__(
        self,
        seats: Seats,
        *,
        seed: int | None = None,
        label: str | None = None,
        repeat: int = 1,
        journal: Path | str | None = None,
    ) -> None:
        self._seats = seats
        self._seed = seed
        self._label = label
        self._repeat = repeat
        self._path = None if journal is None else Path(journal)
        self._game: OutsideGame | None = None
        self._first = 0
        """HLE's number of the player who moves first."""
        self._answered: tuple[str, int] | None = None
        """What was observed last, and the number of the move that was chosen."""

    def act(self, observation: Any) -> Any:
        """Return the move of the player who observes, in the form of what was given; None when it is not their turn.

        `observation`: of `rl_env`, a dictionary with its `pyhanabi`; then the move is an action dictionary. Or a
        `HanabiObservation`, or a `HanabiState`, of which the acting player sees no more than they may; then it is a
        `HanabiMove`. Call it on every turn of the player. Raises UserError for another game than standard Hanabi, and
        ModelError when a model gave no answer; the same call then asks again.
        """
        return event_loop.run(self.act_async(observation), "agent.act_async(...)")

    async def act_async(self, observation: Any) -> Any:
        """The same inside an event loop, as in a notebook."""
        hle = unwrapped(observation)
        if hasattr(hle, "cur_player_offset") and hle.cur_player_offset():
            return None
        if self._answered is None or self._answered[0] != str(hle):
            view, player = self._seen(observation)
            if not view.legal:
                return None
            self._answered = (
                str(hle),
                view.legal.index(await self._game_of(view, player).move(view)),
            )
        chosen = hle.legal_moves()[self._answered[1]]
        return chosen.to_dict() if isinstance(observation, Mapping) else chosen

    def _seen(self, observation: Any) -> tuple[View, int]:
        """Return what the observer knows, and HLE's number of them."""
        views = {} if self._game is None else self._game.views
        if isinstance(observation, Mapping):
            player = int(observation["current_player"])
            players = observation["pyhanabi"].num_players()
            return View.from_hle(
                observation, before=views.get((player - self._first) % players)
            ), player
        if hasattr(observation, "move_history"):
            return View.from_hle(observation), int(observation.cur_player())
        if len(views) > 1:
            raise UserError(
                "a HanabiObservation does not say whose it is; make an agent for each player"
            )
        view = View.from_hle(observation, before=next(iter(views.values()), None))
        return view, view.seat

    def _game_of(self, view: View, player: int) -> OutsideGame:
        """Return the game of a view."""
        if self._game is not None and view.turn <= self._game.turn:
            self.reset()
        if self._game is None:
            self._first = (player - view.seat) % view.players
            ours = self._seats
            if not isinstance(ours, Mapping):
                ours = dict(
                    enumerate(ours if isinstance(ours, Sequence) else [ours] * view.players)
                )
                if len(ours) < view.players:
                    raise UserError(
                        f"{view.players} players need {view.players} seats, not {len(ours)}"
                    )
            seats = [
                ours.get((self._first + seat) % view.players, outside)
                for seat in range(view.players)
            ]
            self._game = OutsideGame(seats, view, self._seed, self._label, self._repeat, self._path)
        return self._game

    def finish(self, state: Any) -> Result:
        """Return how the game ended, or how it stands, and complete its journal; `state`: its HanabiState."""
        if self._game is None:
            raise UserError("no game has begun, so none can be finished")
        return self._game.finish(View.from_hle(state))

    def reset(self, config: object = None) -> None:
        """Begin another game, as the first turn of one does anyway. `config` is for HLE, which gives it, and not used.

        Raises UserError for an agent with a journal, which holds one game.
        """
        if self._path is not None and self._game is not None:
            raise UserError(
                f"{self._path} is the journal of one game, and another begins: make an agent for each game"
            )
        self._repeat += self._game is not None
        self._game = self._answered = None

    def close(self) -> None:
        """Release what the agent holds open: its journal, and connections to models."""
        if self._game is not None:
            self._game.close()
        seats = self._seats
        each = (
            seats.values()
            if isinstance(seats, Mapping)
            else seats
            if isinstance(seats, Sequence)
            else (seats,)
        )
        for seat in each:
            if isinstance(seat, JournaledSeat):
                event_loop.run(seat.aclose(), "seat.aclose()")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


hle_agent = HleAgent
