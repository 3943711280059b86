"""The sections of Collab Capture and Collab Escape. Those with `collab` in their name are the same in both games."""

from dataclasses import dataclass
from typing import Any, Self

from hanabi_orchestrator.orchestrator.collab import capture, escape
from hanabi_orchestrator.orchestrator.collab.capture_referee import View as CaptureView
from hanabi_orchestrator.orchestrator.collab.escape_referee import View as EscapeView
from hanabi_orchestrator.orchestrator.collab.game import NAMES
from hanabi_orchestrator.orchestrator.collab.maps import (
    BUTTONS,
    CAPTURE_WAYS,
    DOORS,
    ESCAPE_MAP,
    GATE,
    GENERATORS,
    Doors,
    Way,
)
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Section, section
from hanabi_orchestrator.roles.words import Words

BOTH = ("capture", "escape")
ROUNDS = {"capture": capture.ROUNDS, "escape": escape.ROUNDS}

# Both games


@section
@dataclass(frozen=True)
class CollabHere(Section):
    """Where the player is, and which round it is."""

    name = "collab_here"
    game_names = BOTH
    seat: int
    """0 is Alice, 1 is Bob."""
    room: int
    """The room that the player is in."""
    round: int
    """1 is the game's first."""
    rounds: int
    """The number of rounds after which the game ends."""

    @classmethod
    def of(cls, view: CaptureView | EscapeView, options: Options) -> Self:
        return cls(view.seat, view.rooms[view.seat], view.round, ROUNDS[view.game])

    def variables(self, words: Words) -> dict[str, object]:
        return {"room": self.room, "round": self.round, "rounds": self.rounds}


@section
@dataclass(frozen=True)
class CollabPartner(Section):
    """Where the partner is, and what they did in the last round."""

    name = "collab_partner"
    game_names = BOTH
    seat: int
    """The partner's."""
    room: int
    """The room that the partner is in."""
    last: Any
    """Their move of the last round; None before the second."""

    @classmethod
    def of(cls, view: CaptureView | EscapeView, options: Options) -> Self:
        seat = 1 - view.seat
        moves = [past.move for past in view.history if past.seat == seat]
        return cls(seat, view.rooms[seat], moves[-1] if moves else None)

    def variables(self, words: Words) -> dict[str, object]:
        name = NAMES[self.seat]
        last = words("No round has been played yet.")
        if self.last is not None:
            last = words("In the last round $name chose: $move.", name=name, move=self.last)
        return {"name": name, "room": self.room, "last": last}


@section
@dataclass(frozen=True)
class CollabMoves(Section):
    """The player's own moves so far, or the last so many."""

    name = "collab_moves"
    game_names = BOTH
    choices = {"moves": ("all", int)}
    moves: tuple[tuple[int, Any], ...]
    """Rounds with the move of each, oldest first."""

    @classmethod
    def of(cls, view: CaptureView | EscapeView, options: Options) -> Self:
        moves = [(past.round, past.move) for past in view.history if past.seat == view.seat]
        if isinstance(number := options["moves"], int):
            moves = moves[-number:] if number else []
        return cls(tuple(moves))

    def variables(self, words: Words) -> dict[str, object]:
        lines = [
            words("- round $number: $move", number=number, move=move) for number, move in self.moves
        ]
        return {"moves": "\n".join(lines) or words("None yet.")}


# Collab Capture

FLIGHT = {
    "distance": "of their own room and the rooms that they can enter, they choose the one that is farthest, by open ways, "
    "from where the nearer of you two is now",
    "numbers": "they enter the room whose number differs most from the number of the room that one of you is about to "
    "enter, of both of you the closer one, and they stay only where no way is open",
}
"""How the thief flees, by the deal's rule."""


@section
@dataclass(frozen=True)
class CaptureRules(Section):
    """The rules of Collab Capture."""

    name = "capture_rules"
    game_names = ("capture",)
    seat: int
    rule: capture.ThiefRule
    """How the thief moves."""

    @classmethod
    def of(cls, view: CaptureView, options: Options) -> Self:
        return cls(view.seat, view.thief_rule)

    def variables(self, words: Words) -> dict[str, object]:
        return {
            "you": NAMES[self.seat],
            "partner": NAMES[1 - self.seat],
            "flight": words(FLIGHT[self.rule]),
            "rounds": capture.ROUNDS,
        }


def _ways(ways: tuple[Way, ...]) -> str:
    return ", ".join(f"{first}-{second}" for first, second in ways)


@section
@dataclass(frozen=True)
class CaptureMap(Section):
    """The map of Collab Capture: rooms, ways, doors and buttons."""

    name = "capture_map"
    game_names = ("capture",)

    def variables(self, words: Words) -> dict[str, object]:
        doors = [
            words("door $door has its button in room $room", door=_ways((DOORS[door],)), room=room)
            for room, door in BUTTONS.items()
        ]
        return {"ways": _ways(CAPTURE_WAYS), "doors": words("; ").join(doors)}


