"""Stops a run when too few moves of an arm are its model's own: what it would find is how a program plays."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from experiments.record.rows import Row
from experiments.running.status import Status
from orchestrator.errors import UserError
from orchestrator.journal.events import Event
from orchestrator.journal.move_origins import origins
from roles.words import percent

ENOUGH = 50
"""Moves of an arm that are awaited before it is judged."""


CAUSES = ("forced", "refused_turns", "after_refusal", "copied_moves")
"""The totals of a game that say why moves are not its model's own."""


@dataclass
class MinOwn:
    """The least share of own moves, and what the games that were finished before say."""

    least: float
    """0 never stops a run."""
    finished: dict[str, Counter[str]] = field(default_factory=dict)
    """By arm: `model_moves`, `own`, and the counts that say why moves are not."""

    def __post_init__(self) -> None:
        """Raises UserError for what is no share."""
        if not 0 <= self.least <= 1:
            raise UserError(f"--min-own is {self.least:g}; it is a share of moves, from 0 (never stop) to 1")

    def add(self, row: Row) -> None:
        """A game that was finished before."""
        moves, own = row.moves
        causes = {name: getattr(row, name) or 0 for name in CAUSES}
        self.finished.setdefault(row.arm, Counter()).update(model_moves=moves, own=own, **causes)

    def broken(self, now: Mapping[str, Counter[str]]) -> str | None:
        """Why the run must stop; None when it need not. `now`: by arm, the moves of other games."""
        for arm in dict.fromkeys((*self.finished, *now)):
            counts = self.finished.get(arm, Counter()) + now.get(arm, Counter())
            moves, own = counts["model_moves"], counts["own"]
            if moves >= ENOUGH and own < self.least * moves:
                return (
                    f"arm {arm}: only {own} of its first {moves} moves ({percent(own / moves)}) are the model's own"
                    f"{_why(counts)}, fewer than --min-own {self.least:g} asks for"
                )
        return None

    def broken_by(self, status: Status, arms: Iterable[str]) -> str | None:
        """Why the run must stop, judged by the games in play as well."""
        return self.broken({arm: status.moves[arm] for arm in arms if arm in status.moves})


def _why(counts: Counter[str]) -> str:
    """Why moves are not the model's own, the most frequent cause first."""
    refused = counts["refused_turns"] - counts["after_refusal"]
    causes = {
        "for want of a readable answer": counts["forced"] - refused,
        "because every choice was refused": refused,
    }
    found = [f"{number} were forced {why}" for why, number in causes.items() if number > 0]
    if counts["copied_moves"]:
        found.append(f"{counts['copied_moves']} repeat the example of the prompt")
    found.sort(key=lambda one: -int(one.partition(" ")[0]))
    return f" ({', '.join(found)})" if found else ""


def moves_of(events: Iterable[Event]) -> Counter[str]:
    """The moves of an unfinished game."""
    return sum((origin.counts for origin in origins(events)), Counter())
