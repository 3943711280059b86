"""The table of Overcooked: ticks run until a seat has no plan; then every seat without one chooses a macro-action,
sealed until all of them have."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.overcooked.kitchen import (
    PLAYERS,
    STEP_OF,
    Action,
    Cook,
    Cooker,
    Item,
    Kitchen,
    after,
    opening,
)
from hanabi_orchestrator.orchestrator.overcooked.layouts import LAYOUTS, layout_of
from hanabi_orchestrator.orchestrator.overcooked.macros import (
    Load,
    Macro,
    MoveAway,
    PickUp,
    Put,
    Wait,
    ground,
    offers,
    step_away,
)
from hanabi_orchestrator.orchestrator.sealed_play import SealedReferee
from hanabi_orchestrator.orchestrator.values import Value, whole_number

TICKS = 400
"""Ticks of a game in the paper."""

SeatNumber = Annotated[int, Field(ge=0, lt=PLAYERS)]
"""0 is Alice, 1 is Bob."""
AnyMacro = Annotated[PickUp | Put | Load | Wait | MoveAway, Field(discriminator="kind")]
End = Literal["ticks"]
"""How a game ended: its last tick has passed."""

# Deals


def deal(
    seed: int, layout: str | None = None, ticks: int = TICKS, patience: int = 1
) -> tuple[str, ...]:
    """Return the deal of a number from 1 to 6: a layout, and how long the game is.

    `layout`: the name of one to use whatever the number. `patience`: the ticks that `wait` lasts, 1 in the paper; with
    more, seats are asked less often. Raises UserError for an unknown layout or a wrong number.
    """
    if layout is None:
        if type(seed) is not int or not 1 <= seed <= len(LAYOUTS):
            raise UserError(f"Overcooked has the deals 1 to {len(LAYOUTS)}, not {seed}")
        layout = tuple(LAYOUTS)[seed - 1]
    return check_deal((f"layout: {layout}", f"ticks: {ticks}", f"patience: {patience}"))


def deal_name(deck: Sequence[str]) -> str:
    """Return what a deal is called: the paper's name of its layout, and what is not as in the paper."""
    name, ticks, patience = read_deal(deck)
    parts = [layout_of(name).title]
    if ticks != TICKS:
        parts.append(f"{ticks} ticks")
    if patience != 1:
        parts.append(f"patience {patience}")
    return ", ".join(parts)


def check_deal(deck: Sequence[str]) -> tuple[str, ...]:
    """Return a deal as it is stored. Raises UserError for one that is not of this game."""
    name, ticks, patience = read_deal(deck)
    return f"layout: {name}", f"ticks: {ticks}", f"patience: {patience}"


def read_deal(deck: Sequence[str]) -> tuple[str, int, int]:
    """Return the layout, the ticks and the patience of a deal. Raises UserError for one that is not of this game."""
    keys = tuple(text.partition(": ")[0] for text in deck)
    values = [text.partition(": ")[2] for text in deck]
    if keys == ("layout", "ticks", "patience"):
        ticks = whole_number(values[1])
        patience = whole_number(values[2])
        if ticks and patience:
            return layout_of(values[0]).name, ticks, patience
    raise UserError(
        f"{list(deck)} is no deal of Overcooked; it has a layout, and the ticks of a game and of `wait`, at least 1: "
        f"'layout: cramped_room', 'ticks: {TICKS}', 'patience: 1'"
    )


# What is seen and stored


class Outcome(Value):
    """How the game stands when a seat is asked again."""

    tick: int
    score: int


class Past(Value):
    """One past decision."""

    turn: int
    """1 is the game's first decision."""
    tick: int
    """Ticks that had passed when it was taken."""
    seat: SeatNumber
    move: AnyMacro
    outcome: Outcome | None = None
    """What followed; only with the last decision before the ticks went on."""


class Lying(Value):
    """Something on a counter."""

    place: str
    """The counter's name, such as `k3`."""
    item: Item


class View(Value):
    """Everything that one seat may know at one turn. Nothing is hidden but decisions that are sealed."""

    game: Literal["overcooked"] = "overcooked"
    players: int = PLAYERS
    seat: SeatNumber
    turn: int = Field(ge=1)
    layout: str
    """The name of the layout."""
    tick: int = Field(ge=0)
    """Ticks that have passed."""
    ticks: int = Field(ge=1)
    """Ticks of the whole game."""
    score: int = Field(ge=0)
    cooks: tuple[Cook, Cook]
    """Where each seat stands, looks, and what it holds."""
    counters: tuple[Lying, ...]
    """What lies on counters, in the order of their names in the layout."""
    cookers: tuple[Cooker, ...]
    """Cookers `c0`, `c1` ..."""
    history: tuple[Past, ...]
    """The decisions of all seats before the last ticks, oldest first."""
    legal: tuple[AnyMacro, ...]
    """The macro-actions that are offered; empty when it is not this seat's turn."""

    @property
    def kitchen(self) -> Kitchen:
        """The same as the rules take it."""
        layout = layout_of(self.layout)
        counters = {layout.names[thing.place]: thing.item for thing in self.counters}
        places = [layout.names[name] for name in layout.lettered("c")]
        cookers = dict(zip(places, self.cookers, strict=True))
        return Kitchen(layout, self.cooks, counters, cookers, self.tick)


