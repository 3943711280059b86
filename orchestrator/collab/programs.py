"""Programs that play the Collab games from a view: the greedy baselines and the exact players.

Each is a rule that returns a legal move and its reason.
"""

from functools import cache

from hanabi_orchestrator.orchestrator.collab import capture, escape
from hanabi_orchestrator.orchestrator.collab.capture_referee import View as CaptureView
from hanabi_orchestrator.orchestrator.collab.escape_referee import View as EscapeView
from hanabi_orchestrator.orchestrator.collab.maps import (
    ESCAPE_MAP,
    GATE,
    GENERATORS,
    Doors,
    Map,
    capture_map,
)
from hanabi_orchestrator.orchestrator.collab.plans import NEVER, capture_plan, escape_plan

# Collab Capture


def capture_nearest(view: CaptureView) -> tuple[capture.Move, str]:
    """Go a shortest open way to the thief's room; stay where there is none. It never presses a button.

    It is the greedy baseline of LLM-Coordination, table 7; of equal ways it takes that by the lowest number.
    """
    return to_the_thief(view.rooms[view.seat], view.thief, view.doors)


def to_the_thief(room: int, thief: int, doors: Doors) -> tuple[capture.Move, str]:
    """Return the greedy baseline's move from a room."""
    step = capture_map(doors).step(room, [thief])
    if step is None:
        return capture.Stay(room=room), f"no open way leads to the thief in room {thief}"
    return capture.MoveTo(room=step), f"it is on a shortest way to the thief in room {thief}"


def capture_planner(view: CaptureView) -> tuple[capture.Move, str]:
    """Play the own half of the joint move with the fastest capture."""
    plan = capture_plan(view.thief_rule)
    moves = plan.best(view.position)
    rounds = plan.with_moves(view.position, moves)
    if rounds == NEVER:
        return moves[view.seat], "no moves catch a thief who flees well"
    return (
        moves[view.seat],
        f"with {_partner(view.seat)}'s {moves[1 - view.seat]} it catches the thief in {_rounds(rounds)}",
    )


# Collab Escape


def escape_bold(view: EscapeView) -> tuple[escape.Move, str]:
    """Go around the killer's present room to the nearest generator that is not repaired and fix it, then to the gate,
    without a look at where the killer goes."""
    return to_the_work(view.rooms[view.seat], view.killer, view.fixes)


def to_the_work(room: int, killer: int, fixes: tuple[int, int]) -> tuple[escape.Move, str]:
    """Return that player's move from a room."""
    broken = [
        generator for generator, done in zip(GENERATORS, fixes, strict=True) if done < escape.FIXES
    ]
    step = _without(killer).step(room, broken or [GATE])
    if step == room and broken:
        return escape.Fix(room=room), "the generator here is not repaired"
    if step is None or step == room:
        reason = f"every way leads through room {killer}, where the killer is"
        return escape.Wait(room=room), reason
    goal = "a generator that is not repaired" if broken else "the gate"
    return escape.GoTo(room=step), f"it is on a shortest way to {goal}"


def escape_planner(view: EscapeView) -> tuple[escape.Move, str]:
    """Play the own half of the joint move with the surest escape, of these of the fastest."""
    most = escape.ROUNDS - view.round + 1
    plan = escape_plan(view.fix_rule)
    moves = plan.best(view.position, most)
    rounds = plan.rounds(view.position, most)
    chance = plan.chance(view.position, most)
    partner = f"with {_partner(view.seat)}'s {moves[1 - view.seat]}"
    return moves[
        view.seat
    ], f"{partner} the chance of an escape in {_rounds(rounds)} is {chance:.2f}"


@cache
def _without(killer: int) -> Map:
    """Return the map without the ways to the killer's room."""
    return Map(ESCAPE_MAP.size, tuple(way for way in ESCAPE_MAP.ways if killer not in way))


def _partner(seat: int) -> str:
    return ("Bob", "Alice")[seat]


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number} rounds"
