"""The table of Collab Escape: what a seat sees, and rounds of sealed decisions."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from hanabi_orchestrator.orchestrator.collab.escape import (
    PLAYERS,
    ROUNDS,
    START,
    FixRule,
    Move,
    Position,
    after,
    check_deal,
    killer_room,
    legal,
    read,
    read_deal,
)
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.sealed_play import SealedReferee
from hanabi_orchestrator.orchestrator.values import Value

SeatNumber = Annotated[int, Field(ge=0, lt=PLAYERS)]
"""0 is Alice, 1 is Bob."""
AnyMove = Annotated[
    Move, BeforeValidator(lambda move: read(move)), PlainSerializer(str, return_type=str)
]
"""A move; in JSON its text."""

End = Literal["escaped", "lost", "rounds"]
"""How a game ended: at the gate, by the killer, or with the last round."""


class Outcome(Value):
    """The state of the table after a round."""

    rooms: tuple[int, int]
    killer: int
    fixes: tuple[int, int]
    """Of each generator in the order of GENERATORS: 0, 1, or 2 when it is repaired."""
    target: SeatNumber | None
    """Whom the killer goes to next; None when it sees nobody."""


class Past(Value):
    """One past decision."""

    turn: int
    """1 is the game's first decision; a round has one of each seat."""
    round: int
    seat: SeatNumber
    move: AnyMove
    outcome: Outcome | None = None
    """What the round did; only with its last decision."""


class View(Value):
    """Everything that one seat may know at one turn. Hidden are decisions of the same round, and where the killer goes
    when it sees nobody."""

    game: Literal["escape"] = "escape"
    players: int = PLAYERS
    seat: SeatNumber
    turn: int = Field(ge=1)
    round: int = Field(ge=1)
    """The round that is being decided, 1 to ROUNDS."""
    rooms: tuple[int, int]
    """The rooms of Alice and Bob."""
    killer: int
    """The killer's room."""
    target: SeatNumber | None
    """The seat to whose present room the killer certainly goes in this round; None when it sees nobody and goes to any
    adjacent room."""
    fixes: tuple[int, int]
    """Of each generator in the order of GENERATORS: 0, 1, or 2 when it is repaired."""
    gate_open: bool
    """Both generators are repaired."""
    fix_rule: FixRule = "once"
    """How two fixes of one generator in a round count; see `orchestrator.collab.escape.FixRule`."""
    history: tuple[Past, ...]
    """The decisions of all rounds that are over, oldest first."""
    legal: tuple[AnyMove, ...]
    """Empty when it is not this seat's turn."""

    @property
    def position(self) -> Position:
        """The same as the rules take it."""
        return Position(self.rooms, self.killer, self.fixes, self.target)


class Referee(SealedReferee[Move, Past, Outcome]):
    """One game of Collab Escape from one deal."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: a deal, as `deal` makes it. Raises UserError for another number of players or a wrong deal."""
        if players != PLAYERS:
            raise UserError(f"Collab Escape is for {PLAYERS} players, not {players}")
        super().__init__(players, check_deal(deck))
        self._seed, self.fix_rule = read_deal(self.deck)
        self.position = START
        self._rounds = 0

    @property
    def round(self) -> int:
        """The round that is being decided; after the game its last one."""
        return self._rounds if self.over else self._rounds + 1

    @property
    def end(self) -> End | None:
        """How the game ended; None while it goes on."""
        if self.position.lost:
            return "lost"
        if self.position.escaped:
            return "escaped"
        return "rounds" if self._rounds == ROUNDS else None

    @property
    def over(self) -> bool:
        return self.end is not None

    def view(self, seat: int | None = None, *, own_hand: bool = False) -> View:
        """Return what a seat (default: the acting one) may know now. `own_hand` changes nothing: no hand is hidden."""
        seat = self.check_seat(seat)
        return View(
            seat=seat,
            turn=self.turn,
            round=self.round,
            rooms=self.position.rooms,
            killer=self.position.killer,
            target=self.position.target,
            fixes=self.position.fixes,
            gate_open=self.position.repaired,
            fix_rule=self.fix_rule,
            history=self.resolved,
            legal=self.legal_for(seat),
        )

    def _deciding(self) -> tuple[int, ...]:
        return tuple(range(PLAYERS))

    def _offers(self, seat: int) -> tuple[Move, ...]:
        return legal(self.position, seat)

    def _resolve(self, moves: Mapping[int, Move]) -> Outcome:
        killer = killer_room(self.position, self._seed, self.round)
        self.position = after(self.position, (moves[0], moves[1]), killer, self.fix_rule)
        self._rounds += 1
        return Outcome(
            rooms=self.position.rooms,
            killer=self.position.killer,
            fixes=self.position.fixes,
            target=self.position.target,
        )

    def _past(self, turn: int, seat: int, move: Move, outcome: Outcome | None) -> Past:
        return Past(turn=turn, round=(turn + 1) // PLAYERS, seat=seat, move=move, outcome=outcome)
