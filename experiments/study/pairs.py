"""Arms of pairs of players: cross-play, and ad-hoc teams.

Cross-play: every ordered pair (A, B), A in exactly one seat and B in all others; the diagonal is
self-play. Or one sequence: A takes the seats of B one by one, from none of them to all.

Ad-hoc teams, as the Hanabi Challenge measures them (Bard et al. 2020, section 4.3): a trial is one
game with the evaluated seat in one position, one partner of the pool in all others. Before a trial
the evaluated seat is shown public records of self-play games of that partner (ten by default); it
keeps nothing from one trial to the next. Its own self-play, the partners' self-play and their
cross-play are run beside the trials.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Literal

from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.study.arms import Arm, Deal, Trials
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.file_schema import (
    AdHoc,
    CrossPlay,
    Model,
    SeatConfig,
    check_number,
)
from hanabi_orchestrator.experiments.study.job import Job, Outcome
from hanabi_orchestrator.experiments.study.note_banks import check_head
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec, player_spec, read_seat
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import Convention, Manner
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import NOTHING_KNOWN
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.players.base import PREFIX
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions

WITH = ".with."
"""Between the two labels of a pair in an arm's name."""
EVALUATED = "evaluated"
"""The label of the evaluated seat of ad-hoc teams in names of arms."""
PAST = "past"
"""The folder of past games in a run folder."""
SELF_PLAY = f"{EVALUATED}.self-play"
"""The arm in which the evaluated seat plays with itself."""


def participants(
    seats: Mapping[str, SeatConfig] | str, experiment: Experiment
) -> dict[str, PlayerSpec]:
    """Return the participants by label; all rule players when the config says `partners`. Raises
    UserError."""
    if isinstance(seats, str):
        return {name: PlayerSpec(spec=f"{PREFIX}{name}") for name in partners.names()}
    return {label: player_spec(seat, experiment) for label, seat in seats.items()}


def player_counts(
    first: PlayerSpec,
    other: PlayerSpec,
    experiment: Experiment,
    named: Mapping[str, SeatConfig] | str,
) -> tuple[int, ...]:
    """Return the player counts of a pair. Of `partners`, those that do not support a count are left
    out there."""
    if not isinstance(named, str):
        return experiment.players
    return tuple(n for n in experiment.players if n in first.players and n in other.players)


def cross_play(
    pairs: CrossPlay, experiment: Experiment, specs: Mapping[str, PlayerSpec]
) -> list[Arm]:
    """Return an arm for each ordered pair; for a sequence, for each number of seats of the first.
    Raises UserError."""
    if pairs.sequence:
        (name, first), (_, second) = specs.items()
        arms = list[Arm]()
        for number in range(max(experiment.players) + 1):
            arms.append(
                Arm(
                    f"{name}-{number}",
                    second,
                    dict.fromkeys(range(number), first),
                    players=tuple(players for players in experiment.players if players >= number),
                )
            )
        return arms
    check_number(len(specs) ** 2, [f"the pairs of {len(specs)} seats"])
    cross = list[Arm]()
    for label, a in specs.items():
        for other, b in specs.items():
            cross.append(
                Arm(
                    f"{label}{WITH}{other}",
                    b,
                    guest=a,
                    place="rotate" if pairs.rotate else 0,
                    players=player_counts(a, b, experiment, pairs.seats),
                )
            )
    return cross


