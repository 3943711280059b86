"""Maps of rooms: which rooms a way joins, and how far apart they are."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

Way = tuple[int, int]
"""Two rooms that a way joins; it can be walked in both directions."""


@dataclass(frozen=True)
class Map:
    """Rooms, numbered from 1, and the ways between them."""

    size: int
    """The number of rooms."""
    ways: tuple[Way, ...]

    @cached_property
    def neighbours(self) -> dict[int, tuple[int, ...]]:
        """The rooms one way from each room, ascending."""
        adjacent: dict[int, set[int]] = {room: set() for room in self.rooms}
        for first, second in self.ways:
            adjacent[first].add(second)
            adjacent[second].add(first)
        return {room: tuple(sorted(rooms)) for room, rooms in adjacent.items()}

    @property
    def rooms(self) -> range:
        return range(1, self.size + 1)

    @property
    def unreachable(self) -> int:
        """The distance of rooms that no ways join: more than any way is long."""
        return self.size

    @cached_property
    def distances(self) -> dict[int, dict[int, int]]:
        """The number of ways from each room to each room."""
        return {room: self._distances(room) for room in self.rooms}

    def _distances(self, start: int) -> dict[int, int]:
        steps = dict.fromkeys(self.rooms, self.unreachable)
        steps[start] = 0
        queue = deque([start])
        while queue:
            room = queue.popleft()
            for neighbour in self.neighbours[room]:
                if steps[neighbour] == self.unreachable:
                    steps[neighbour] = steps[room] + 1
                    queue.append(neighbour)
        return steps

    def step(self, start: int, goals: Iterable[int]) -> int | None:
        """Return the next room on a shortest way to the nearest of some rooms; of equal ways the one by the lowest
        number. None where no way leads to any; the start itself where it is one of them."""
        targets = tuple(goals)
        distances = self.distances[start]
        near = min((distances[goal] for goal in targets), default=self.unreachable)
        if near == self.unreachable:
            return None
        if near == 0:
            return start
        for room in self.neighbours[start]:
            if any(self.distances[room][goal] == near - 1 for goal in targets):
                return room
        return None


CAPTURE_ROOMS = 9
CAPTURE_WAYS: tuple[Way, ...] = (
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (5, 6),
    (5, 7),
    (7, 8),
    (6, 9),
    (6, 1),
)
"""The ways of Collab Capture, all doors open (LLM-Coordination, appendix E.3)."""
DOORS: tuple[Way, ...] = ((1, 2), (3, 4))
"""The two ways that a door can close."""
BUTTONS: dict[int, int] = {9: 0, 8: 1}
"""By room, the place in DOORS of the door that its button opens and closes."""

Doors = tuple[bool, bool]
"""Whether each door of DOORS is open."""


@cache
def capture_map(doors: Doors) -> Map:
    """Return Collab Capture's map with some of its doors closed."""
    closed = {way for way, is_open in zip(DOORS, doors, strict=True) if not is_open}
    return Map(CAPTURE_ROOMS, tuple(way for way in CAPTURE_WAYS if way not in closed))


ESCAPE_MAP = Map(
    10, ((1, 2), (1, 10), (2, 3), (3, 4), (3, 8), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10))
)
"""Collab Escape's map (LLM-Coordination, appendix E.1), as the authors' prompt has it. The graph of their code lacks
some directions around rooms 3, 7 and 8."""
GENERATORS = (1, 6)
"""The rooms with a generator."""
GATE = 7
"""The room with the exit gate."""
