"""A greedy cook, from a view: each of a pair does what the kitchen lacks most, and keeps out of the other's way.

It is a rule that returns an offered macro-action and its reason. It counts what the partner holds, but never asks what
the partner plans.
"""

from collections.abc import Callable

from hanabi_orchestrator.orchestrator.overcooked.kitchen import (
    COOKING,
    ONIONS,
    Cooker,
    Item,
    Kitchen,
)
from hanabi_orchestrator.orchestrator.overcooked.macros import (
    MOVE_AWAY,
    WAIT,
    Load,
    Macro,
    PickUp,
    Put,
    by_distance,
    empty,
    lying,
)
from hanabi_orchestrator.orchestrator.overcooked.referee import View

ReasonedMacro = tuple[Macro, str]


def overcooked_greedy(view: View) -> ReasonedMacro:
    """Return what a greedy cook does next."""
    return Greedy(view.kitchen, view.seat).choice()


WORTH: dict[Item | None, int] = {None: 0, "onion": 1, "plate": 2, "soup": 3}
"""What is held, by how near it is to a delivery."""


SOON = 10
"""Ticks before a soup is cooked from which on a plate is fetched before onions."""


class Greedy:
    """What one seat may do in one moment of a kitchen."""

    def __init__(self, kitchen: Kitchen, seat: int) -> None:
        self.kitchen = kitchen
        self.seat = seat
        self.held = kitchen.cooks[seat].held
        self.partners = kitchen.cooks[1 - seat].held
        """What the partner holds."""
        self.cookers = self._mine("c")

    def choice(self) -> ReasonedMacro:
        choices: dict[Item | None, Callable[[], ReasonedMacro]] = {
            None: self._with_nothing,
            "onion": self._with_onion,
            "plate": self._with_plate,
            "soup": self._with_soup,
        }
        macro, reason = choices[self.held]()
        if isinstance(macro, PickUp | Put | Load) and self._blocked(macro.place):
            reason = f"the partner stands in the way to {macro.place}"
            return self._idle(reason) if self._yields() else (WAIT, reason)
        return macro, reason

    # By what the seat holds

    def _with_soup(self) -> ReasonedMacro:
        for name in self._nearest(self._mine("d")):
            return Put(item="soup", place=name), "the soup is worth 20 points there"
        return self._hand_over("soup") or self._idle("nobody can be given the soup now")

    def _with_plate(self) -> ReasonedMacro:
        if not self.cookers:
            return self._hand_over("plate") or self._idle("the shared counters are full")
        full = [name for name in self._nearest(self.cookers) if self._pot(name).full]
        if full:
            soonest = max(full, key=lambda name: self._pot(name).ticks)
            return Load(place=soonest), "its soup is cooked first"
        return self._put_down() or self._idle("no soup cooks, and no counter is free")

    def _with_onion(self) -> ReasonedMacro:
        if not self.cookers:
            return self._hand_over("onion") or self._idle("the shared counters are full")
        wanting = [name for name in self._nearest(self.cookers) if not self._pot(name).full]
        if wanting:
            fullest = max(wanting, key=lambda name: self._pot(name).onions)
            return Put(item="onion", place=fullest), "it wants onions, and of those it has the most"
        if self._plates_lacking() > 0:
            return self._put_down() or self._idle("every cooker is full")
        return self._idle("every cooker is full")

    def _with_nothing(self) -> ReasonedMacro:
        for item in self._lacking():
            sources = self._sources(item)
            if sources:
                return PickUp(
                    item=item, place=sources[0]
                ), f"the cookers lack {item}s, and it is nearest"
        soups = self._sources("soup")
        if soups and self._mine("d"):
            return PickUp(item="soup", place=soups[0]), "it can be delivered"
        return self._idle("nothing is lacking")

    # What is lacking

    def _lacking(self) -> list[Item]:
        """What the cookers lack, the more urgent first."""
        plates = self._plates_lacking() > 0
        onions = self._onions_lacking() > 0
        if plates and onions:
            return ["plate", "onion"] if self._soon() else ["onion", "plate"]
        if plates:
            return ["plate"]
        return ["onion"] if onions else []

    def _soon(self) -> bool:
        """Say whether a soup is cooked, or nearly so."""
        return any(
            pot.full and pot.ticks >= COOKING - SOON for pot in self.kitchen.cookers.values()
        )

    def _onions_lacking(self) -> int:
        """Onions that the cookers want, beyond those on the way."""
        pots = self.kitchen.cookers.values()
        missing = sum(ONIONS - pot.onions for pot in pots)
        return missing - (self.partners == "onion") - self._waiting("onion")

    def _plates_lacking(self) -> int:
        """Plates that full cookers want, beyond those on the way."""
        pots = self.kitchen.cookers.values()
        full = sum(pot.full for pot in pots)
        return full - (self.partners == "plate") - self._waiting("plate")

    def _waiting(self, item: Item) -> int:
        """Things that lie ready for a partner who reaches the cookers; who fills counters counts them."""
        if self.cookers:
            return 0
        return sum(lying(self.kitchen, name) == item for name in self._mine("s"))

    # Places

    def _mine(self, letter: str) -> list[str]:
        """The names with a letter that the seat reaches."""
        layout = self.kitchen.layout
        return [name for name in layout.lettered(letter) if layout.reaches(self.seat, name)]

    def _nearest(self, names: list[str]) -> list[str]:
        """The things to which the partner leaves a way, or all if there is none; the nearest first."""
        free = [name for name in names if not self._blocked(name)]
        return by_distance(self.kitchen, self.seat, free or names)

    def _pot(self, name: str) -> Cooker:
        return self.kitchen.cookers[self.kitchen.layout.names[name]]

    def _sources(self, item: Item) -> list[str]:
        """Where the seat can take something, the nearest first; who reaches no cooker takes nothing off counters."""
        dispensers = self._mine({"onion": "o", "plate": "p", "soup": "-"}[item])
        counters = [*self._mine("s"), *self._mine("k")] if self.cookers or item == "soup" else []
        return self._nearest(
            [*dispensers, *(name for name in counters if lying(self.kitchen, name) == item)]
        )

    # Doing nothing useful

    def _hand_over(self, item: Item) -> ReasonedMacro | None:
        """Put something on a counter that the partner reaches too; None when all are full."""
        layout = self.kitchen.layout
        counters = [*empty(self.kitchen, self.seat, "s")]
        common = [name for name in counters if layout.reaches(1 - self.seat, name)]
        for name in self._nearest(common):
            return Put(item=item, place=name), "the partner can take it there"
        return None

    def _put_down(self) -> ReasonedMacro | None:
        """Free the hands; None when no counter is free."""
        counters = [*empty(self.kitchen, self.seat, "s"), *empty(self.kitchen, self.seat, "k")]
        assert self.held is not None
        for name in self._nearest(counters):
            return Put(item=self.held, place=name), "the hands are wanted for something else"
        return None

    def _idle(self, reason: str) -> ReasonedMacro:
        """Step away where the seat may stand in the partner's way, else wait."""
        first, second = (cook.place for cook in self.kitchen.cooks)
        close = abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1
        if close or self._in_a_doorway():
            return MOVE_AWAY, f"{reason}, and the partner may want to stand here"
        return WAIT, reason

    def _in_a_doorway(self) -> bool:
        """Say whether the seat stands beside something that the partner needs now."""
        layout = self.kitchen.layout
        place = self.kitchen.cooks[self.seat].place
        if place not in layout.reach[1 - self.seat]:
            return False
        needed = {None: "o", "onion": "c", "plate": "c", "soup": "d"}[self.partners]
        return any(place in cells for name, cells in layout.access.items() if name[0] == needed)

    def _blocked(self, name: str) -> bool:
        """Say whether the partner stands in the only way to something."""
        first = self.kitchen.cooks[self.seat].place
        second = self.kitchen.cooks[1 - self.seat].place
        return self.kitchen.layout.distance(first, name, second) is None

    def _yields(self) -> bool:
        """Say which of two cooks who are in each other's way makes room: who holds less, else seat 1."""
        worth = [WORTH[cook.held] for cook in self.kitchen.cooks]
        mine = worth[self.seat]
        partners = worth[1 - self.seat]
        return mine < partners or (mine == partners and self.seat == 1)
