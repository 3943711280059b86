"""Macro-actions: what agents choose, what a seat is offered, and the actions of single ticks that carry it out.

They are those of LLM-Coordination (section 3, appendix A.2) as its code grounds them.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

from hanabi_orchestrator.orchestrator.overcooked.kitchen import ACTION_OF, Action, Item, Kitchen
from hanabi_orchestrator.orchestrator.overcooked.layouts import (
    EAST,
    NORTH,
    SOUTH,
    STEPS,
    WEST,
    Place,
    Step,
    beyond,
)
from hanabi_orchestrator.orchestrator.values import Value

# Texts


class PickUp(Value):
    """Take something from a dispenser or a counter."""

    kind: Literal["pick_up"] = "pick_up"
    item: Item
    place: str
    """A name of the layout, such as `o0`."""

    def __str__(self) -> str:
        return f"pick up {'cooked soup' if self.item == 'soup' else self.item} from {self.place}"


class Put(Value):
    """Put what one holds into a cooker or on a counter, or deliver it."""

    kind: Literal["put"] = "put"
    item: Item
    place: str

    def __str__(self) -> str:
        if self.place[0] == "d":
            return f"place soup for delivery in {self.place}"
        return f"place {self.item} {'in' if self.place[0] == 'c' else 'on'} {self.place}"


class Load(Value):
    """Take the cooked soup of a cooker on the plate that one holds."""

    kind: Literal["load"] = "load"
    place: str

    def __str__(self) -> str:
        return f"load soup on plate from {self.place}"


class Wait(Value):
    """Stand still."""

    kind: Literal["wait"] = "wait"

    def __str__(self) -> str:
        return "wait"


class MoveAway(Value):
    """Step away from the partner."""

    kind: Literal["move_away"] = "move_away"

    def __str__(self) -> str:
        return "move away"


Macro = PickUp | Put | Load | Wait | MoveAway
"""Any macro-action; `str(macro)` is its text."""

WAIT = Wait()
MOVE_AWAY = MoveAway()

MOST_OF_A_LETTER = 100
"""Numbers of a name, from 0, that texts may have; layouts have fewer."""
_SOURCES: dict[Item, str] = {"onion": "osk", "plate": "psk", "soup": "sk"}
"""By what is picked up, the letters of where it may lie."""
_TARGETS: dict[Item, str] = {"onion": "csk", "plate": "sk", "soup": "dsk"}
"""By what is put down, the letters of where it may go."""


def _all() -> Iterator[Macro]:
    yield WAIT
    yield MOVE_AWAY
    for number in range(MOST_OF_A_LETTER):
        yield Load(place=f"c{number}")
        for item, letters in _SOURCES.items():
            yield from (PickUp(item=item, place=f"{letter}{number}") for letter in letters)
        for item, letters in _TARGETS.items():
            yield from (Put(item=item, place=f"{letter}{number}") for letter in letters)


@cache
def _by_text() -> dict[str, Macro]:
    return {str(macro): macro for macro in _all()}


def parse(text: str) -> Macro | None:
    """Return the macro-action of an exact text, e.g. `pick up onion from o0`; None for any other text."""
    return _by_text().get(text)


# Offers


def offers(kitchen: Kitchen, seat: int) -> tuple[Macro, ...]:
    """Return what a seat may choose: what its hands allow with everything that it could walk to, were it alone.

    Cookers are offered whatever is in them, as in the authors' code.
    """
    held = kitchen.cooks[seat].held
    macros: list[Macro] = []
    if held is None:
        macros.extend(PickUp(item="onion", place=name) for name in _reached(kitchen, seat, "o"))
        macros.extend(PickUp(item="plate", place=name) for name in _reached(kitchen, seat, "p"))
        for name in (*_reached(kitchen, seat, "s"), *_reached(kitchen, seat, "k")):
            item = lying(kitchen, name)
            if item is not None:
                macros.append(PickUp(item=item, place=name))
    else:
        if held == "onion":
            macros.extend(Put(item=held, place=name) for name in _reached(kitchen, seat, "c"))
        elif held == "plate":
            macros.extend(Load(place=name) for name in _reached(kitchen, seat, "c"))
        else:
            macros.extend(Put(item=held, place=name) for name in _reached(kitchen, seat, "d"))
        macros.extend(Put(item=held, place=name) for name in empty(kitchen, seat, "s"))
        nearest = by_distance(kitchen, seat, empty(kitchen, seat, "k"))
        macros.extend(Put(item=held, place=name) for name in nearest[:1])
    return (*macros, WAIT, MOVE_AWAY)


def lying(kitchen: Kitchen, name: str) -> Item | None:
    """Return what lies on a counter."""
    return kitchen.counters.get(kitchen.layout.names[name])


def empty(kitchen: Kitchen, seat: int, letter: str) -> list[str]:
    """Return the empty counters of a letter that a seat reaches, in reading order."""
    return [name for name in _reached(kitchen, seat, letter) if lying(kitchen, name) is None]


def by_distance(kitchen: Kitchen, seat: int, names: Iterable[str]) -> list[str]:
    """Return things that a seat reaches, the nearest first: by the way around the partner, then, for what the partner
    blocks, by the way without them; equal ones in the order given."""
    layout = kitchen.layout
    start = kitchen.cooks[seat].place
    partner = kitchen.cooks[1 - seat].place
    around = layout.distances(start, partner)
    alone = layout.distances(start)

    def distance(name: str) -> tuple[bool, int]:
        steps = [around[place] for place in layout.access[name] if place in around]
        if steps:
            return False, min(steps)
        return True, min(alone[place] for place in layout.access[name] if place in alone)

    return sorted(names, key=distance)


def _reached(kitchen: Kitchen, seat: int, letter: str) -> list[str]:
    return [name for name in kitchen.layout.lettered(letter) if kitchen.layout.reaches(seat, name)]


# Grounding


class Tick(NamedTuple):
    """What a seat does in one tick for its macro-action."""

    action: Action
    over: bool
    """The macro-action is over after it, so that the seat chooses again."""


def ground(kitchen: Kitchen, seat: int, macro: Macro) -> Tick:
    """Return the next tick of a macro-action: the shortest way around the partner to a cell beside the target, then a
    turn to it, then INTERACT, which ends it. Without a way, or before the soup to be loaded is ready, the seat stands
    still for a tick and chooses again."""
    if isinstance(macro, Wait):
        return Tick("stay", over=True)
    if isinstance(macro, MoveAway):
        return Tick(step_away(kitchen, seat), over=True)
    cook = kitchen.cooks[seat]
    target = kitchen.layout.names[macro.place]
    if cook.place not in kitchen.layout.access[macro.place]:
        step = _way(kitchen, seat, macro.place)
        return Tick("stay", over=True) if step is None else Tick(ACTION_OF[step], over=False)
    if cook.ahead != target:
        turn = (target[0] - cook.place[0], target[1] - cook.place[1])
        return Tick(ACTION_OF[turn], over=False)
    if isinstance(macro, Load) and not kitchen.cookers[target].ready:
        return Tick("stay", over=True)
    return Tick("interact", over=True)


def _way(kitchen: Kitchen, seat: int, name: str) -> Step | None:
    """Return the first step of the shortest way around the partner to a cell beside something; of equal ways the one
    that begins north, south, east, west."""
    layout = kitchen.layout
    start = kitchen.cooks[seat].place
    partner = kitchen.cooks[1 - seat].place
    best: tuple[int, Step] | None = None
    for step in STEPS:
        cell = beyond(start, step)
        if cell in layout.floor and cell != partner:
            distance = layout.distance(cell, name, partner)
            if distance is not None and (best is None or distance < best[0]):
                best = distance, step
    return None if best is None else best[1]


def step_away(kitchen: Kitchen, seat: int, avoided: Action | None = None) -> Action:
    """Return the step of a seat away from its partner: to a free cell, if there is one, in a direction that leads away.

    `avoided`: an action that was tried in vain.
    """
    cook = kitchen.cooks[seat]
    partner = kitchen.cooks[1 - seat].place
    for step in (*_leading_away(cook.place, partner), WEST, NORTH, SOUTH, EAST):
        cell = beyond(cook.place, step)
        if cell in kitchen.layout.floor and cell != partner and ACTION_OF[step] != avoided:
            return ACTION_OF[step]
    return "stay"


def _leading_away(place: Place, partner: Place) -> Iterator[Step]:
    if place[0] != partner[0]:
        yield EAST if place[0] > partner[0] else WEST
    if place[1] != partner[1]:
        yield SOUTH if place[1] > partner[1] else NORTH
