"""Rule players of Collab Capture and Collab Escape: greedy ones, and those of the exact plans."""

from collections.abc import Callable
from typing import Any

from hanabi_orchestrator.orchestrator.collab import programs
from hanabi_orchestrator.orchestrator.players.base import Partner

PAPER = "LLM-Coordination, table 7"


def _partner(game: str, program: Callable[[Any], tuple[Any, str]], source: str) -> Partner:
    return Partner(
        program.__name__, lambda view, rng: program(view), source, players=(2,), plays=game
    )


PARTNERS = (
    _partner("capture", programs.capture_nearest, f"the greedy baseline of {PAPER}"),
    _partner("capture", programs.capture_planner, "the exact plan, by backward induction"),
    _partner("escape", programs.escape_bold, f"a greedy baseline after {PAPER}"),
    _partner("escape", programs.escape_planner, "the exact plan, by backward induction"),
)
