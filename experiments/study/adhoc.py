"""Ad-hoc teams, as the Hanabi Challenge measures them (Bard et al. 2020, section 4.3).

A trial is one game: the evaluated seat in one position, one partner of the pool in all others. Before a trial the
evaluated seat is shown public records of self-play games of that partner (ten by default); it keeps nothing from one
trial to the next. Its own self-play, the partners' self-play and their cross-play are run beside the trials.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from experiments.record.files import write_atomically
from experiments.study import cross_play
from experiments.study.arm_names import check_number
from experiments.study.arms import Arm, Deal, GivenRecords, check
from experiments.study.cross_play import WITH, player_counts
from experiments.study.experiment import AdHoc, Experiment
from experiments.study.job import Job, Outcome
from experiments.study.notes import EVALUATED
from experiments.study.player_spec import PlayerSpec, player_spec
from orchestrator.errors import UserError
from orchestrator.models.settings import PROGRAM

PAST = "past"
"""The folder of past games in a run folder."""
SELF_PLAY = f"{EVALUATED}.self-play"
"""The arm in which the evaluated seat plays with itself."""


@dataclass(frozen=True)
class PartnerRecords:
    """Self-play games of a partner at a player count, and the file of their public records."""

    label: str
    partner: PlayerSpec
    players: int
    seeds: tuple[int, ...]
    folder: Path
    """Of the run."""

    @property
    def name(self) -> str:
        """In the place of an arm's name."""
        return f"{PAST}/{self.label}"

    @property
    def path(self) -> Path:
        return self.folder / PAST / self.label / f"{self.players}p.json"

    @property
    def head(self) -> dict[str, object]:
        """Which games these are, as written at the head of the file."""
        return {"partner": self.partner.spec, "key": self.partner.key, "players": self.players, "seeds": [*self.seeds]}

    def exists(self) -> bool:
        """Whether the file exists and holds these games. Raises UserError when it holds others."""
        if not self.path.exists():
            return False
        try:
            written = json.loads(self.path.read_text("utf-8"))
            written["games"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UserError(f"{str(self.path)!r} holds no past games; it stays as it is") from None
        if changed := [name for name, value in self.head.items() if written.get(name) != value]:
            raise UserError(
                f"{str(self.path)!r} holds other past games: {', '.join(changed)} differ; give another --out"
            )
        return True

    def jobs(self) -> list[Job]:
        """Games that ask models get journals, since their calls cost money; programs' games are quickly replayed."""
        models_asked = any(model != PROGRAM for model in self.partner.models.values())
        lineup = (self.partner.key,) * self.players
        deals = [Deal(seed, self.players) for seed in self.seeds]
        home = self.folder / PAST / self.label if models_asked else None
        return [
            Job(arm=self.name, deal=d, lineup=lineup, journal=home and home / d.file, lean=True, recorded=True)
            for d in deals
        ]

    def write(self, outcomes: Iterable[Outcome[Job]]) -> None:
        ends = {outcome.unit.deal.seed: outcome.result for outcome in outcomes}
        games = {seed: end.record.plain for seed, end in ends.items()}
        text = json.dumps(self.head | {"games": [games[seed] for seed in self.seeds]})
        write_atomically(self.path, text + "\n")


def participants(experiment: Experiment) -> dict[str, PlayerSpec]:
    """The evaluated seat and the partners, by label. Raises UserError."""
    assert experiment.adhoc is not None
    teams = experiment.adhoc
    if EVALUATED in teams.pool:
        raise UserError(f"adhoc.pool: {EVALUATED!r} is the label of the evaluated seat; give the partner another")
    return {EVALUATED: player_spec(teams.seat, experiment), **cross_play.participants(teams.pool, experiment)}


def partner_records(experiment: Experiment, specs: Mapping[str, PlayerSpec], folder: Path) -> list[PartnerRecords]:
    """The past games of every partner at every player count."""
    assert experiment.adhoc is not None
    teams = experiment.adhoc
    return [
        PartnerRecords(label, partner, players, tuple(teams.past.seeds), folder)
        for label, partner in specs.items()
        if label != EVALUATED
        for players in player_counts(partner, partner, experiment, teams.pool)
    ]


@dataclass(frozen=True)
class TrialDraw:
    """What is drawn for a trial; the same each time, whatever seat is evaluated."""

    position: int
    games: tuple[int, ...]
    """Indices of the past games, in the order in which they are shown."""


def draw_trial(teams: AdHoc, label: str, deal: Deal) -> TrialDraw:
    """The position and the past games of a trial with a partner."""
    chance = Random(f"{teams.draw} {label} {deal.players} {deal.seed} {deal.repeat}")
    position = chance.randrange(deal.players)
    if teams.position != "random":
        position = deal.seed % deal.players if teams.position == "rotate" else teams.position
    return TrialDraw(position, tuple(chance.sample(range(teams.past.count), teams.games)))


def arms(experiment: Experiment, evaluated: PlayerSpec, records: Iterable[PartnerRecords]) -> list[Arm]:
    """The evaluated seat with every partner and with itself, every partner with itself, every pair of partners.

    Raises UserError.
    """
    assert experiment.adhoc is not None
    teams, by_label = experiment.adhoc, dict[str, list[PartnerRecords]]()
    for record in records:
        by_label.setdefault(record.label, []).append(record)
    trials = [_trials(teams, evaluated, label, several, experiment) for label, several in by_label.items()]
    partners = {label: several[0].partner for label, several in by_label.items()}
    check_number(len(partners) ** 2 + len(trials), [f"{len(partners)} partners and their pairs"])
    cross = [_pair(a, b, partners, experiment) for a in partners for b in partners]
    alone = _self_play(teams, evaluated, trials, by_label)
    for arm in (*trials, *alone, *cross):
        check(arm)
    return [*trials, *alone, *cross]


def _self_play(
    teams: AdHoc, evaluated: PlayerSpec, trials: Iterable[Arm], records: Mapping[str, list[PartnerRecords]]
) -> list[Arm]:
    """The evaluated seat with itself, without past games: it needs none. None where the pool is empty."""
    counts = tuple(sorted({count for arm in trials for count in arm.players}))
    nothing = (
        [GivenRecords(record.path, ()) for several in records.values() for record in several[:1]][:1]
        if teams.games
        else []
    )

    def shown(deal: Deal) -> Mapping[int, GivenRecords]:
        return {seat: none for seat in range(deal.players) for none in nothing}

    return [Arm(SELF_PLAY, evaluated, records=shown, players=counts, deals=teams.cross)] if counts else []


def _trials(
    teams: AdHoc, evaluated: PlayerSpec, label: str, records: list[PartnerRecords], experiment: Experiment
) -> Arm:
    paths = {record.players: record.path for record in records}

    def shown(deal: Deal) -> Mapping[int, GivenRecords]:
        trial = draw_trial(teams, label, deal)
        return {trial.position: GivenRecords(paths[deal.players], trial.games)} if trial.games else {}

    def others(deal: Deal) -> Mapping[int, PlayerSpec]:
        return {draw_trial(teams, label, deal).position: evaluated}

    partner = records[0].partner
    counts = player_counts(partner, evaluated, experiment, teams.pool)
    return Arm(f"{EVALUATED}{WITH}{label}", partner, others, shown, counts)


def _pair(a: str, b: str, partners: Mapping[str, PlayerSpec], experiment: Experiment) -> Arm:
    """A in seat (seed mod players), so that each starts equally often; the diagonal is self-play."""
    assert experiment.adhoc is not None
    counts = player_counts(partners[a], partners[b], experiment, experiment.adhoc.pool)
    return Arm(f"{a}{WITH}{b}", partners[b], _rotated(partners[a]), players=counts, deals=experiment.adhoc.cross)


def _rotated(player: PlayerSpec) -> Callable[[Deal], Mapping[int, PlayerSpec]]:
    return lambda deal: {deal.seed % deal.players: player}