# Play


class Referee(SealedReferee[Macro, Past, Outcome]):
    """One game of Overcooked on one layout."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: a deal, as `deal` makes it. Raises UserError for another number of players or a wrong deal."""
        if players != PLAYERS:
            raise UserError(f"Overcooked is for {PLAYERS} players, not {players}")
        super().__init__(players, check_deal(deck))
        name, self.ticks, self.patience = read_deal(self.deck)
        self.kitchen = opening(layout_of(name))
        self.joint_actions: list[tuple[Action, Action]] = []
        """What both cooks did, by tick: to compare with other kitchens."""
        self._asked_at = 0
        """Ticks that had passed when the round was decided that was resolved last."""
        self._plans: dict[int, Macro] = {}
        self._waited: dict[int, int] = {}
        """Ticks of a plan to wait that have passed, by seat."""
        self._stuck: Action | None = None
        """What seat 1 did in the last tick, if it was a step that changed neither its place nor its facing."""
        self._evaded = False
        """The last action of seat 1 was a step away by the stalemate rule."""

    @property
    def over(self) -> bool:
        return self.kitchen.tick >= self.ticks

    @property
    def end(self) -> End | None:
        """How the game ended; None while it goes on."""
        return "ticks" if self.over else None

    @property
    def score(self) -> int:
        """Points of the team: 20 for each soup that was delivered."""
        return self.kitchen.score

    def view(self, seat: int | None = None, *, own_hand: bool = False) -> View:
        """Return what a seat (default: the acting one) may know now. `own_hand` changes nothing: no hand is hidden."""
        seat = self.check_seat(seat)
        kitchen = self.kitchen
        layout = kitchen.layout
        counters = [
            Lying(place=name, item=kitchen.counters[place])
            for name, place in layout.names.items()
            if place in kitchen.counters
        ]
        return View(
            seat=seat,
            turn=self.turn,
            layout=layout.name,
            tick=kitchen.tick,
            ticks=self.ticks,
            score=kitchen.score,
            cooks=kitchen.cooks,
            counters=tuple(counters),
            cookers=tuple(kitchen.cookers[layout.names[name]] for name in layout.lettered("c")),
            history=self.resolved,
            legal=self.legal_for(seat),
        )

    def _deciding(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(PLAYERS) if seat not in self._plans)

    def _offers(self, seat: int) -> tuple[Macro, ...]:
        return offers(self.kitchen, seat)

    def _resolve(self, moves: Mapping[int, Macro]) -> Outcome:
        self._asked_at = self.kitchen.tick
        self._plans.update(moves)
        self._waited.update(dict.fromkeys(moves, 0))
        while len(self._plans) == PLAYERS and not self.over:
            self._tick()
        return Outcome(tick=self.kitchen.tick, score=self.kitchen.score)

    def _tick(self) -> None:
        """Carry out one tick of both plans."""
        grounded = [ground(self.kitchen, seat, self._plans[seat]) for seat in range(PLAYERS)]
        over = [tick.over for tick in grounded]
        actions = [tick.action for tick in grounded]
        for seat, plan in self._plans.items():
            self._waited[seat] += 1
            if isinstance(plan, Wait) and self._waited[seat] < self.patience:
                over[seat] = False
        evades = self._stuck is not None and not over[1] and actions[1] in STEP_OF
        if evades:
            actions[1] = step_away(self.kitchen, 1, self._stuck if self._evaded else None)
        self.joint_actions.append((actions[0], actions[1]))
        before = self.kitchen.cooks[1]
        self.kitchen = after(self.kitchen, actions)
        later = self.kitchen.cooks[1]
        stuck = actions[1] in STEP_OF and (before.place, before.facing) == (
            later.place,
            later.facing,
        )
        self._stuck = actions[1] if stuck else None
        self._evaded = evades
        for seat in range(PLAYERS):
            if over[seat]:
                del self._plans[seat]

    def _past(self, turn: int, seat: int, move: Macro, outcome: Outcome | None) -> Past:
        tick = self.kitchen.tick if outcome is None else self._asked_at
        return Past(turn=turn, tick=tick, seat=seat, move=move, outcome=outcome)
