"""What happens in a game, as tagged frozen values. Their order, times and files are the business of `file`."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
)

from hanabi_orchestrator.orchestrator.errors import WireTry
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.game.stored import StoredMove, StoredPast, StoredView
from hanabi_orchestrator.orchestrator.journal.result import Count, deal_in_words
from hanabi_orchestrator.orchestrator.journal.result import Result as Result
from hanabi_orchestrator.orchestrator.models.request import (
    FAKE,
    Constraint,
    Key,
    Message,
    Outcome,
    Source,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.orchestrator.replies.reader import Cause
from hanabi_orchestrator.orchestrator.replies.reply import Form
from hanabi_orchestrator.orchestrator.values import Frozen, Value

Memory = Mapping[str, Any]
"""What a seat keeps for its own next turn, as plain JSON data. Empty on its first turn, unless the caller of the game
gave it a memory.

A memory that was given before the game is there on every turn, under keys that the seat does not set itself.
"""


class SeatInfo(Frozen):
    """Who sits at a seat, with everything needed to build the same seat again."""

    graph: str
    """The graph's name, or the name of another kind of seat."""
    model: str
    """`program`, a model's name, or several joined by `+`."""
    config: dict[str, Any] | None = None
    """The resolved graph."""
    models: dict[str, dict[str, Any]] = {}
    """The settings that decide what each model answers, by the name that the nodes of the graph use."""
    prompts: dict[str, str] = {}
    """A hash of every prompt file, by its name."""
    label: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Who sat there in a game of another program: a name for people to read, which no agent sees."""
    control: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What an experiment changed to rule out another reading of a difference: `noise_floor`, `placebo analyst`."""
    drawing: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of a LangGraph graph of somebody's own: its nodes and edges as a Mermaid diagram."""
    own_hand: bool = Field(default=False, exclude_if=lambda value: not value)
    """True if the seat sees its own cards, which is cheating: an experiment's upper line."""
    game: str = Field(default=DEFAULT, exclude_if=lambda value: value == DEFAULT)
    """The name of the game that it plays."""


class Parent(Frozen):
    """The game that this one was forked from: up to its turn `turn`, which was decided again, they are the same."""

    journal: str
    """The name of its journal; for a game of a run, with the folder of its arm."""
    config_hash: str
    turn: int = Field(ge=1)
    seats: dict[int, SeatInfo] = {}
    """Who sat in a seat before that turn, where somebody else does from then on."""
    edits: dict[str, list[dict[str, Any] | None]] = {}
    """The notes that were put in the place of a node's own in that turn, by node; None for an absent one."""
    parent: "Parent | None" = None
    """Of the parent, if it was forked itself."""

    def seat_before(self, seat: int, turn: int) -> SeatInfo | None:
        """Who sat in a seat at a turn before the fork; None where it is who sits there now."""
        if turn >= self.turn:
            return None
        return (self.parent.seat_before(seat, turn) if self.parent else None) or self.seats.get(
            seat
        )

    @property
    def earlier(self) -> tuple[SeatInfo, ...]:
        """Everybody who sat in a seat only before a fork."""
        return (*(self.parent.earlier if self.parent else ()), *self.seats.values())


