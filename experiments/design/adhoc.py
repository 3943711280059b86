"""Ad-hoc teams, as the Hanabi Challenge measures them (Bard et al. 2020, section 4.3).

A trial is one game: the evaluated seat in one position, one partner of the pool in all others. Before it the evaluated
seat is given ten self-play games of that partner as public records; after it nothing is left of them. Beside the trials
stand the partners' self-play and the pool's cross table.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from experiments.design import cross_play
from experiments.design.arms import Arm, Before, Deal, check
from experiments.design.cross_play import WITH, at
from experiments.design.experiment import AdHoc, Experiment
from experiments.design.job import Job, Outcome
from experiments.design.player_spec import PlayerSpec, player_spec
from experiments.results.files import write_atomically
from orchestrator.errors import UserError

PAST = "past"
EVALUATED = "evaluated"
"""The label of the evaluated seat in names of arms."""


@dataclass(frozen=True)
class Past:
    """Self-play games of a partner at a player count, and the file of their records."""

    label: str
    sitter: PlayerSpec
    players: int
    seeds: tuple[int, ...]
    folder: Path
    """Of the run."""

    @property
    def name(self) -> str:
        """As an arm's."""
        return f"{PAST}/{self.label}"

    @property
    def path(self) -> Path:
        return self.folder / PAST / self.label / f"{self.players}p.json"

    @property
    def head(self) -> dict[str, object]:
        """What the records are of."""
        return {"partner": self.sitter.spec, "key": self.sitter.key, "players": self.players, "seeds": list(self.seeds)}

    def there(self) -> bool:
        """Whether the file holds them. Raises UserError when it holds others."""
        if not self.path.exists():
            return False
        try:
            held = json.loads(self.path.read_text("utf-8"))
            held["games"]
        except (ValueError, TypeError, KeyError):
            raise UserError(f"{str(self.path)!r} holds no past games; it stays as it is") from None
        if changed := [name for name, value in self.head.items() if held.get(name) != value]:
            raise UserError(
                f"{str(self.path)!r} holds other past games: {', '.join(changed)} differ; give another --out"
            )
        return True

    def jobs(self) -> list[Job]:
        """Games of models have journals, for they are paid for; those of programs are quickly played again."""
        asked = any(model != "program" for model in self.sitter.models.values())
        cast = (self.sitter.key,) * self.players
        deals = [Deal(seed, self.players) for seed in self.seeds]
        home = self.folder / PAST / self.label
        return [Job(self.name, d, cast, home / d.file if asked else None, lean=True, recorded=True) for d in deals]

    def write(self, outcomes: Iterable[Outcome]) -> None:
        games = {one.job.deal.seed: one.record.plain for one in outcomes if one.record}
        text = json.dumps(self.head | {"games": [games[seed] for seed in self.seeds]})
        write_atomically(self.path, text + "\n")


def everybody(experiment: Experiment) -> dict[str, PlayerSpec]:
    """The evaluated seat and the partners, by label. Raises UserError."""
    assert experiment.adhoc is not None
    asked = experiment.adhoc
    return {EVALUATED: player_spec(asked.seat, experiment), **cross_play.everybody(asked.pool, experiment)}


def pool(experiment: Experiment, sitters: Mapping[str, PlayerSpec], folder: Path) -> list[Past]:
    """The past games of every partner at every player count."""
    assert experiment.adhoc is not None
    asked = experiment.adhoc
    return [
        Past(label, partner, players, tuple(asked.past.seeds), folder)
        for label, partner in sitters.items()
        if label != EVALUATED
        for players in at(partner, partner, experiment, asked.pool)
    ]


@dataclass(frozen=True)
class Drawn:
    """What chance gives a trial: the same whenever it is drawn, and whoever is evaluated."""

    position: int
    games: tuple[int, ...]
    """Which of the past games, in the order in which they are told."""


def drawn(asked: AdHoc, label: str, deal: Deal) -> Drawn:
    """The position and the past games of a trial with a partner."""
    chance = Random(f"{asked.draw} {label} {deal.players} {deal.seed} {deal.repeat}")
    position = chance.randrange(deal.players)
    if asked.position != "random":
        position = deal.seed % deal.players if asked.position == "rotate" else asked.position
    return Drawn(position, tuple(chance.sample(range(asked.past.count), asked.games)))


def arms(experiment: Experiment, evaluated: PlayerSpec, pasts: Iterable[Past]) -> list[Arm]:
    """The evaluated seat with every partner, every partner with himself, every pair of partners. Raises UserError."""
    assert experiment.adhoc is not None
    asked, by_label = experiment.adhoc, dict[str, list[Past]]()
    for past in pasts:
        by_label.setdefault(past.label, []).append(past)
    trials = [_trials(asked, evaluated, label, found, experiment) for label, found in by_label.items()]
    partners = {label: found[0].sitter for label, found in by_label.items()}
    cross = [_pair(a, b, partners, experiment) for a in partners for b in partners]
    for arm in (*trials, *cross):
        check(arm)
    return [*trials, *cross]


def _trials(asked: AdHoc, evaluated: PlayerSpec, label: str, pasts: list[Past], experiment: Experiment) -> Arm:
    paths = {past.players: past.path for past in pasts}

    def before(deal: Deal) -> Mapping[int, Before]:
        trial = drawn(asked, label, deal)
        return {trial.position: Before(paths[deal.players], trial.games)} if trial.games else {}

    def others(deal: Deal) -> Mapping[int, PlayerSpec]:
        return {drawn(asked, label, deal).position: evaluated}

    counts = at(pasts[0].sitter, evaluated, experiment, asked.pool)
    return Arm(f"{EVALUATED}{WITH}{label}", pasts[0].sitter, others, before, counts)


def _pair(a: str, b: str, partners: Mapping[str, PlayerSpec], experiment: Experiment) -> Arm:
    """A in the seat of the deal's number, so that he begins as often as others; the diagonal is self-play."""
    assert experiment.adhoc is not None
    counts = at(partners[a], partners[b], experiment, experiment.adhoc.pool)
    return Arm(f"{a}{WITH}{b}", partners[b], _rotated(partners[a]), players=counts, deals=experiment.adhoc.cross)


def _rotated(one: PlayerSpec) -> Callable[[Deal], Mapping[int, PlayerSpec]]:
    return lambda deal: {deal.seed % deal.players: one}
