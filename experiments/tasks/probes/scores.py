"""What a run of probes shows: of each convention, how often it was kept, and by what other rule the player moved.

Every probe of a convention comes from a deck of its own, so its interval is Wilson's. A line over several conventions
has several probes of one deck, so its interval is over decks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from experiments.analysis.statistics.clusters import plain_share, pooled_share
from experiments.record.provenance import Provenance
from experiments.tasks.probes.convention import LITERAL
from experiments.tasks.probes.probe import Probe
from experiments.tasks.probes.probe_run import FOLDER, Record, path_of, probes_of
from orchestrator import journal
from orchestrator.hanabi.moves import Move
from orchestrator.journal.events import Call, Decided, GameEnded

ALL = "all"
"""In place of a convention: all of the pack's."""


@dataclass(frozen=True)
class Answer:
    """The decision in a probe."""

    probe: Probe
    move: Move
    forced: bool
    """True if no choice of the player's was accepted, so that the safest legal move was played."""
    path: Path

    @property
    def keeps(self) -> bool:
        """True if the move keeps the convention."""
        return self.probe.keeps(self.move)


@dataclass(frozen=True)
class Run:
    """A run of probes, as far as it has come."""

    folder: Path
    record: Record
    probes: tuple[Probe, ...]
    answers: tuple[Answer, ...]
    calls: tuple[Call, ...]
    """The calls of models, whatever became of them."""

    @property
    def name(self) -> str:
        """The player, with its model."""
        seat = self.record.seat
        return seat.graph if seat.config is None else f"{seat.graph}, {seat.model.partition('@http')[0]}"

    @property
    def label(self) -> str | None:
        """What answered, where that is no language model."""
        fake = any(call.fake for call in self.calls)
        return next(reversed(Provenance.of_models(self.record.seat.model, fake=fake).labels), None)


@dataclass(frozen=True)
class Other:
    """A player of another convention, in the probes of one."""

    name: str
    probes: int
    """The probes in which this player has a move."""
    keeps: float
    """How often that player keeps the convention, 0-1: a move drawn where several are as good."""
    like: float
    """How often the asked player made a move of that player, 0-1."""
    apart: bool
    """True if the probes of the convention were made to tell this player from one who keeps it."""


@dataclass(frozen=True)
class Score:
    """A convention of a pack, or all of them."""

    pack: str
    convention: str
    probes: int
    decks: int
    kept: int
    """The probes whose move keeps it."""
    interval: tuple[float, float]
    """95 %: Wilson's for a convention, over decks for all."""
    chance: float
    """How often a legal move drawn at random keeps it."""
    forced: int
    others: tuple[Other, ...]

    @property
    def share(self) -> float:
        """The share of probes whose move keeps it, 0-1."""
        return self.kept / self.probes

    @property
    def literal(self) -> float:
        """How often a player without conventions keeps it."""
        return next(other.keeps for other in self.others if other.name == LITERAL)


def read(folder: Path) -> Run:
    """Return the run in a folder. Raises UserError when there is none."""
    record, probes = FOLDER.read(folder), tuple(probes_of(folder))
    answers, calls = list[Answer](), list[Call]()
    for probe in probes:
        path = path_of(folder, probe)
        events = journal.read(path) if path.exists() else []
        calls += [event for event in events if isinstance(event, Call) and event.of_model]
        decided = [event for event in events if isinstance(event, Decided) and event.turn == probe.turn]
        if decided and isinstance(events[-1], GameEnded):
            answers.append(Answer(probe, decided[0].move, decided[0].forced, path))
    return Run(folder, record, probes, tuple(answers), tuple(calls))


def scores(run: Run) -> list[Score]:
    """Return the score of each convention that has answers, in the order of its pack, and after each pack of all."""
    packs: dict[str, dict[str, list[Answer]]] = {}
    for answer in run.answers:
        packs.setdefault(answer.probe.pack, {}).setdefault(answer.probe.convention, []).append(answer)
    rows = []
    for pack, conventions in packs.items():
        rows += [_score(pack, name, answers) for name, answers in conventions.items()]
        if len(conventions) > 1:
            rows.append(_score(pack, ALL, [answer for answer in run.answers if answer.probe.pack == pack]))
    return rows


def _score(pack: str, convention: str, answers: Sequence[Answer]) -> Score:
    over_decks = pooled_share(((answer.probe.players, answer.probe.deck), answer.keeps) for answer in answers)
    share = over_decks if convention == ALL else plain_share(answer.keeps for answer in answers)
    others = []
    for name in dict.fromkeys(name for answer in answers for name in answer.probe.others):
        rows = [answer for answer in answers if name in answer.probe.others]
        keeps, like = (row.probe.share(name) for row in rows), (row.move in row.probe.others[name] for row in rows)
        apart = all(name in answer.probe.apart for answer in answers)
        others.append(Other(name, len(rows), fmean(keeps), fmean(like), apart))
    return Score(
        pack,
        convention,
        len(answers),
        over_decks.clusters,
        sum(answer.keeps for answer in answers),
        share.interval,
        fmean(answer.probe.chance for answer in answers),
        sum(answer.forced for answer in answers),
        tuple(others),
    )
