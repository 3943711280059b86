"""A kitchen and its ticks: what two cooks do at once, and what the cookers do by themselves.

The rules are those of LLM-Coordination (sections 2.1 and 4.1.1, appendix A) in the dynamics of its code: three onions
start to cook by themselves, for 20 ticks; nobody starts a cooker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hanabi_orchestrator.orchestrator.overcooked.layouts import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Layout,
    Place,
    Step,
    beyond,
)
from hanabi_orchestrator.orchestrator.values import Value

ONIONS = 3
"""Onions of a soup."""
COOKING = 20
"""Ticks that a soup cooks."""
REWARD = 20
"""Points of the team for a soup that is delivered."""
PLAYERS = 2

Item = Literal["onion", "plate", "soup"]
"""What a cook can hold; a soup is on a plate."""
Action = Literal["north", "south", "east", "west", "interact", "stay"]
"""What a cook does in one tick."""
STEP_OF: dict[Action, Step] = {"north": NORTH, "south": SOUTH, "east": EAST, "west": WEST}
ACTION_OF: dict[Step, Action] = {step: action for action, step in STEP_OF.items()}


class Cook(Value):
    """Where a player stands, looks, and what they hold."""

    place: Place
    facing: Step
    held: Item | None = None

    @property
    def ahead(self) -> Place:
        """The cell that the cook faces."""
        return beyond(self.place, self.facing)


class Cooker(Value):
    """What is in a cooker."""

    onions: int = 0
    ticks: int = 0
    """Ticks that it has cooked, up to COOKING."""

    @property
    def full(self) -> bool:
        return self.onions == ONIONS

    @property
    def ready(self) -> bool:
        """The soup is cooked."""
        return self.full and self.ticks >= COOKING


EMPTY = Cooker()


@dataclass(frozen=True)
class Kitchen:
    """One moment of a kitchen."""

    layout: Layout
    cooks: tuple[Cook, Cook]
    counters: Mapping[Place, Item]
    """What lies on counters."""
    cookers: Mapping[Place, Cooker]
    """Every cooker of the layout."""
    tick: int = 0
    """Ticks that have passed."""
    delivered: int = 0
    """Soups that were delivered."""

    @property
    def score(self) -> int:
        return self.delivered * REWARD


def opening(layout: Layout) -> Kitchen:
    """Return the first moment: both cooks look north with empty hands, and nothing cooks."""
    first, second = layout.starts
    cookers = {layout.names[name]: EMPTY for name in layout.lettered("c")}
    return Kitchen(
        layout, (Cook(place=first, facing=NORTH), Cook(place=second, facing=NORTH)), {}, cookers
    )


def after(kitchen: Kitchen, actions: Sequence[Action]) -> Kitchen:
    """Return the kitchen after a tick: what seat 0, then seat 1 does with what it faces; steps; then the cookers."""
    for seat in range(PLAYERS):
        if actions[seat] == "interact":
            kitchen = _interact(kitchen, seat)
    first, second = kitchen.cooks
    cooks = _moved(kitchen.layout, first, second, actions)
    cookers = {place: _cooked(cooker) for place, cooker in kitchen.cookers.items()}
    return replace(kitchen, cooks=cooks, cookers=cookers, tick=kitchen.tick + 1)


def _cooked(cooker: Cooker) -> Cooker:
    if not cooker.full or cooker.ready:
        return cooker
    return Cooker(onions=ONIONS, ticks=cooker.ticks + 1)


# Steps


def _moved(
    layout: Layout, first: Cook, second: Cook, actions: Sequence[Action]
) -> tuple[Cook, Cook]:
    """Return both cooks after their steps. A direction always turns them; where both would end in one cell, or change
    cells, neither steps."""
    turned = (_turned(first, actions[0]), _turned(second, actions[1]))
    goals = (_goal(layout, turned[0], actions[0]), _goal(layout, turned[1], actions[1]))
    swap = goals[0] == second.place and goals[1] == first.place
    if goals[0] == goals[1] or swap:
        return turned
    return _at(turned[0], goals[0]), _at(turned[1], goals[1])


def _turned(cook: Cook, action: Action) -> Cook:
    if action not in STEP_OF or cook.facing == STEP_OF[action]:
        return cook
    return Cook(place=cook.place, facing=STEP_OF[action], held=cook.held)


def _goal(layout: Layout, cook: Cook, action: Action) -> Place:
    return cook.ahead if action in STEP_OF and cook.ahead in layout.floor else cook.place


def _at(cook: Cook, place: Place) -> Cook:
    return cook if cook.place == place else Cook(place=place, facing=cook.facing, held=cook.held)


# Hands


def _interact(kitchen: Kitchen, seat: int) -> Kitchen:
    """Return the kitchen after a seat has used what it faces; the same where that does nothing."""
    cook = kitchen.cooks[seat]
    place = cook.ahead
    match kitchen.layout.signs.get(place):
        case "X":
            return _use_counter(kitchen, seat, place)
        case "O" if cook.held is None:
            return _holding(kitchen, seat, "onion")
        case "D" if cook.held is None:
            return _holding(kitchen, seat, "plate")
        case "P":
            return _use_cooker(kitchen, seat, place)
        case "S" if cook.held == "soup":
            return replace(_holding(kitchen, seat, None), delivered=kitchen.delivered + 1)
    return kitchen


def _use_counter(kitchen: Kitchen, seat: int, place: Place) -> Kitchen:
    held = kitchen.cooks[seat].held
    item = kitchen.counters.get(place)
    if held is not None and item is None:
        return replace(_holding(kitchen, seat, None), counters={**kitchen.counters, place: held})
    if held is None and item is not None:
        counters = {cell: thing for cell, thing in kitchen.counters.items() if cell != place}
        return replace(_holding(kitchen, seat, item), counters=counters)
    return kitchen


def _use_cooker(kitchen: Kitchen, seat: int, place: Place) -> Kitchen:
    held = kitchen.cooks[seat].held
    cooker = kitchen.cookers[place]
    if held == "onion" and not cooker.full:
        changed = Cooker(onions=cooker.onions + 1)
        return replace(_holding(kitchen, seat, None), cookers={**kitchen.cookers, place: changed})
    if held == "plate" and cooker.ready:
        return replace(_holding(kitchen, seat, "soup"), cookers={**kitchen.cookers, place: EMPTY})
    return kitchen


def _holding(kitchen: Kitchen, seat: int, item: Item | None) -> Kitchen:
    """Return the kitchen with something else in a seat's hands."""
    cook = kitchen.cooks[seat]
    changed = Cook(place=cook.place, facing=cook.facing, held=item)
    cooks = (changed, kitchen.cooks[1]) if seat == 0 else (kitchen.cooks[0], changed)
    return replace(kitchen, cooks=cooks)
