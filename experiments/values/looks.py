"""Which games of a folder are worth a look first, and why.

What journals state costs nothing to find. Colleagues that were overruled are looked for by one-step
values, in the games with the lowest scores. Swings take rollouts, and are looked for when they are
asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Literal

from hanabi_orchestrator.experiments.record import run_folder, saved
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.turn_rows import proposed_moves
from hanabi_orchestrator.experiments.values.mistakes import WORTH, faults_of
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.rollout_store import store_of
from hanabi_orchestrator.experiments.values.score_strip import strip
from hanabi_orchestrator.experiments.values.turn_values import turn_values
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, GameSuspended, Result
from hanabi_orchestrator.roles.words import many

Group = Literal[
    "struck_out", "failed", "suspended", "forced", "refused", "faults", "overruled", "swings"
]

GROUPS: Mapping[Group, str] = {
    "struck_out": "third life lost",
    "failed": "failed",
    "suspended": "not finished",
    "forced": "forced moves",
    "refused": "refused choices",
    "faults": "unusable answers or transport errors",
    "overruled": "a role was right and was overruled",
    "swings": "a move that cost much",
}
"""The groups in their order, and their titles."""

READ = 50
"""Games that are read for overruled roles, those with the lowest scores first."""
ROLLED = 20
"""The same for swings."""
SHOWN = 5
"""Games of a group that are listed, and for which the turn is looked up."""
DEALS = 8
"""Orders of the deck for each turn of these: few, since only large swings count."""


@dataclass(frozen=True)
class Look:
    """One reason to look at a game."""

    group: Group
    journal: str
    """The path of its journal; of a game that failed before it had one, its name."""
    score_strict: int | None
    score_kept: int | None
    turn: int | None
    """Where to look; None for the whole game."""
    why: str
    weight: float
    """Within a group the largest comes first."""

    @property
    def command(self) -> str:
        return (
            f"orchestrator show {quote(self.journal)}{f' --turn {self.turn}' if self.turn else ''}"
        )


@dataclass(frozen=True)
class Looks:
    """What is worth a look in a folder."""

    games: int
    finished: int
    looks: tuple[Look, ...]
    """Group by group, the gravest first."""
    teams: int
    """Games in which a graph has several nodes, so that one of them may be overruled."""
    read: int
    """Of these: games that were read for overruled roles, those with the lowest scores."""
    rolled: int
    """Games that were looked at for swings."""

    def of(self, group: Group) -> list[Look]:
        return [look for look in self.looks if look.group == group]


def looks_of(
    folder: Path,
    *,
    swings: bool = False,
    most: int = ROLLED,
    done: Callable[[int, int], None] | None = None,
) -> Looks:
    """Return the games below a folder that are worth a look first. Raises UserError when it is no
    folder.

    `swings`: also play rollouts, seconds a game, for at most `most` games; `done` gets how many of
    how many are over.
    """
    games = list(saved.journals(folder))
    ended = [(path, peeked.result) for path, peeked in games if peeked.result]
    ended.sort(key=lambda pair: pair[1].score_strict)
    failed = {}
    for name, why in run_folder.failures(folder).items():
        failed[folder / "games" / f"{name}.jsonl"] = (name, why)
    looks = list[Look]()
    for path, peeked in games:
        if path not in failed:
            looks.extend(_stated(path, peeked))
    for path, (name, why) in failed.items():
        looks.append(
            Look("failed", path.as_posix() if path.exists() else name, None, None, None, why, 0)
        )
    # several nodes of a seat's graph may propose moves
    teams = {path for path, peeked in games if peeked.result and _has_team(peeked.started)}
    read = [(path, result) for path, result in ended if path in teams][:READ]
    looks += chain.from_iterable(_overruled(path, result) for path, result in read)
    rolled = ended[:most] if swings else []
    for number, (path, result) in enumerate(rolled, 1):
        looks += _swing(path, result)
        if done:
            done(number, len(rolled))
    order = list(GROUPS)
    looks.sort(key=lambda look: (order.index(look.group), -look.weight, look.journal))
    shown = []
    for group in GROUPS:
        shown.extend([look for look in looks if look.group == group][:SHOWN])
    looks = [
        replace(look, turn=_turn_of(look)) if look in shown and not look.turn else look
        for look in looks
    ]
    return Looks(len(games), len(ended), tuple(looks), len(teams), len(read), len(rolled))


def _turn_of(look: Look) -> int | None:
    """Return the first turn in which a move was forced, most choices were refused, or a response
    was unusable."""
    weigh = WEIGHTS.get(look.group)
    if weigh is None:
        return look.turn
    weights = {turn.number: weigh(turn) for turn in Game.open(Path(look.journal)).turns}
    worst = max(weights, key=lambda number: weights[number], default=None)
    if worst and weights[worst]:
        return worst
    return None


WEIGHTS: Mapping[Group, Callable[[Turn], int]] = {
    "forced": lambda turn: bool(turn.decided and turn.decided.forced),
    "refused": lambda turn: sum(not verdict.accepted for verdict in turn.verdicts),
    "faults": lambda turn: any(line.call and not line.call.usable for line in turn.lines),
}
"""By group, how much a turn is to be looked at."""


def costliest(story: Game) -> tuple[int, str]:
    """Return the turn of a game to look at first, and why: the move that lost most by one-step
    value, half a point or with a known fault; else the last turn."""
    faults = {fault.turn: fault.text for fault in faults_of(story)}
    losses = [(0.0, max(len(story.turns), 1), "")]
    for turn in story.turns:
        values = turn_values(story, turn.number, rollouts=0)
        if played := values.of(values.played):
            loss = values.moves[0].one_step - played.one_step
            why = faults.get(turn.number, f"{values.best} was worth {loss:.1f} points more at once")
            losses += [(loss, turn.number, why)] if loss >= WORTH or turn.number in faults else []
    return max(losses, key=lambda row: row[0])[1:]


def _has_team(started: GameStarted) -> bool:
    """Tell whether the graph of a seat has several nodes."""
    return any(len((seat.config or {}).get("nodes", ())) > 1 for seat in started.seats)


def _stated(path: Path, peeked: Game) -> Iterator[Look]:
    """Yield what a game's result says, or that there is none."""
    result = peeked.result
    if result is None:
        turns = len(peeked.moves)
        last = peeked.last
        state = (
            f"suspended: {last.why}"
            if isinstance(last, GameSuspended)
            else "it stopped, or is being played"
        )
        yield Look(
            "suspended",
            path.as_posix(),
            None,
            None,
            None,
            f"after {many(turns, 'turn')}; {state}",
            turns,
        )
        return
    reasons = list[tuple[Group, float, str, int | None]]()
    if result.end == "lives_lost":
        why = (
            f"the third life was lost in turn {result.turns}, with "
            f"{many(result.score_kept, 'point')} on the table"
        )
        reasons.append(("struck_out", result.score_kept, why, result.turns))
    if result.forced:
        verb = "was" if result.forced == 1 else "were"
        forced = f"{result.forced} of {result.turns} moves {verb} forced"
        reasons.append(("forced", result.forced / result.turns, forced, None))
    if result.refused:
        turns = result.refused_turns
        why = (
            f"{many(result.refused, 'choice')} refused, in {many(turns, 'turn')} of {result.turns}"
        )
        reasons.append(("refused", turns / result.turns, why, None))
    if bad := result.fallbacks + result.faults:
        nodes = many(result.fallbacks, "node")
        errors = many(result.faults, "transport error")
        causes = [f"{nodes} without a usable answer"] * bool(result.fallbacks) + [errors] * bool(
            result.faults
        )
        reasons.append(("faults", bad, ", ".join(causes), None))
    for group, weight, why, turn in reasons:
        yield Look(
            group, path.as_posix(), result.score_strict, result.score_kept, turn, why, weight
        )