@section
@dataclass(frozen=True)
class CaptureThief(Section):
    """Where the thief is."""

    name = "capture_thief"
    game_names = ("capture",)
    room: int
    """The room that the thief is in."""
    rule: capture.ThiefRule
    """How the thief moves."""

    @classmethod
    def of(cls, view: CaptureView, options: Options) -> Self:
        return cls(view.thief, view.thief_rule)

    def variables(self, words: Words) -> dict[str, object]:
        return {"room": self.room}


@section
@dataclass(frozen=True)
class CaptureDoors(Section):
    """Which doors are open."""

    name = "capture_doors"
    game_names = ("capture",)
    doors: Doors
    """Whether each door is open, in the order of DOORS."""

    @classmethod
    def of(cls, view: CaptureView, options: Options) -> Self:
        return cls(view.doors)

    def variables(self, words: Words) -> dict[str, object]:
        lines = []
        for way, is_open in zip(DOORS, self.doors, strict=True):
            state = words("open" if is_open else "closed")
            lines.append(words("- door $door is $state", door=_ways((way,)), state=state))
        return {"doors": "\n".join(lines)}


# Collab Escape

TOGETHER = {
    "once": "Two players who fix the same generator in one round count as one fix.",
    "each": "Two players who fix the same generator in one round count as two fixes.",
}
"""What two fixes in one round count, by the deal's rule."""


@section
@dataclass(frozen=True)
class EscapeRules(Section):
    """The rules of Collab Escape."""

    name = "escape_rules"
    game_names = ("escape",)
    seat: int
    rule: escape.FixRule
    """What two fixes of the same generator in one round count."""

    @classmethod
    def of(cls, view: EscapeView, options: Options) -> Self:
        return cls(view.seat, view.fix_rule)

    def variables(self, words: Words) -> dict[str, object]:
        return {
            "you": NAMES[self.seat],
            "partner": NAMES[1 - self.seat],
            "first": NAMES[0],
            "fixes": escape.FIXES,
            "together": words(TOGETHER[self.rule]),
            "rounds": escape.ROUNDS,
        }


@section
@dataclass(frozen=True)
class EscapeMap(Section):
    """The map of Collab Escape: rooms, ways, generators and the gate."""

    name = "escape_map"
    game_names = ("escape",)

    def variables(self, words: Words) -> dict[str, object]:
        first, second = GENERATORS
        return {"ways": _ways(ESCAPE_MAP.ways), "first": first, "second": second, "gate": GATE}


@section
@dataclass(frozen=True)
class EscapeKiller(Section):
    """Where the killer is, and to whom they certainly go."""

    name = "escape_killer"
    game_names = ("escape",)
    seat: int
    room: int
    """The room that the killer is in."""
    target: int | None
    """The seat to whose present room they go; None where they see nobody."""

    @classmethod
    def of(cls, view: EscapeView, options: Options) -> Self:
        return cls(view.seat, view.killer, view.target)

    def variables(self, words: Words) -> dict[str, object]:
        if self.target is None:
            aim = words("They see neither of you and go to any adjacent room, each as likely.")
        elif self.target == self.seat:
            aim = words("In this round they certainly go to the room where you are now.")
        else:
            name = NAMES[self.target]
            aim = words(
                "In this round they certainly go to the room where $name is now.", name=name
            )
        return {"room": self.room, "aim": aim}


@section
@dataclass(frozen=True)
class EscapeGenerators(Section):
    """How far the generators are, and whether the gate is open."""

    name = "escape_generators"
    game_names = ("escape",)
    fixes: tuple[int, int]
    """The fixes in a row that each generator has."""
    rule: escape.FixRule
    """What two fixes of the same generator in one round count."""

    @classmethod
    def of(cls, view: EscapeView, options: Options) -> Self:
        return cls(view.fixes, view.fix_rule)

    @property
    def open(self) -> bool:
        """Whether both run, so that the gate is open."""
        return self.fixes == (escape.FIXES, escape.FIXES)

    def variables(self, words: Words) -> dict[str, object]:
        lines = []
        for room, done in zip(GENERATORS, self.fixes, strict=True):
            missing = escape.FIXES - done
            state = words("needs $missing more fixes in a row", missing=missing)
            if missing <= 1:
                state = words("needs 1 more fix, in this round" if missing else "is repaired")
            lines.append(words("- the generator in room $room $state", room=room, state=state))
        gate = words("The gate is open." if self.open else "The gate is closed.")
        return {"generators": "\n".join(lines), "gate": gate}