class GameStarted(Frozen):
    event: Literal["game_started"] = "game_started"
    kind: str = Field(default=DEFAULT, exclude_if=lambda value: value == DEFAULT)
    """The name of the game that is played."""
    players: int
    seed: int | None
    """The number of the game's own deal, in Hanabi HLE's seed; of a deck that an experiment names, its number there;
    None for any other deck."""
    deck_name: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """The name of a deck that was given; None for HLE's deal."""
    repeat: int = 1
    """1 is the first game of this deal by these seats."""
    game: str
    """One-way hash of the player count, the deal's label and the repeat: all that a model call knows about its game."""
    deck: tuple[Any, ...]
    """The deal: in Hanabi the cards in the order of dealing, in other games its texts."""
    seats: tuple[SeatInfo, ...]
    memories: dict[int, dict[str, Any]] = {}
    """The memory that a seat was given before its first turn, by seat."""
    parent: Parent | None = Field(default=None, exclude_if=lambda value: value is None)
    """Where this game was forked from, if it was."""
    config_hash: str
    """Of everything above."""
    versions: dict[str, str]

    @field_validator("deck")
    @classmethod
    def _of_its_game(cls, deck: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        return get(info.data.get("kind", DEFAULT)).checked(deck)

    def sees_own_hand(self, seat: int, turn: int) -> bool:
        """Return whether a seat cheats at a turn: its views tell it its own cards."""
        return self.seat_at(seat, turn).own_hand

    @property
    def cheats(self) -> bool:
        """True if any seat saw its own cards at any turn."""
        return any(seat.own_hand for seat in self.everybody)

    @property
    def deal(self) -> str:
        """The deal in words."""
        return deal_in_words(self.seed, self.deck_name)

    def seat_at(self, seat: int, turn: int) -> SeatInfo:
        """Who sits in a seat at a turn: before the turn of a fork it may have been somebody else."""
        return (self.parent.seat_before(seat, turn) if self.parent else None) or self.seats[seat]

    @property
    def everybody(self) -> tuple[SeatInfo, ...]:
        """Who sits in the seats, then whoever sat there before a fork."""
        return (*self.seats, *(self.parent.earlier if self.parent else ()))

    @property
    def graph(self) -> str:
        """The names of everybody's graphs, each once, joined by `+`."""
        return "+".join(dict.fromkeys(seat.graph for seat in self.everybody))

    @property
    def model(self) -> str:
        """The same of their models."""
        return "+".join(dict.fromkeys(seat.model for seat in self.everybody))

    @property
    def control(self) -> str | None:
        """The controls of an experiment in any seat; None where there is none."""
        return (
            "; ".join(dict.fromkeys(seat.control for seat in self.everybody if seat.control))
            or None
        )


class TurnStarted(Value):
    event: Literal["turn_started"] = "turn_started"
    turn: int
    seat: int
    view: StoredView


class Call(Value):
    """One request of one node and its response. The call of a program has no messages and no text: its prompt can be
    rendered on demand."""

    event: Literal["call"] = "call"
    turn: int
    seat: int
    node: str
    role: str
    sample: int = 0
    """0 to K - 1."""
    ask: int = 0
    """0 is the first request; another one follows when the reply was unusable."""
    model: str
    prompt_hash: str | None = None
    messages: tuple[Message, ...] = ()
    text: str | None = None
    """The response as it came."""
    reply: dict[str, Any] | None = None
    """The reply as it was read, which other nodes see; None when it was unusable."""
    outcome: Outcome = "ok"
    error: str | None = None
    """Why the reply was unusable, or why none came."""
    cause: Cause | None = None
    """What kind of fault made the reply unusable; None for a usable one, and in old journals."""
    copied: bool = False
    """True if the answer repeats the example of its prompt, so that it is not the model's own."""
    form: Form | None = None
    """The format that a second request asked for, where it is not that of the first."""
    constraint: Constraint | None = None
    """What the server was asked to hold the answer to; None for nothing, and in old journals."""
    dropped: tuple[str, ...] = ()
    """What was left out of the reply because it could not be read: where it stood, and why. Stored where there is
    something."""
    attempts: tuple[WireTry, ...] = ()
    """The requests over the wire, retries included; none for a program, a script or a response of the cache."""
    cached: bool = False
    """True if the response came from the cache of an earlier run, which paid for its tokens."""
    fixed: Literal["recorded", "edited", "placebo", "padded", "shuffled"] | None = None
    """That nobody was asked here. Of a forked game: because the answer is that of the parent, or a note that was put in
    its place. Of a control: because the note says nothing of the position, is empty, or is that of another game. Stored
    where there is something."""
    origin: str | None = None
    """Of a control: the game, turn and seat that its note is made from. Stored where there is something."""
    padding: int = 0
    """Of an empty note: the tokens that readers see in its place. Stored where there is something."""
    usd: float | None = None
    """Cost in US dollars; None when no price is known."""
    estimated: bool = False
    """True if the token counts are estimates from the characters, because the server sent none."""
    tokens_in: Count = 0
    tokens_out: Count = 0
    cached_tokens: Count = 0
    """Part of `tokens_in`."""
    reasoning_tokens: Count = 0
    """Part of `tokens_out`."""
    finish: str | None = None
    served_by: str | None = None
    """The model id that the provider returned."""
    fingerprint: str | None = None
    service_tier: str | None = None
    """Which tier of the provider's service answered, such as `flex`; None for the ordinary one."""
    reasoning: str | None = None
    """Reasoning text, when the provider sends it."""
    source: Source | None = None
    """Where the text stood, if not in the content of the first choice. Stored where there is something."""
    injected: tuple[str, ...] = ()
    """The errors put into the answer of a simulated model. Stored for no other model."""
    latency_s: float = 0.0
    """In seconds, waits and retries included."""

    @property
    def key(self) -> Key:
        return Key(self.turn, self.seat, self.node, self.sample, self.ask)

    @property
    def of_model(self) -> bool:
        """True if it asked a model, not a program."""
        return self.prompt_hash is not None

    @property
    def simulated(self) -> bool:
        """True if it asked a simulated model: a program that makes errors and answers in text."""
        return is_simulated(self.model)

    @property
    def fake(self) -> bool:
        """True if the package's fake server answered, which is no language model."""
        return self.fingerprint == FAKE

    @property
    def paid(self) -> bool:
        """True if a model answered, neither the cache nor the game that this one was forked from."""
        return (
            self.of_model
            and self.text is not None
            and not (self.cached or self.fixed or self.simulated)
        )

    @property
    def usage(self) -> Usage:
        """What was paid for; of a simulated model with a price, what it would be, of no paid call."""
        if self.simulated and self.usd and not (self.cached or self.fixed):
            return Usage(self.tokens_in, self.tokens_out, self.usd)
        if not self.paid:
            return Usage()
        return Usage(
            self.tokens_in, self.tokens_out, self.usd, 1, self.cached_tokens, self.reasoning_tokens
        )

    @model_serializer(mode="wrap")
    def _without_what_models_lack(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if not self.simulated:
            data.pop("injected", None)
        return {key: value for key, value in data.items() if key not in UNSAID or value}


UNSAID = (
    "cause",
    "copied",
    "form",
    "constraint",
    "dropped",
    "fixed",
    "origin",
    "padding",
    "service_tier",
    "source",
)
"""Fields of a call that are written only where there is something to say, as most calls have none of them."""


class VerdictGiven(Value):
    """The verdict of a judge node on a decision."""

    event: Literal["verdict"] = "verdict"
    turn: int
    seat: int
    node: str
    move: StoredMove
    accepted: bool
    why: str
    told: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the node that is asked again reads, where that is less than `why`."""


class Decided(Value):
    event: Literal["decided"] = "decided"
    turn: int
    seat: int
    move: StoredMove
    why: str
    ratings: dict[str, float] | None = None
    """By the text of the move, -1 to 1."""
    forced: bool = False
    """True if the safest legal move was played because no choice was accepted, or none came."""
    node: str | None = None
    """The node that chose it; None when forced."""
    votes: dict[str, dict[str, int]] = {}
    """For each node that was asked several times: how many answers chose each move, the most frequent first."""
    rank: int | None = None
    """The rank of the move in a recommender's list, 1 for the best; None if no recommender lists it."""
    memory: dict[str, Any] = {}
    """What the seat gets on its own next turn."""


class Moved(Value):
    event: Literal["moved"] = "moved"
    past: StoredPast


class GameSuspended(Value):
    """The game was suspended here; the events after this one were played when it was resumed."""

    event: Literal["suspended"] = "suspended"
    turn: int
    """The turn that is not finished, or has not begun."""
    why: str


class GameEnded(Value):
    event: Literal["game_ended"] = "game_ended"
    result: Result


Event = (
    GameStarted | TurnStarted | Call | VerdictGiven | Decided | Moved | GameSuspended | GameEnded
)
StoredEvent = Annotated[Event, Field(discriminator="event")]

Sink = Callable[[Event], None]


def nowhere(event: Event) -> None:
    """A sink that drops every event."""
