"""The share of moves that models chose themselves, below which a run or a game stops."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigins
from hanabi_orchestrator.orchestrator.table.game_loop import Gate, OpenGate
from hanabi_orchestrator.roles.words import percent

ENOUGH = 50
"""Moves of an arm that are awaited before it is judged."""
ENOUGH_OF_A_GAME = 10
"""Moves of a game that is played alone that are awaited."""

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
        """Raise UserError for what is no share."""
        if not 0 <= self.least <= 1:
            raise UserError(
                f"--min-own is {self.least:g}; it is a share of moves, from 0 (never stop) to 1"
            )

    def add(self, row: Row) -> None:
        """Count a game that was finished before."""
        moves, own = row.moves
        causes = {name: getattr(row, name) or 0 for name in CAUSES}
        self.finished.setdefault(row.arm, Counter()).update(model_moves=moves, own=own, **causes)

    def broken(self, now: Mapping[str, Counter[str]]) -> str | None:
        """Return why the run must stop; None when it need not. `now`: by arm, the moves of other
        games."""
        for arm in dict.fromkeys((*self.finished, *now)):
            counts = self.finished.get(arm, Counter()) + now.get(arm, Counter())
            if too_few := self.too_few(counts, ENOUGH):
                return f"arm {arm}: {too_few}"
        return None

    def too_few(self, counts: Counter[str], enough: int) -> str | None:
        """Return what is wrong with these moves; None where nothing is, or where they are not
        `enough` to tell."""
        moves = counts["model_moves"]
        own = counts["own"]
        if moves < enough or own >= self.least * moves:
            return None
        share = (
            f"only {own} of its first {moves} moves ({percent(own / moves)}) are the model's own"
        )
        return f"{share}{_why(counts)}, fewer than --min-own {self.least:g} asks for"


def _why(counts: Counter[str]) -> str:
    """Return why moves are not the model's own, the most frequent cause first."""
    refused = counts["refused_turns"] - counts["after_refusal"]
    causes = {
        "were forced for want of a readable answer": counts["forced"] - refused,
        "were forced because every choice was refused": refused,
        "repeat the example of the prompt": counts["copied_moves"],
    }
    texts = [
        f"{n} {why}" for why, n in sorted(causes.items(), key=lambda cause: -cause[1]) if n > 0
    ]
    if texts:
        return f" ({', '.join(texts)})"
    return ""


class OwnMovesGate:
    """The gate of a single game, which closes when too few of its moves are the model's own."""

    def __init__(self, least: MinOwn, behind: Gate | None) -> None:
        self._least = least
        self._behind = behind or OpenGate()
        self._origin_of = MoveOrigins()
        self._counts = Counter[str]()
        self._errors = Counter[str]()
        self.closed: str | None = None
        """Why the game stops, once it does."""

    def __call__(self, event: Event) -> None:
        """Count an event of the game."""
        if origin := self._origin_of(event):
            self._counts.update(origin.counts)
        if (
            isinstance(event, Call)
            and event.of_model
            and event.error
            and event.outcome in ("reasked", "fallback")
        ):
            self._errors[event.error] += 1

    async def enter(self) -> str | None:
        if too_few := self._least.too_few(self._counts, ENOUGH_OF_A_GAME):
            why, times = next(iter(self._errors.most_common(1)), ("", 0))
            if why:
                unusable = f". The most frequent fault of an answer ({times} times): {why}"
            else:
                unusable = ""
            self.closed = f"{too_few}{unusable}"
            return self.closed
        return await self._behind.enter()

    def leave(self) -> None:
        self._behind.leave()
