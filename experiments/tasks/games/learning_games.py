"""Games in which models learn: every response of theirs has a reward. The referee, reader and
forced moves are those of the table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record import rewards
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.lines import USABLE
from hanabi_orchestrator.experiments.study import seat_spec
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.table.game_loop import play_started, start
from hanabi_orchestrator.orchestrator.table.seat import Seat
from hanabi_orchestrator.roles.reply_types import RatedChoice

Reward = Literal["score_kept", "score_strict", "score_change", "move_value", "own_rating"]
"""The final score, kept or strict, 0 to 25; the points that the turn scored, 0 or 1; the exact
one-step value of the turn's move, from 0 for the worst legal move to 1 for the best; the rating
that the response gave the move, -1 to 1, and 0 where it gave none."""
FINAL: tuple[Reward, ...] = ("score_kept", "score_strict")


@dataclass(frozen=True)
class Sample:
    """A response of a learning model, with what it led to."""

    call: Call
    reward: float
    usable: bool
    legal: bool
    """False for a response that names an illegal move."""
    forced: bool
    """Whether the turn ended with a forced move."""

    @property
    def metrics(self) -> Mapping[str, float]:
        return {name: float(getattr(self, name)) for name in ("usable", "legal", "forced")}


@dataclass(frozen=True)
class LearningGames:
    """The games of an environment."""

    graph: str = "compact"
    """The graph of the learning seats: a name or a YAML file."""
    players: int = 2
    seats: Sequence[str] = ()
    """The other seats, as `N=SPEC` of `orchestrator play --seat`: `1=partner:piers`, `1=house`."""
    reward: Reward = "score_kept"
    penalty: float = 1.0
    """What an unusable response loses, in units of the reward. Without a penalty, a model can learn
    to be unusable: a forced move is often safer than its own."""

    def __post_init__(self) -> None:
        """Raises UserError for games that cannot be played, and for a reward that they do not
        have."""
        config = at(graphs.read(self.graph), self.players)
        if not self.learners:
            raise UserError("every seat is taken by a program: nobody learns")
        reply = config.context_of(config.decides).reply(config.role(config.decides))
        if self.reward == "own_rating" and not issubclass(reply, RatedChoice):
            raise UserError(
                f"responses of {self.graph!r} rate no moves; choose a graph such as 'watson'"
            )

    @cached_property
    def programs(self) -> dict[int, Seat]:
        """The other seats, by number."""
        specs = seat_spec.placed(self.seats, self.players)
        checks = dict[int, Seat]()
        for seat, spec in specs.items():
            checks[seat] = seat_spec.check(seat_spec.read_seat(spec), self.players)
        return checks

    @property
    def learners(self) -> list[int]:
        return [seat for seat in range(self.players) if seat not in self.programs]

    async def play(
        self, seed: int, model: Callable[[int], graphs.Model], journal: Path | None = None
    ) -> Game:
        """Play HLE's deal of a seed; `model` gives the model of a learning seat. Raises Suspended
        when a model gave no answer."""
        config = graphs.read(self.graph)
        everybody = []
        for seat in range(self.players):
            everybody.append(self.programs.get(seat) or graphs.seat(config, model(seat)))
        events = list[Event]()
        started = start(everybody, players=self.players, seed=seed)
        await play_started(everybody, started, sink=events.append, journal=journal)
        return Game.of(events)

    def samples(self, game: Game) -> Iterator[Sample]:
        """Yield the responses of the learning seats in a finished game, oldest first. An unusable
        one gets the final score, where that is the reward, else 0; less the penalty."""
        for turn in game.turns:
            calls = [call for call in turn.calls if call.of_model and turn.seat in self.learners]
            for call in calls:
                usable = call.outcome in USABLE
                if usable or self.reward in FINAL:
                    worth = self._worth(game, turn)
                else:
                    worth = 0.0
                assert turn.decided
                yield Sample(
                    call,
                    worth - (not usable) * self.penalty,
                    usable,
                    call.cause != "illegal",
                    turn.decided.forced,
                )

    def _worth(self, game: Game, turn: Turn) -> float:
        assert game.result and turn.decided and turn.moved
        move = turn.decided.move
        match self.reward:
            case "score_kept" | "score_strict":
                return float(getattr(game.result, self.reward))
            case "score_change":
                return float(sum(turn.moved.past.fireworks) - sum(turn.view.fireworks))
            case "move_value":
                values = one_step_values(Position.of(game, turn.number).scene)
                return rewards.scaled(list(values.values()), list(values).index(move))
        return (turn.decided.ratings or {}).get(str(move), 0.0)
