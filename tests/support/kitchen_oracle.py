"""The package `overcooked` as an oracle for our kitchen: the same actions in both, and one text for a moment of either.

The package is no dependency. Where it is installed beside ours, `python -m tests.support.kitchen_oracle` writes the
traces of `tests/golden/overcooked/` again: what it makes of 400 joint actions on each layout.
"""

import contextlib
import io
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any

from hanabi_orchestrator.orchestrator.overcooked.kitchen import (
    STEP_OF,
    Action,
    Cook,
    Cooker,
    Item,
    Kitchen,
)
from hanabi_orchestrator.orchestrator.overcooked.layouts import LAYOUTS, Layout, Place
from hanabi_orchestrator.orchestrator.overcooked.programs import overcooked_greedy
from hanabi_orchestrator.orchestrator.overcooked.referee import Referee, deal
from hanabi_orchestrator.orchestrator.values import Value
from tests.support.folders import ROOT

FILE = ROOT / "tests" / "golden" / "overcooked" / "traces.jsonl"
LETTERS: dict[str, Action] = {
    "n": "north",
    "s": "south",
    "e": "east",
    "w": "west",
    "i": "interact",
    ".": "stay",
}
"""Actions as traces write them."""
TICKS = 400


CLUMSY = 0.15
"""The share of decisions by chance in the games of the traces."""


class Trace(Value):
    """One game of the oracle: what both cooks did, and what came of it."""

    layout: str
    actions: list[str]
    """Of each seat, a letter a tick."""
    deliveries: list[int]
    """The ticks with a delivery."""
    digests: str
    """Of each tick, the beginning of the hash of the moment after it."""

    def joint(self) -> Iterator[tuple[Action, Action]]:
        for first, second in zip(*self.actions, strict=True):
            yield LETTERS[first], LETTERS[second]


def text(kitchen: Kitchen) -> str:
    """Everything in a moment, as one line."""
    cooks = [f"{cook.place} {cook.facing} {cook.held}" for cook in kitchen.cooks]
    counters = [f"{place} {item}" for place, item in sorted(kitchen.counters.items())]
    cookers = [
        f"{place} {pot.onions} {pot.ticks}" for place, pot in sorted(kitchen.cookers.items())
    ]
    return "; ".join([*cooks, *counters, *cookers, str(kitchen.score)])


def digest(kitchen: Kitchen) -> str:
    return sha256(text(kitchen).encode()).hexdigest()[:6]


class Oracle:
    """A kitchen of the package, in the dynamics of the paper's code."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        package = import_module("overcooked")
        with contextlib.redirect_stdout(io.StringIO()):
            self._world: Any = package.OvercookedGridworld.from_grid(
                list(layout.rows),
                {"start_all_orders": [{"ingredients": ["onion"] * 3}], "old_dynamics": True},
            )
        self._state: Any = self._world.get_standard_start_state()
        self._delivered = 0
        self._tick = 0

    def step(self, actions: Sequence[Action]) -> Kitchen:
        """Do a tick, and return the moment after it in our terms."""
        theirs: dict[Action, Any] = {**STEP_OF, "interact": "interact", "stay": (0, 0)}
        joint = tuple(theirs[action] for action in actions)
        self._state, events = self._world.get_state_transition(self._state, joint)
        self._delivered += sum(events["sparse_reward_by_agent"]) // 20
        self._tick += 1
        return self._kitchen()

    def _kitchen(self) -> Kitchen:
        cooks = [
            Cook(place=player.position, facing=player.orientation, held=_item(player.held_object))
            for player in self._state.players
        ]
        cookers = {self._layout.names[name]: Cooker() for name in self._layout.lettered("c")}
        counters: dict[Place, Item] = {}
        for place, thing in self._state.objects.items():
            item = _item(thing)
            if place in cookers:
                cookers[place] = Cooker(
                    onions=len(thing.ingredients), ticks=max(thing._cooking_tick, 0)
                )
            elif item is not None:
                counters[place] = item
        return Kitchen(
            self._layout, (cooks[0], cooks[1]), counters, cookers, self._tick, self._delivered
        )


def _item(thing: Any) -> Item | None:
    """Return what the package calls onion, dish or soup."""
    names: dict[str, Item] = {"onion": "onion", "dish": "plate", "soup": "soup"}
    return None if thing is None else names[thing.name]


# Traces


def clumsy_game(layout: str) -> list[tuple[Action, Action]]:
    """What two greedy cooks do who choose anything that is offered now and then."""
    rng = Random(layout)
    referee = Referee(2, deal(1, layout, TICKS))
    while not referee.over:
        view = referee.view()
        macro = rng.choice(view.legal) if rng.random() < CLUMSY else overcooked_greedy(view)[0]
        referee.apply(macro)
    return referee.joint_actions


def trace(layout: str) -> Trace:
    """What the oracle makes of a clumsy game."""
    oracle = Oracle(LAYOUTS[layout])
    game = clumsy_game(layout)
    moments = [oracle.step(actions) for actions in game]
    letters = {action: letter for letter, action in LETTERS.items()}
    return Trace(
        layout=layout,
        actions=["".join(letters[pair[seat]] for pair in game) for seat in (0, 1)],
        deliveries=[
            moment.tick for before, moment in pairwise(moments) if moment.score > before.score
        ],
        digests=" ".join(digest(moment) for moment in moments),
    )


def traces() -> list[Trace]:
    """Return the committed traces, one of each layout."""
    return [Trace.model_validate_json(line) for line in FILE.read_text("utf-8").splitlines()]


def main() -> None:
    lines = [trace(layout).model_dump_json() for layout in LAYOUTS]
    FILE.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
