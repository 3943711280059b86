"""What a game is to the table: its moves and views as far as the table looks at them, its referee, and its measures."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game import reading
from hanabi_orchestrator.orchestrator.game.reading import Listed


class AnyMove(Protocol):
    """A move of any game; `str(move)` is its one text, which no two games share."""

    @property
    def kind(self) -> str: ...


class AnyPast(Protocol):
    """A past turn of any game."""

    @property
    def turn(self) -> int: ...

    @property
    def seat(self) -> int: ...

    @property
    def move(self) -> Any: ...


class AnyView(Protocol):
    """What one seat may know at one turn of any game.

    A view of another game than Hanabi has a field `game` with the name of its game.
    """

    @property
    def players(self) -> int: ...

    @property
    def seat(self) -> int: ...

    @property
    def turn(self) -> int: ...

    @property
    def history(self) -> Sequence[Any]: ...

    @property
    def legal(self) -> Sequence[Any]: ...


class AnyReferee(Protocol):
    """One game from one deal: whose turn it is, what each seat may know, what is legal.

    Where all act at once, a decision stays sealed until the last seat of the round has decided.
    """

    players: int

    @property
    def deck(self) -> tuple[str, ...]: ...

    @property
    def turn(self) -> int: ...

    @property
    def seat(self) -> int: ...

    @property
    def over(self) -> bool: ...

    @property
    def history(self) -> Sequence[Any]: ...

    def view(self, seat: int | None = None, *, own_hand: bool = False) -> Any:
        """Return what a seat (default: the acting one) may know now."""

    def apply(self, move: Any) -> Any:
        """Make a move; returns the past turn. Raises IllegalMove before anything changes."""


@dataclass(frozen=True)
class Measure:
    """A number of a finished game."""

    says: str
    """What it counts, in one plain sentence."""
    unit: str
    better: Literal["more", "fewer"] | None = None
    """Which direction is better; None for a number that only describes."""
    least: float | None = None
    most: float | None = None


class Game(ABC):
    """A game by its name: it makes deals and referees, and reads, closes and shows its games."""

    name: ClassVar[str]
    title: ClassVar[str]
    """The name in sentences."""
    players: ClassVar[tuple[int, ...]]
    usual: ClassVar[int]
    """The number of players where nobody says one."""
    deals: ClassVar[str]
    """What the seeds mean, in words."""
    view: type[BaseModel]
    past: type[BaseModel]
    moves: tuple[type[BaseModel], ...]
    """The kinds of its moves."""
    measures: Mapping[str, Measure]
    primary: ClassVar[str]
    """The measure that a study compares where it names none."""
    ends: Mapping[str, str]
    """How its games end, with each end in words."""

    # Deals

    @abstractmethod
    def deal(self, seed: int, settings: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Return the deal of a number. Raises UserError for one that the game does not have."""

    @abstractmethod
    def deal_name(self, deck: Sequence[str]) -> str:
        """Return what a deal is called in a sentence."""

    @abstractmethod
    def checked(self, deck: Sequence[str]) -> tuple[Any, ...]:
        """Return a deal as it is stored. Raises ValueError for one that is not of this game."""

    def check_players(self, players: int) -> int:
        """Return a number of players. Raises UserError for one that the game is not for."""
        if type(players) is not int or players not in self.players:
            numbers = " or ".join(map(str, self.players))
            raise UserError(f"{self.title} is for {numbers} players, not {players}")
        return players

    @abstractmethod
    def referee(self, players: int, deck: Sequence[str]) -> AnyReferee:
        """Return a new game. Raises UserError for a wrong number of players, or a wrong deal."""

    def rebuilt(self, players: int, deck: Sequence[str], moves: Sequence[Any]) -> AnyReferee:
        """Return the game after these moves. Raises IllegalMove where they do not fit."""
        referee = self.referee(players, deck)
        for move in moves:
            referee.apply(move)
        return referee

    # Reading

    @abstractmethod
    def parse(self, text: str) -> Any:
        """Return the move of an exact text. Raises ValueError for any other text."""

    def ground(self, answer: object, legal: Listed) -> Any:
        """Return the legal move that an answer means. Raises ValueError, in a sentence for a model, in doubt."""
        return reading.ground(answer, legal)

    def concluded(self, text: str) -> tuple[str, str] | None:
        """Return the words before the only move of an answer that names no field, and that move; None in doubt."""
        return None

    def gathered(self, data: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return an object with the parts of a move under this name, where models spread them over several keys."""
        return dict(data)

    def speaks_for_another(self, reason: str, move: Any) -> bool:
        """Return whether a reason states another move than the chosen one."""
        return False

    def judges_another(self, reason: str, move: Any) -> bool:
        """Return whether a judge's reason calls another move the chosen one."""
        return False

    # Playing

    def counts(self, view: Any) -> dict[str, int]:
        """Return the numbers of a view that bound the numbers of a reply."""
        return {"seat": view.seat, "players": view.players}

    def fallback(self, view: Any) -> tuple[Any, str]:
        """Return the move of a seat that chose none, and why this one."""
        return view.legal[-1], "it is the last move of the list"

    def remembered(self, view: Any, without: Sequence[str]) -> dict[str, Any]:
        """Return the public state that a seat keeps for its next turn; `without`: sections that it does not get."""
        return {}

    # The end

    @abstractmethod
    def closing(self, referee: Any, refused: Mapping[int, Any]) -> dict[str, Any]:
        """Return what a Result says of this game alone; `refused`: by turn, the first choice that was refused."""

    def public_record(self, players: int, deck: Sequence[str], moves: Sequence[Any]) -> Any:
        """Return what was public of a game that is over, for the section `past_games`. Raises UserError."""
        raise UserError(f"{self.title} keeps no records of past games; only Hanabi does")

    def picture(self, view: Any) -> str:
        """Return a view as lines of text."""
        raise UserError(f"{self.title} has no picture of a table")