def _overruled(path: Path, result: Result) -> Iterator[Look]:
    """Yield the turn in which a colleague's move was worth most more than the one that was
    played."""
    story = Game.open(path)
    cases = []
    for turn in story.turns:
        cases.extend(overruled(story, turn))
    if cases:
        worst = max(cases, key=lambda case: case.gain)
        more = (
            f"; so in {len({case.turn for case in cases})} turns"
            if len({case.turn for case in cases}) > 1
            else ""
        )
        why = f"{worst}{more}"
        yield Look(
            "overruled",
            path.as_posix(),
            result.score_strict,
            result.score_kept,
            worst.turn,
            why,
            worst.gain,
        )


@dataclass(frozen=True)
class Overruled:
    """A colleague's move that was worth more, by one-step values, than the move that was played."""

    turn: int
    node: str
    move: Move
    played: Move
    gain: float

    def __str__(self) -> str:
        return (
            f"{self.node} proposed {self.move}, worth {self.gain:.1f} points more at once than "
            f"{self.played}, which was played"
        )


def overruled(story: Game, turn: Turn) -> list[Overruled]:
    """Return the colleagues who proposed a move that was clearly better at once, by the exact
    belief of their seat."""
    if turn.moved is None:
        return []
    config = story.started.seat_at(turn.seat, turn.number).config or {}
    played = turn.moved.past.move
    proposed = proposed_moves(turn.calls, config.get("decides"))
    rivals = [(node, move) for node, move in proposed if move != played and move in turn.view.legal]
    if not rivals:
        return []
    values = one_step_values(Position.of(story, turn.number).scene)
    gains = {(node, move): values[move] - values[played] for node, move in rivals}
    return [
        Overruled(turn.number, node, move, played, gain)
        for (node, move), gain in gains.items()
        if gain >= WORTH
    ]


def _swing(path: Path, result: Result) -> Iterator[Look]:
    """Yield the turn whose move cost most, more than half a point and clearly."""
    scores = strip(Game.open(path), deals=DEALS, mistakes=False, store=store_of(path))
    swings = enumerate(zip(scores.swings, scores.swing_errors, strict=True), 1)
    clear = [
        (swing, turn, error)
        for turn, (swing, error) in swings
        if swing < -WORTH and swing < -2 * error
    ]
    if clear:
        swing, turn, error = min(clear)
        why = (
            f"the move of turn {turn} changed the expected score by {swing:+.1f} "
            f"(\N{PLUS-MINUS SIGN}{error:.1f})"
        )
        yield Look(
            "swings", path.as_posix(), result.score_strict, result.score_kept, turn, why, -swing
        )
