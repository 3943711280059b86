"""What a run of probes shows: of each convention, how often it was kept, and by what other rule the player moved.

Every probe of a convention comes from a deck of its own, so its interval is Wilson's. A line over several conventions
has several probes of one deck, so its interval is over decks.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from experiments.running.answer_folder import Paid, paid
from experiments.statistics.estimates import CONFIDENCE, Bounds, within
from experiments.tasks.probes.place import LITERAL
from experiments.tasks.probes.probe import Probe
from experiments.tasks.probes.probe_folder import Record, path_of, probes_of, record_of
from orchestrator import journal
from orchestrator.hanabi.moves import Move
from orchestrator.journal.events import Call, Decided, GameEnded
from orchestrator.models.simulated_settings import among

ALL = "all"
"""In place of a convention: all of the pack's."""


@dataclass(frozen=True)
class Answer:
    """What was decided in a probe."""

    probe: Probe
    move: Move
    forced: bool
    """Whether no choice of the player's was accepted, so that the safest legal move was played."""
    path: Path

    @property
    def keeps(self) -> bool:
        return self.probe.keeps(self.move)


@dataclass(frozen=True)
class Run:
    """A run of probes, as far as it has come."""

    folder: Path
    record: Record
    probes: tuple[Probe, ...]
    answers: tuple[Answer, ...]
    calls: tuple[Call, ...]
    """Those of models, whatever became of them."""

    @property
    def fake(self) -> bool:
        """Whether the package's fake server answered."""
        return any(call.fake for call in self.calls)

    @property
    def cost(self) -> Paid:
        return paid(self.calls)

    @property
    def name(self) -> str:
        """The player, with its model."""
        seat = self.record.seat
        return seat.graph if seat.config is None else f"{seat.graph}, {seat.model.partition('@http')[0]}"

    @property
    def label(self) -> str | None:
        """What answered, where that is no language model."""
        if self.fake:
            return "fake server"
        if self.record.seat.model == "program":
            return "program"
        return "simulated" if among(self.record.seat.model) else None

    @property
    def missing(self) -> int:
        return len(self.probes) - len(self.answers)


@dataclass(frozen=True)
class Other:
    """A player of another convention, in the probes of one."""

    name: str
    probes: int
    """Those in which this player has a move."""
    keeps: float
    """How often that player keeps the convention, 0-1: a move drawn where several are as good."""
    like: float
    """How often the asked player made a move of that player, 0-1."""
    apart: bool
    """Whether the probes of the convention were made to tell this player apart."""


@dataclass(frozen=True)
class Cell:
    """A convention of a pack, or all of them."""

    pack: str
    convention: str
    probes: int
    decks: int
    kept: int
    interval: Bounds
    """95 %: Wilson's for a convention, over decks for all."""
    chance: float
    """How often a legal move drawn at random keeps it."""
    forced: int
    others: tuple[Other, ...]

    @property
    def share(self) -> float:
        return self.kept / self.probes

    @property
    def literal(self) -> float:
        """How often a player without conventions keeps it."""
        return next(one.keeps for one in self.others if one.name == LITERAL)


def read(folder: Path) -> Run:
    """The run in a folder. Raises UserError when there is none."""
    record, probes = record_of(folder), tuple(probes_of(folder))
    found, calls = list[Answer](), list[Call]()
    for probe in probes:
        path = path_of(folder, probe)
        events = journal.read(path) if path.exists() else []
        calls += [event for event in events if isinstance(event, Call) and event.asked]
        decided = [event for event in events if isinstance(event, Decided) and event.turn == probe.turn]
        if decided and isinstance(events[-1], GameEnded):
            found.append(Answer(probe, decided[0].move, decided[0].forced, path))
    return Run(folder, record, probes, tuple(found), tuple(calls))


def cells(run: Run) -> list[Cell]:
    """Each convention that has answers, in the order of its pack, and after each pack all of them."""
    made = []
    for pack in dict.fromkeys(one.probe.pack for one in run.answers):
        here = [one for one in run.answers if one.probe.pack == pack]
        names = list(dict.fromkeys(one.probe.convention for one in here))
        made += [_cell(pack, name, [one for one in here if one.probe.convention == name]) for name in names]
        if len(names) > 1:
            made.append(_cell(pack, ALL, here))
    return made


def _cell(pack: str, convention: str, found: Sequence[Answer]) -> Cell:
    kept = sum(one.keeps for one in found)
    decks: dict[object, list[bool]] = {}
    for one in found:
        decks.setdefault((one.probe.players, one.probe.deck), []).append(one.keeps)
    interval = clustered(list(decks.values())) if convention == ALL else wilson(kept, len(found))
    return Cell(
        pack,
        convention,
        len(found),
        len(decks),
        kept,
        interval,
        fmean(one.probe.chance for one in found),
        sum(one.forced for one in found),
        tuple(_others(found)),
    )


def wilson(successes: float, n: int) -> Bounds:
    """The 95 % interval of a share by Wilson's score."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    share, weight = successes / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return within((middle - half, middle + half), 0.0, 1.0)


def clustered(clusters: Sequence[Sequence[bool]]) -> Bounds:
    """The 95 % interval of a share over groups of values that are not independent: Student's t of the ratio of sums.

    Where all values are equal, or there is one group, that of Wilson's score for as many values as there are groups.
    """
    from scipy.stats import t

    number, total = len(clusters), sum(map(len, clusters))
    share = sum(map(sum, clusters)) / total
    off = [sum(one) - share * len(one) for one in clusters]
    if number < 2 or not any(off):
        return wilson(share * number, number)
    error = math.sqrt(number / (number - 1) * sum(one * one for one in off)) / total
    half = float(t.ppf((1 + CONFIDENCE) / 2, number - 1)) * error
    return within((share - half, share + half), 0.0, 1.0)


def _others(found: Sequence[Answer]) -> Iterable[Other]:
    for name in dict.fromkeys(name for one in found for name in one.probe.others):
        there = [one for one in found if name in one.probe.others]
        yield Other(
            name,
            len(there),
            fmean(one.probe.share(name) for one in there),
            fmean(one.move in one.probe.others[name] for one in there),
            all(name in one.probe.apart for one in found),
        )
