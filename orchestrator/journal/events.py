"""What happened, as tagged frozen values. Order, time and files are the journal's business."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, SerializerFunctionWrapHandler, model_serializer

from orchestrator.errors import WireTry
from orchestrator.hanabi.cards import Card
from orchestrator.hanabi.moves import Grounded
from orchestrator.hanabi.referee import End
from orchestrator.hanabi.view import Past, View
from orchestrator.models.request import Key, Message, Outcome
from orchestrator.models.simulated import is_simulated
from orchestrator.values import Frozen


def _short(view: View) -> dict[str, Any]:
    """Defaults left out: a view holds the whole history, and a journal one view a turn."""
    return view.model_dump(mode="json", exclude_defaults=True)


Memory = Mapping[str, Any]
"""JSON-plain; what a seat decided to give itself for its own next turn. Empty on its first, unless a table gave it one.

What a table gave it before the game is there on every turn, under keys that the seat does not set itself.
"""


class SeatInfo(Frozen):
    """Who sits at a seat, with everything that would seat him again."""

    graph: str
    """The graph's name, or the name of another kind of seat."""
    model: str
    """`program`, a model's name, or several joined by `+`."""
    config: dict[str, Any] | None = None
    """The resolved graph."""
    models: dict[str, dict[str, Any]] = {}
    """By the name that the graph's nodes say: the settings that decide what each model answers."""
    prompts: dict[str, str] = {}
    """A hash of every prompt file, by its name."""


class GameStarted(Frozen):
    event: Literal["game_started"] = "game_started"
    players: int
    seed: int | None
    """HLE's deal of this seed; None for a deck that was given."""
    repeat: int = 1
    """1 is the first game of this deal by these seats."""
    game: str
    """A one-way hash of the players, the deal's label and the repeat: all that a model call knows of its game."""
    deck: tuple[Card, ...]
    """First dealt first."""
    seats: tuple[SeatInfo, ...]
    memories: dict[int, dict[str, Any]] = {}
    """By seat: what it was given before its first turn."""
    config_hash: str
    """Of everything above."""
    versions: dict[str, str]

    @property
    def deal(self) -> str:
        """In words."""
        return "a deck of its own" if self.seed is None else f"seed {self.seed}"


class TurnStarted(Frozen):
    event: Literal["turn_started"] = "turn_started"
    turn: int
    seat: int
    view: Annotated[View, PlainSerializer(_short, return_type=dict)]


class Call(Frozen):
    """One ask of one node. A program's has no messages and no text: its prompt can be rendered on demand."""

    event: Literal["call"] = "call"
    turn: int
    seat: int
    node: str
    role: str
    sample: int = 0
    """0 to K - 1."""
    ask: int = 0
    """0 is the first; a further one is made when the one before was unusable."""
    model: str
    prompt_hash: str | None = None
    messages: tuple[Message, ...] = ()
    text: str | None = None
    """The reply as it came."""
    reply: dict[str, Any] | None = None
    """The reply as it was read, which is what colleagues hear; None when it was unusable."""
    outcome: Outcome = "ok"
    error: str | None = None
    """Why the reply was unusable, or did not come."""
    attempts: tuple[WireTry, ...] = ()
    """The tries over the wire; none for a program, a script or an answer of the cache."""
    cached: bool = False
    """It came from the cache of an earlier run: its tokens were paid then."""
    usd: float | None = None
    """What it cost; None when no price is known."""
    estimated: bool = False
    """The server counted no tokens; these are the characters, four to a token."""
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    """Of `tokens_in`."""
    reasoning_tokens: int = 0
    """Of `tokens_out`."""
    finish: str | None = None
    served_by: str | None = None
    """The model id that the provider returned."""
    fingerprint: str | None = None
    reasoning: str | None = None
    """Reasoning text, when the provider sends it."""
    injected: tuple[str, ...] = ()
    """Of a simulated model: the errors that this answer was given. Written for no other."""
    latency_s: float = 0.0
    """Waiting and further tries included."""

    @property
    def key(self) -> Key:
        return Key(self.turn, self.seat, self.node, self.sample, self.ask)

    @property
    def asked(self) -> bool:
        """Whether a model was asked, rather than a program."""
        return self.prompt_hash is not None

    @property
    def simulated(self) -> bool:
        """Whether a program made fallible answered as a model would."""
        return is_simulated(self.model)

    @property
    def paid(self) -> bool:
        """Whether an answer came of a model, which no cache gave."""
        return self.asked and self.text is not None and not self.cached and not self.simulated

    @model_serializer(mode="wrap")
    def _without_what_models_lack(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if not self.simulated:
            data.pop("injected", None)
        return data


class VerdictGiven(Frozen):
    """A judge's verdict on a decision."""

    event: Literal["verdict"] = "verdict"
    turn: int
    seat: int
    node: str
    move: Grounded
    accepted: bool
    why: str


class Decided(Frozen):
    event: Literal["decided"] = "decided"
    turn: int
    seat: int
    move: Grounded
    why: str
    ratings: dict[str, float] | None = None
    """By the text of the move, -1 to 1."""
    forced: bool = False
    """No choice passed, or none came: the safest legal move was played."""
    node: str | None = None
    """The node whose choice it is; None when forced."""
    votes: dict[str, dict[str, int]] = {}
    """How many answers of each node that was asked several times chose a move, the most frequent first."""
    rank: int | None = None
    """Of the move in a recommender's list, 1 for the best; None where nobody recommends, or not this move."""
    memory: dict[str, Any] = {}
    """What the seat gets back on its own next turn."""


class Moved(Frozen):
    event: Literal["moved"] = "moved"
    past: Past


class GameSuspended(Frozen):
    """The game was suspended here; what follows was played when it went on."""

    event: Literal["suspended"] = "suspended"
    turn: int
    """The turn that is not finished, or not begun."""
    why: str


class Result(Frozen):
    """How a game ended."""

    score_strict: int
    """0 when the third life was lost."""
    score_kept: int
    """The points on the table, also when the third life was lost."""
    lives: int
    turns: int
    end: End
    players: int
    seed: int | None
    graph: str
    model: str
    fireworks: dict[str, int]
    hints_wasted: int | None = None
    """Hints after which their receiver knew no more of any card than before; None in journals that do not say."""
    tokens_in: int
    """Of answers that were paid for: those of the cache are counted apart."""
    tokens_out: int
    cached_tokens: int = 0
    """Of `tokens_in`: those that the provider had cached."""
    reasoning_tokens: int = 0
    """Of `tokens_out`."""
    usd: float | None = None
    """None when no price is known, or not of all of them."""
    calls: int
    """Asks of models that an answer came to; a program's answers are not counted."""
    repaired: int = 0
    """Answers that were mended."""
    reasked: int = 0
    """Unusable answers after which a node was asked again."""
    fallbacks: int
    """Nodes that stayed absent because no reply of theirs was usable."""
    faults: int = 0
    """Tries over the wire that failed."""
    cache_hits: int = 0
    """Of `calls`: answers of the cache."""
    forced: int
    """Moves that were forced."""


class GameEnded(Frozen):
    event: Literal["game_ended"] = "game_ended"
    result: Result


Event = GameStarted | TurnStarted | Call | VerdictGiven | Decided | Moved | GameSuspended | GameEnded
StoredEvent = Annotated[Event, Field(discriminator="event")]

Sink = Callable[[Event], None]


def nowhere(event: Event) -> None:
    """A sink that keeps nothing."""
