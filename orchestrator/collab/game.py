"""Collab Capture and Collab Escape as games of the table."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from hanabi_orchestrator.orchestrator.collab import capture, capture_referee, escape, escape_referee
from hanabi_orchestrator.orchestrator.collab.maps import BUTTONS, DOORS, GATE, GENERATORS
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.types import Game, Measure

NAMES = ("Alice", "Bob")
"""The players, by seat."""
STOPPED = "max_turns"
"""The end of a game that was stopped at a number of turns that somebody gave."""


def places(rooms: Sequence[int]) -> str:
    """Return where the players are, in words."""
    return ", ".join(f"{name} in room {room}" for name, room in zip(NAMES, rooms, strict=True))


def _settings(
    settings: Mapping[str, Any] | None, names: Sequence[str], title: str
) -> dict[str, str]:
    """Return the settings of a deal. Raises UserError for one that the game does not have."""
    values = {key: str(value) for key, value in (settings or {}).items()}
    if unknown := [key for key in values if key not in names]:
        raise UserError(f"{title} has no setting {unknown[0]!r}; it has {', '.join(names)}")
    return values


class Capture(Game):
    """Collab Capture; a deal says how the doors stand, and how the thief flees."""

    name = "capture"
    title = "Collab Capture"
    players = (capture.PLAYERS,)
    usual = capture.PLAYERS
    deals = "1 to 4: doors open and open, closed and open, open and closed, closed and closed"
    view = capture_referee.View
    past = capture_referee.Past
    moves = get_args(capture.Move)
    measures = {
        "caught": Measure("Whether the thief was caught.", "rate", "more", 0, 1),
        "rounds": Measure(
            "The rounds until the thief was caught, or the last round.",
            "rounds",
            "fewer",
            1,
            capture.ROUNDS,
        ),
    }
    primary = "caught"
    ends = {
        "caught": "the thief was caught",
        "rounds": "the thief got away",
        STOPPED: "stopped at the turn limit",
    }

    def deal(self, seed: int, settings: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        return capture.deal(seed, **_settings(settings, ("thief",), self.title))

    def deal_name(self, deck: Sequence[str]) -> str:
        return capture.deal_name(deck)

    def checked(self, deck: Sequence[str]) -> tuple[str, ...]:
        return capture.check_deal(deck)

    def referee(self, players: int, deck: Sequence[str]) -> capture_referee.Referee:
        return capture_referee.Referee(self.check_players(players), deck)

    def parse(self, text: str) -> Any:
        return capture.read(text)

    def fallback(self, view: Any) -> tuple[Any, str]:
        return capture.Stay(room=view.rooms[view.seat]), "to stay changes least"

    def closing(self, referee: Any, refused: Mapping[int, Any]) -> dict[str, Any]:
        caught = int(referee.caught)
        return {
            "game": self.name,
            "end": referee.end or STOPPED,
            "score_strict": caught,
            "score_kept": caught,
            "lives": 0,
            "fireworks": {},
            "measures": {"caught": float(caught), "rounds": float(referee.round)},
            "details": {"doors": self.deal_name(referee.deck)},
        }

    def picture(self, view: Any) -> str:
        states = [
            f"door {first}-{second} {'open' if is_open else 'closed'}"
            for (first, second), is_open in zip(DOORS, view.doors, strict=True)
        ]
        buttons = ", ".join(f"room {room}" for room in BUTTONS)
        return (
            f"round {view.round} of {capture.ROUNDS}: {places(view.rooms)}, the thief in room {view.thief}\n"
            f"{', '.join(states)} (buttons in {buttons})"
        )


class Escape(Game):
    """Collab Escape; a deal is the seed of the killer's random rooms, and how fixes count."""

    name = "escape"
    title = "Collab Escape"
    players = (escape.PLAYERS,)
    usual = escape.PLAYERS
    deals = "any whole number: the seed of the killer's random rooms"
    view = escape_referee.View
    past = escape_referee.Past
    moves = get_args(escape.Move)
    measures = {
        "escaped": Measure("Whether the players escaped.", "rate", "more", 0, 1),
        "rounds": Measure("The rounds until the game ended.", "rounds", None, 1, escape.ROUNDS),
        "generators": Measure("The generators that were repaired.", "generators", "more", 0, 2),
    }
    primary = "escaped"
    ends = {
        "escaped": "the players escaped",
        "lost": "the killer caught a player",
        "rounds": "nobody escaped in time",
        STOPPED: "stopped at the turn limit",
    }

    def deal(self, seed: int, settings: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        return escape.deal(seed, **_settings(settings, ("fixes",), self.title))

    def deal_name(self, deck: Sequence[str]) -> str:
        return escape.deal_name(deck)

    def checked(self, deck: Sequence[str]) -> tuple[str, ...]:
        return escape.check_deal(deck)

    def referee(self, players: int, deck: Sequence[str]) -> escape_referee.Referee:
        return escape_referee.Referee(self.check_players(players), deck)

    def parse(self, text: str) -> Any:
        return escape.read(text)

    def fallback(self, view: Any) -> tuple[Any, str]:
        return escape.Wait(room=view.rooms[view.seat]), "to wait changes least"

    def closing(self, referee: Any, refused: Mapping[int, Any]) -> dict[str, Any]:
        escaped = int(referee.end == "escaped")
        return {
            "game": self.name,
            "end": referee.end or STOPPED,
            "score_strict": escaped,
            "score_kept": escaped,
            "lives": 0,
            "fireworks": {},
            "measures": {
                "escaped": float(escaped),
                "rounds": float(referee.round),
                "generators": float(referee.position.fixes.count(escape.FIXES)),
            },
        }

    def picture(self, view: Any) -> str:
        target = (
            "knows nothing of them"
            if view.target is None
            else f"goes to {NAMES[view.target]}'s room"
        )
        states = [
            f"generator {room} {'repaired' if fixes == escape.FIXES else f'{fixes} of {escape.FIXES} fixes'}"
            for room, fixes in zip(GENERATORS, view.fixes, strict=True)
        ]
        gate = "open" if view.gate_open else "closed"
        return (
            f"round {view.round} of {escape.ROUNDS}: {places(view.rooms)}, the killer in room {view.killer}, "
            f"which {target}\n{', '.join(states)}, gate in room {GATE} {gate}"
        )


CAPTURE = Capture()
ESCAPE = Escape()
