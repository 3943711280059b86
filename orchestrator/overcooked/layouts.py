"""The layouts of Overcooked: where everything stands, what it is called, and which cells a player can walk to.

A place is (x, y), counted from the top left. The names are those of LLM-Coordination (appendix A): `o` onion
dispensers, `p` plate dispensers, `c` cookers, `d` delivery areas, `s` shared counters, `k` other counters, each
numbered in reading order from 0.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean

Place = tuple[int, int]
"""A cell: (x, y) from the top left."""
Step = tuple[int, int]
"""A direction as the change of x and y."""

NORTH: Step = (0, -1)
SOUTH: Step = (0, 1)
EAST: Step = (1, 0)
WEST: Step = (-1, 0)
STEPS: tuple[Step, ...] = (NORTH, SOUTH, EAST, WEST)

LETTERS = {"O": "o", "D": "p", "P": "c", "S": "d", "X": "k"}
"""By sign of a grid, the letter of its names."""


def beyond(place: Place, step: Step) -> Place:
    """Return the cell one step from a place."""
    return place[0] + step[0], place[1] + step[1]


@dataclass(frozen=True)
class Layout:
    """A kitchen without what moves in it."""

    name: str
    title: str
    """What the paper calls it: CR, AA, Ring, FC, CC."""
    rows: tuple[str, ...]
    """X counter, O onions, D plates, P cooker, S delivery, blank floor; 1 and 2: where seat 0 and seat 1 begin."""
    shared: tuple[Place, ...] = ()
    """The counters that the authors' code calls shared; they are not counted among the others."""

    @cached_property
    def signs(self) -> dict[Place, str]:
        """What stands at each cell, the players' starts as floor."""
        cells = self._cells()
        return {place: " " if sign in "12" else sign for place, sign in cells}

    @cached_property
    def starts(self) -> tuple[Place, Place]:
        """Where the seats begin."""
        places = {sign: place for place, sign in self._cells() if sign in "12"}
        return places["1"], places["2"]

    @cached_property
    def floor(self) -> frozenset[Place]:
        return frozenset(place for place, sign in self.signs.items() if sign == " ")

    @cached_property
    def names(self) -> dict[str, Place]:
        """The cell of everything that has a name, such as `o0`, by letter in the order o, p, c, d, s, k."""
        places: dict[str, list[Place]] = {letter: [] for letter in "opcdsk"}
        for place, sign in self.signs.items():
            if place in self.shared:
                places["s"].append(place)
            elif sign in LETTERS:
                places[LETTERS[sign]].append(place)
        return {
            f"{letter}{number}": place
            for letter, cells in places.items()
            for number, place in enumerate(cells)
        }

    @cached_property
    def named(self) -> dict[Place, str]:
        """The name of each cell that has one."""
        return {place: name for name, place in self.names.items()}

    def lettered(self, letter: str) -> tuple[str, ...]:
        """Return the names with a letter, in reading order."""
        return tuple(name for name in self.names if name[0] == letter)

    @cached_property
    def access(self) -> dict[str, tuple[Place, ...]]:
        """The floor beside everything that has a name."""
        return {
            name: tuple(beyond(place, step) for step in STEPS if beyond(place, step) in self.floor)
            for name, place in self.names.items()
        }

    @cached_property
    def reach(self) -> tuple[frozenset[Place], frozenset[Place]]:
        """The floor that each seat can walk to, were it alone."""
        first, second = self.starts
        return frozenset(self.distances(first)), frozenset(self.distances(second))

    def reaches(self, seat: int, name: str) -> bool:
        """Say whether a seat can walk beside something, were it alone."""
        return any(place in self.reach[seat] for place in self.access[name])

    def distances(self, start: Place, blocked: Place | None = None) -> dict[Place, int]:
        """Return how many steps each floor cell is from a start that can be walked to around a blocked cell."""
        steps = {start: 0}
        queue = deque([start])
        while queue:
            place = queue.popleft()
            for step in STEPS:
                cell = beyond(place, step)
                if cell in self.floor and cell != blocked and cell not in steps:
                    steps[cell] = steps[place] + 1
                    queue.append(cell)
        return steps

    def distance(self, start: Place, name: str, blocked: Place | None = None) -> int | None:
        """Return how many steps something is away, 0 beside it; None where no way leads to it."""
        steps = self.distances(start, blocked)
        return min((steps[place] for place in self.access[name] if place in steps), default=None)

    def _cells(self) -> Iterator[tuple[Place, str]]:
        for y, row in enumerate(self.rows):
            for x, sign in enumerate(row):
                yield (x, y), sign


_LAYOUTS = (
    Layout("cramped_room", "CR", ("XXPXX", "O  2O", "X1  X", "XDXSX")),
    Layout(
        "asymmetric_advantages",
        "AA",
        ("XXXXXXXXX", "O XSXOX S", "X   P 1 X", "X2  P   X", "XXXDXDXXX"),
    ),
    Layout("coordination_ring", "Ring", ("XXXPX", "X 1 P", "D2X X", "O   X", "XOSXX")),
    Layout(
        "forced_coordination",
        "FC",
        ("XXXPX", "O X1P", "O2X X", "D X X", "XXXSX"),
        ((2, 1), (2, 2), (2, 3)),
    ),
    Layout(
        "counter_circuit_o_1order",
        "CC",
        ("XXXPPXXX", "X  2   X", "D XXXX S", "X  1   X", "XXXOOXXX"),
        ((2, 2), (3, 2), (4, 2), (5, 2)),
    ),
    Layout(
        "asymmetric_advantages_wide",
        "AA wide",
        ("XXXXXXXXXXX", "O XXSXOXX S", "X    P  1 X", "X2   P    X", "XXXXDXDXXXX"),
    ),
)
LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in _LAYOUTS}
"""By name, in the order of the deals 1 to 6. The last is asymmetric advantages as the authors' code has it, eleven
cells wide; every package and the paper's rows of PPO and PBT (table 1) have the one of nine."""


def layout_of(name: str) -> Layout:
    """Return the layout of a name. Raises UserError for an unknown one."""
    if name not in LAYOUTS:
        raise UserError(f"there is no layout {name!r}; {did_you_mean(name, LAYOUTS)}")
    return LAYOUTS[name]
