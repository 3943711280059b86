"""The table of Collab Capture: what a seat sees, and rounds of sealed decisions."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from hanabi_orchestrator.orchestrator.collab.capture import (
    PLAYERS,
    ROUNDS,
    Move,
    Position,
    ThiefRule,
    after,
    caught,
    check_deal,
    legal,
    read,
    read_deal,
    start,
)
from hanabi_orchestrator.orchestrator.collab.maps import Doors
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.sealed_play import SealedReferee
from hanabi_orchestrator.orchestrator.values import Value

SeatNumber = Annotated[int, Field(ge=0, lt=PLAYERS)]
"""0 is Alice, 1 is Bob."""
AnyMove = Annotated[
    Move, BeforeValidator(lambda move: read(move)), PlainSerializer(str, return_type=str)
]
"""A move; in JSON its text."""

End = Literal["caught", "rounds"]
"""How a game ended: the thief is caught, or the last round has passed."""


class Outcome(Value):
    """The state of the table after a round."""

    rooms: tuple[int, int]
    thief: int
    doors: Doors
    """Whether each door is open, in the order of DOORS."""
    caught: bool


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
    """Everything that one seat may know at one turn. Nothing is hidden but decisions of the same round."""

    game: Literal["capture"] = "capture"
    players: int = PLAYERS
    seat: SeatNumber
    turn: int = Field(ge=1)
    round: int = Field(ge=1)
    """The round that is being decided, 1 to ROUNDS."""
    rooms: tuple[int, int]
    """The rooms of Alice and Bob."""
    thief: int
    """The thief's room."""
    doors: Doors
    """Whether each door is open, in the order of DOORS."""
    thief_rule: ThiefRule = "distance"
    """How the thief flees; see `orchestrator.collab.capture.ThiefRule`."""
    history: tuple[Past, ...]
    """The decisions of all rounds that are over, oldest first."""
    legal: tuple[AnyMove, ...]
    """Empty when it is not this seat's turn."""

    @property
    def position(self) -> Position:
        """The same as the rules take it."""
        return Position(self.rooms, self.thief, self.doors)


class Referee(SealedReferee[Move, Past, Outcome]):
    """One game of Collab Capture from one deal."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: a deal, as `deal` makes it. Raises UserError for another number of players or a wrong deal."""
        if players != PLAYERS:
            raise UserError(f"Collab Capture is for {PLAYERS} players, not {players}")
        super().__init__(players, check_deal(deck))
        doors, self.thief_rule = read_deal(self.deck)
        self.position = start(doors)
        self.caught = False
        self._rounds = 0

    @property
    def round(self) -> int:
        """The round that is being decided; after the game its last one."""
        return self._rounds if self.over else self._rounds + 1

    @property
    def end(self) -> End | None:
        """How the game ended; None while it goes on."""
        if self.caught:
            return "caught"
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
            thief=self.position.thief,
            doors=self.position.doors,
            thief_rule=self.thief_rule,
            history=self.resolved,
            legal=self.legal_for(seat),
        )

    def _deciding(self) -> tuple[int, ...]:
        return tuple(range(PLAYERS))

    def _offers(self, seat: int) -> tuple[Move, ...]:
        return legal(self.position, seat)

    def _resolve(self, moves: Mapping[int, Move]) -> Outcome:
        later = after(self.position, (moves[0], moves[1]), self.thief_rule)
        self.caught = caught(self.position, later)
        self.position = later
        self._rounds += 1
        return Outcome(rooms=later.rooms, thief=later.thief, doors=later.doors, caught=self.caught)

    def _past(self, turn: int, seat: int, move: Move, outcome: Outcome | None) -> Past:
        return Past(turn=turn, round=(turn + 1) // PLAYERS, seat=seat, move=move, outcome=outcome)