# Ad-hoc teams


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
        return {
            "partner": self.partner.spec,
            "key": self.partner.key,
            "players": self.players,
            "seeds": [*self.seeds],
        }

    def exists(self) -> bool:
        """Tell whether the file exists and holds these games. Raises UserError when it holds
        others."""
        if not self.path.exists():
            return False
        try:
            written = json.loads(regular_files.text(self.path))
            written["games"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UserError(f"{str(self.path)!r} holds no past games; it stays as it is") from None
        check_head(self.path, written, self.head, "past games")
        return True

    def jobs(self) -> list[Job]:
        """Games that ask models get journals, since their calls cost money; programs' games are
        quickly replayed."""
        models_asked = any(model != PROGRAM for model in self.partner.models.values())
        lineup = (self.partner.key,) * self.players
        deals = [Deal(seed, self.players) for seed in self.seeds]
        home = self.folder / PAST / self.label if models_asked else None
        return [
            Job(
                arm=self.name,
                deal=d,
                lineup=lineup,
                journal=home and home / d.file,
                lean=True,
                recorded=True,
            )
            for d in deals
        ]

    def write(self, outcomes: Iterable[Outcome[Job]]) -> None:
        ends = {outcome.unit.deal.seed: outcome.result for outcome in outcomes}
        games = {seed: end.record.plain for seed, end in ends.items()}
        text = json.dumps(self.head | {"games": [games[seed] for seed in self.seeds]})
        write_atomically(self.path, text + "\n")


def team_members(teams: AdHoc, experiment: Experiment) -> dict[str, PlayerSpec]:
    """Return the evaluated seat and the partners, by label. Raises UserError."""
    if EVALUATED in teams.pool:
        raise UserError(
            f"adhoc.pool: {EVALUATED!r} is the label of the evaluated seat; give the partner "
            "another"
        )
    return {EVALUATED: player_spec(teams.seat, experiment), **participants(teams.pool, experiment)}


def partner_records(
    teams: AdHoc, experiment: Experiment, specs: Mapping[str, PlayerSpec], folder: Path
) -> list[PartnerRecords]:
    """Return the past games of every partner at every player count."""
    records = list[PartnerRecords]()
    for label, partner in specs.items():
        if label != EVALUATED:
            for players in player_counts(partner, partner, experiment, teams.pool):
                records.append(
                    PartnerRecords(label, partner, players, tuple(teams.past.seeds), folder)
                )
    return records


def adhoc(
    teams: AdHoc, experiment: Experiment, evaluated: PlayerSpec, records: Iterable[PartnerRecords]
) -> list[Arm]:
    """Return the evaluated seat with each partner and itself, and all pairs of partners, equal ones
    too. Raises UserError."""
    by_label: dict[str, list[PartnerRecords]] = {}
    for record in records:
        by_label.setdefault(record.label, []).append(record)
    members = {label: several[0].partner for label, several in by_label.items()}
    trials = []
    for label, several in by_label.items():
        trials.append(
            Arm(
                f"{EVALUATED}{WITH}{label}",
                members[label],
                guest=evaluated,
                place=Trials(teams, label, {record.players: record.path for record in several}),
                players=player_counts(members[label], evaluated, experiment, teams.pool),
            )
        )
    cross = None if teams.cross is None else frozenset(experiment.numbers[: teams.cross])
    check_number(len(members) ** 2 + len(trials), [f"{len(members)} partners and their pairs"])
    pairs = []
    for (label, guest), (other, everybody) in product(members.items(), repeat=2):
        pairs.append(
            Arm(
                f"{label}{WITH}{other}",
                everybody,
                guest=guest,
                place="rotate",  # so that each starts equally often
                players=player_counts(everybody, guest, experiment, teams.pool),
                seeds=cross,
            )
        )
    counts = tuple(sorted(set(chain.from_iterable(arm.players for arm in trials))))
    path = next((record.path for record in chain.from_iterable(by_label.values())), None)
    # with itself it is shown no past games: it needs none
    alone = Arm(
        SELF_PLAY, evaluated, unshown=path if teams.games else None, players=counts, seeds=cross
    )
    return [*trials, *([alone] if counts else []), *pairs]


Standing = Literal["held out", "known kind", "itself"]
"""Of a partner: unknown to the evaluated seat; of a kind that the seat's partner model knows; the
same player."""

Kind = tuple[Manner, Manner]
"""How hints are given, and how they are read."""


def standing(evaluated: PlayerSpec, partner: PlayerSpec) -> Standing:
    """Return what a partner is to an evaluated seat.

    A seat with a partner model knows the conventions that the model starts with, and a rule player
    its own. Of a model that is asked, only the program beside it counts: what a language model has
    learnt is not known.
    """
    try:
        counts = [count for count in evaluated.players if count in partner.players]
        same = any(evaluated.essence(count) == partner.essence(count) for count in counts)
    except UserError:  # code that is not there any more
        same = evaluated.key == partner.key
    if same:
        return "itself"
    kind_of_partner = next(iter(kinds(partner)), None)
    if kind_of_partner and kind_of_partner in kinds(evaluated):
        return "known kind"
    return "held out"


def kinds(player: PlayerSpec) -> tuple[Kind, ...]:
    """Return the kinds of players that a player has a model of, its own first; none for one without
    conventions."""
    config = player.config
    conventions = list[Convention]()
    if config is not None:
        if any(_models_partners(config, name, player.models) for name in config.nodes):
            conventions += NOTHING_KNOWN
    elif player.spec.startswith(PREFIX) and (
        convention := getattr(read_seat(player.spec), "convention", None)
    ):
        conventions.append(convention)
    return tuple((convention.hints, convention.reads) for convention in conventions)


def _models_partners(config: GraphConfig, name: str, models: Mapping[str, Model]) -> bool:
    """Tell whether a node is told how far partners keep to the conventions, or is the program that
    finds it."""
    sections = dict(config.context_of(name).kinds(config.role(name), config.without_sections))
    node = config.nodes[name]
    if ConventionFacts in sections:
        return bool(sections[ConventionFacts]["pack"] == "newest")
    agreed = sections.get(Conventions, {"pack": "none"})["pack"] not in ("none", "information")
    return (
        agreed and node.role == "history_analyst" and models.get(node.model, node.model) == PROGRAM
    )
